public import Rejoin

extension Tracker {
  /// Where a tracker stands in its cooldown: derived when it is read, never stored.
  public struct Cooldown: Hashable, Sendable {
    /// When the cooldown ends or ended.
    public var restoreAt: UnixTime

    /// Whole seconds until then; 0 once it is over.
    public var remainingSeconds: Int64

    /// The share that has elapsed, from 0 to 100.
    public var progress: Double

    /// Whether the account still cools down.
    public var isCooling: Bool { remainingSeconds > 0 }
  }

  /// Whether a provider can be used, derived when it is read.
  public enum Status: String, CaseIterable, Sendable {
    /// A second or more of the cooldown remains.
    case cooling
    /// The limit was not hit, or the cooldown is over.
    case ready
  }

  /// The status at a point in time.
  public func status(at now: UnixTime) -> Status { cooldown(at: now)?.isCooling ?? false ? .cooling : .ready }

  /// The cooldown at a point in time; nil when the limit was not hit.
  public func cooldown(at now: UnixTime) -> Cooldown? {
    guard let hit = lastLimitHitAt else { return nil }
    let longest = Int.max / 86_400_000
    let duration = Int64(min(max(cooldownDays, 0), longest)) * 86_400_000
    let end = Tracker.saturating(hit.milliseconds.addingReportingOverflow(duration))
    let remaining = Tracker.saturating(end.subtractingReportingOverflow(now.milliseconds))
    let elapsed = Tracker.saturating(now.milliseconds.subtractingReportingOverflow(hit.milliseconds))
    let share = duration > 0 ? Double(elapsed) / Double(duration) * 100 : 100
    return Cooldown(
      restoreAt: UnixTime(milliseconds: end), remainingSeconds: max(0, remaining / 1_000),
      progress: min(max(share, 0), 100))
  }

  /// The result of a sum or difference, or the end of the range beyond which it lies: cooldowns and times may be
  /// anything that a user or a peer wrote.
  private static func saturating(_ result: (partialValue: Int64, overflow: Bool)) -> Int64 {
    guard result.overflow else { return result.partialValue }
    return result.partialValue < 0 ? .max : .min
  }
}
