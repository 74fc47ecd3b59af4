public import RejoinTesting

/// M1: a last-writer-wins register; the mutant lets whoever arrives later win a tie.
///
/// Found in Roshi (issue 11) and in the reference implementation of the delta paper (delta-enabled-crdts, issue 7).
public struct TieByArrival<Variant: Twin>: StateBased, IntendedRegister, Hashable {
  private let replica: Int
  private var value = 0
  private var time = 0
  private var writer = 0

  /// An empty replica.
  public init(replica number: Int, of count: Int) { replica = number }

  /// Writes later than anything seen: Lamport's clock.
  public mutating func apply(_ operation: RegisterOperation, clockMilliseconds: Int64) {
    guard case .set(let value) = operation else { return }
    self.value = value
    time += 1
    writer = replica
  }

  /// Keeps the later one; of two at one time, that of the larger replica.
  public mutating func merge(_ other: TieByArrival) {
    let wins =
      Variant.isMutant ? other.time >= time : (other.time, other.writer) > (time, writer)
    guard wins else { return }
    (value, time, writer) = (other.value, other.time, other.writer)
  }

  /// The value.
  public var observation: Int { value }
}
