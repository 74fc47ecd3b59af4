public import RejoinTesting

/// M7: a last-writer-wins register whose stamps are times of day; the mutant believes its own clock even when it has
/// seen a later stamp, so that a later write loses.
///
/// Found in Cassandra, whose clients send the stamps. Source: Kingsbury, *The trouble with timestamps* (2013).
public struct WallClockWins<Variant: Twin>: StateBased, IntendedRegister, Hashable {
  private let replica: Int
  private var stamped = StampedValue()

  /// An empty replica.
  public init(replica number: Int, of count: Int) { replica = number }

  /// Writes at the time of day, but later than anything seen: a hybrid clock.
  public mutating func apply(_ operation: RegisterOperation, clockMilliseconds: Int64) {
    guard case .set(let value) = operation else { return }
    let time = Variant.isMutant ? clockMilliseconds : max(clockMilliseconds, stamped.time + 1)
    stamped = StampedValue(value: value, time: time, writer: replica)
  }

  /// Keeps the later one; of two at one time, that of the larger replica.
  public mutating func merge(_ other: WallClockWins) { stamped.merge(other.stamped) }

  /// The value.
  public var observation: Int { stamped.value }
}
