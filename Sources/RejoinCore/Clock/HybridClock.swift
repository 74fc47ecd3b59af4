/// The hybrid logical clock of one replica: a pure struct, to which the wall time is passed in.
///
/// A write takes the larger of (wall, 0) and the successor of the last time; so it is larger than everything
/// this replica issued or merged, and never behind the wall. Receipt is no event with a time of its own: a
/// merge only moves the last time. What lies beyond ``latestAcceptable(wallMilliseconds:maxDriftMilliseconds:)``
/// must not be observed; see <doc:Semantics>.
public struct HybridClock: Hashable, Sendable {
  /// The largest time issued or observed.
  public private(set) var last: HybridTime

  /// Makes a clock that has reached `last`.
  public init(last: HybridTime = .zero) {
    self.last = last
  }

  /// Issues the next time, strictly larger than every time before.
  ///
  /// The wall clock is given in milliseconds since the Unix epoch.
  public mutating func tick(wallMilliseconds: Int64) -> HybridTime {
    precondition(
      last < .distantFuture, "the clock's last time came from a store that should have been refused")
    last = max(HybridTime(milliseconds: wallMilliseconds), last.successor)
    return last
  }

  /// Moves the last time to `time` where that is later.
  public mutating func observe(_ time: HybridTime) {
    last = max(last, time)
  }

  /// The last time that is not from the future: the wall clock plus the drift bound, any counter.
  public static func latestAcceptable(wallMilliseconds: Int64, maxDriftMilliseconds: Int64) -> HybridTime {
    let (sum, overflow) = wallMilliseconds.addingReportingOverflow(maxDriftMilliseconds)
    return HybridTime(milliseconds: overflow ? Limits.wallMilliseconds : sum, counter: .max)
  }
}
