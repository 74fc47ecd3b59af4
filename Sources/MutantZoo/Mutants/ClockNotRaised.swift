public import RejoinTesting

/// M7': a last-writer-wins register with a hybrid clock; the mutant's clock is not raised by what it receives, so that
/// who has read a value and then overwrites it may lose.
///
/// Found in Calimero (core, pull request 2950): stamps that arrived never reached the clock.
public struct ClockNotRaised<Variant: Twin>: StateBased, IntendedRegister, Hashable {
  private let replica: Int
  private var clock: Int64 = 0
  private var stamped = StampedValue()

  /// An empty replica.
  public init(replica number: Int, of count: Int) { replica = number }

  /// Writes at the time of day, but later than the clock has ever been.
  public mutating func apply(_ operation: RegisterOperation, clockMilliseconds: Int64) {
    guard case .set(let value) = operation else { return }
    clock = max(clockMilliseconds, clock + 1)
    stamped = StampedValue(value: value, time: clock, writer: replica)
  }

  /// Keeps the later one; of two at one time, that of the larger replica.
  public mutating func merge(_ other: ClockNotRaised) {
    if !Variant.isMutant { clock = max(clock, other.clock) }
    stamped.merge(other.stamped)
  }

  /// The value.
  public var observation: Int { stamped.value }
}
