public import Rejoin
public import RejoinOutbox

/// What a status line says of the way to the server.
public struct SyncSummary: Hashable, Sendable {
  /// Whether there is a server.
  public var hasServer: Bool

  /// Whether an exchange is under way.
  public var isExchanging = false

  /// How many changes are on their way; each record and each entry of the activity log counts as one.
  public var waiting = 0

  /// How many changes need a person: refused, in conflict, or on their way for too long.
  public var needsAttention = 0

  /// How many changes the last exchange has sent; 0 again after the next change.
  public var sent = 0

  /// Why the last exchange ended early; nil when it did not.
  public var stopped: StopReason?

  /// When an exchange last ran to its end.
  public var lastSyncedAt: UnixTime?

  /// Makes a summary of nothing.
  public init(hasServer: Bool) {
    self.hasServer = hasServer
  }

  /// The status line, such as "3 changes waiting" or "12 sent, 1 needs your attention".
  public var text: String {
    guard hasServer else { return "kept on this device" }
    var parts: [String] = []
    if isExchanging { parts.append("syncing") }
    if sent > 0 { parts.append("\(sent) sent") }
    if waiting > 0 { parts.append(waiting == 1 ? "1 change waiting" : "\(waiting) changes waiting") }
    if needsAttention > 0 {
      parts.append(needsAttention == 1 ? "1 needs your attention" : "\(needsAttention) need your attention")
    }
    if let stopped { parts.append(stopped.words) }
    guard parts.isEmpty else { return parts.joined(separator: ", ") }
    return lastSyncedAt == nil ? "nothing to send" : "synced"
  }

  /// Takes up what the outbox says.
  mutating func take(_ status: OutboxStatus) {
    waiting = status.waiting
    needsAttention = status.needsAttention
  }

  /// Takes up what an exchange did.
  mutating func take(_ report: CycleReport, at now: UnixTime) {
    sent = report.push.applied.count
    stopped = report.push.stopped ?? report.pull.stopped
    if stopped == nil { lastSyncedAt = now }
  }
}

extension StopReason {
  /// The reason in plain words.
  var words: String {
    switch self {
    case .unreachable: "the server cannot be reached"
    case .busy, .waiting: "the server is busy"
    case .signedOut: "sign in again to go on"
    case .upgradeRequired: "update the app to go on"
    case .runsElsewhere: "another part of the app is syncing"
    case .foreignAnswer: "something else answered for the server"
    }
  }
}
