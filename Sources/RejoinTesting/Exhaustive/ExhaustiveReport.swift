/// What an exhaustive test did.
public struct ExhaustiveReport: Sendable {
  /// The bounds within which it tried all histories.
  public let bounds: ExhaustiveBounds

  /// The operations that the type's generator drew.
  public internal(set) var alphabet: [String] = []

  /// How many histories were tried, the beginnings of longer ones among them; when one breaks a promise, these are all
  /// that are shorter.
  ///
  /// More than the type can hold are given as its maximum.
  public internal(set) var scheduleCount: UInt128 = 0

  /// How many different worlds they led to: only there was there something to find out.
  public internal(set) var stateCount = 0

  /// A history that breaks a promise, if there is any; none with fewer steps does.
  public internal(set) var counterexample: Counterexample?

  init(bounds: ExhaustiveBounds) {
    self.bounds = bounds
  }
}

extension ExhaustiveReport: CustomStringConvertible {
  /// What was tried, and what came of it.
  public var description: String {
    let tried = """
      \(scheduleCount) histories of at most \(bounds.replicas) replicas, \(bounds.operations) operations \
      (\(alphabet.joined(separator: ", "))), \(bounds.deliveries) deliveries and \(bounds.incidents) incidents \
      led to \(stateCount) worlds
      """
    guard let counterexample else { return "\(tried): all promises were kept" }
    return "\(tried); of those with fewer steps than this one, none breaks a promise.\n\(counterexample)"
  }
}
