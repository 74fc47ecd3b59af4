/// How a record or log entry stands to a server.
public enum SyncState: Hashable, Sendable {
  /// The server holds everything that this device wrote, as far as this device knows.
  case synced
  /// Something is on its way; after many attempts, or an hour, a person should look.
  case waiting(attempts: Int, lastError: String?, needsAttention: Bool)
  /// Again and again the server had changed the record meanwhile.
  case conflict
  /// The server refused it for good.
  case dead(reason: String)

  init(_ lane: Lane, wallMilliseconds: Int64) {
    switch lane.stop {
    case .dead(let reason): self = .dead(reason: reason)
    case .conflict: self = .conflict
    case nil:
      let isOld = wallMilliseconds - lane.since > SyncState.patienceMilliseconds
      self = .waiting(
        attempts: lane.attempts, lastError: lane.lastError,
        needsAttention: isOld || lane.attempts >= SyncState.patienceAttempts)
    }
  }

  /// How long a change may be on its way before it needs attention, in milliseconds.
  static let patienceMilliseconds: Int64 = 3_600_000

  /// How many attempts a change may take before it needs attention.
  static let patienceAttempts = 5
}

/// How a device and a server stand to each other, in sum.
public struct OutboxStatus: Hashable, Sendable {
  /// How many records and log entries are on their way, and not for too long.
  public internal(set) var waiting = 0
  /// How many of all need a person: refused, in conflict, or on their way for too long.
  public internal(set) var needsAttention = 0

  /// Makes a sum.
  public init(waiting: Int = 0, needsAttention: Int = 0) {
    self.waiting = waiting
    self.needsAttention = needsAttention
  }

  /// Whether the server holds everything that this device wrote, as far as this device knows.
  public var isSynced: Bool { waiting == 0 && needsAttention == 0 }

  mutating func count(_ state: SyncState) {
    switch state {
    case .synced: break
    case .waiting(_, _, let needsAttention):
      if needsAttention { self.needsAttention += 1 } else { waiting += 1 }
    case .conflict, .dead: needsAttention += 1
    }
  }
}
