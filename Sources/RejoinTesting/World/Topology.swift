/// Who exchanges messages with whom, until the end of a history, when everybody meets everybody.
public enum Topology: String, Hashable, Sendable, CaseIterable {
  /// Everybody with everybody.
  case mesh
  /// Everybody with the first one.
  case star
  /// Everybody with the next one, and the last one with the first one.
  case ring
  /// The first one with the second one, the third one with the fourth one and so on, the last three among themselves
  /// when they are odd in number: the longest separations.
  case pairs

  /// Whether two replicas of a number of them exchange messages.
  public func connects(_ one: Int, _ other: Int, of count: Int) -> Bool {
    guard one != other else { return false }
    return switch self {
    case .mesh: true
    case .star: one == 0 || other == 0
    case .ring: (one + 1) % count == other || (other + 1) % count == one
    case .pairs: min(one / 2, count / 2 - 1) == min(other / 2, count / 2 - 1)
    }
  }
}
