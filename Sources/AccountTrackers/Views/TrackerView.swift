public import Rejoin

/// A tracker as it is shown at a point in time.
public struct TrackerView: Hashable, Sendable, Identifiable {
  /// The tracker.
  public let tracker: Tracker

  /// Where it stands in its cooldown; nil when the limit was not hit.
  public let cooldown: Tracker.Cooldown?

  /// How it stands to the server.
  public let offline: OfflineState

  /// Derives what is shown at a point in time.
  public init(_ tracker: Tracker, offline: OfflineState = OfflineState(), at now: UnixTime) {
    self.tracker = tracker
    self.offline = offline
    cooldown = tracker.cooldown(at: now)
  }

  /// The tracker's id.
  public var id: RecordID { tracker.id }

  /// Whether the provider can be used.
  public var status: Tracker.Status { cooldown?.isCooling ?? false ? .cooling : .ready }

  /// When the cooldown ends or ended; nil when the limit was not hit.
  public var restoreAt: UnixTime? { cooldown?.restoreAt }

  /// Whole seconds until the cooldown is over; 0 when it is.
  public var remainingSeconds: Int64 { cooldown?.remainingSeconds ?? 0 }

  /// The share of the cooldown that has elapsed, from 0 to 100; 0 when the limit was not hit.
  public var progress: Double { cooldown?.progress ?? 0 }

  /// The same tracker at another time.
  func at(_ now: UnixTime) -> TrackerView { TrackerView(tracker, offline: offline, at: now) }

  /// Whether it comes before another one in a list: by provider, then by id.
  func comes(before other: TrackerView) -> Bool {
    (tracker.providerSlug, tracker.id) < (other.tracker.providerSlug, other.tracker.id)
  }
}
