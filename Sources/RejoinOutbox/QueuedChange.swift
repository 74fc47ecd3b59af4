import Rejoin
public import RejoinCore

/// A change that waits, with everything that a person may want to know of it.
public struct QueuedChange: Hashable, Sendable {
  /// Where a change is on its way.
  public enum Status: String, CaseIterable, Sendable {
    /// It waits for its turn, or to be tried again.
    case pending
    /// It has been sent, and nothing is known of what became of it.
    case sending
    /// It met another change on the server, and somebody has to decide.
    case conflict
    /// The server refused it, and somebody has to decide.
    case dead
  }

  /// What is, or would be, sent; one that was never sent gets its key only then.
  public var entry: OutboxEntry
  /// Where it is on its way.
  public var status: Status
  /// How often the server has put it off.
  public var attempts: Int
  /// Since when an exchange knows of it, in milliseconds since the Unix epoch.
  public var since: Int64
  /// When it was last sent, in milliseconds since the Unix epoch; nil where it never was.
  public var lastAttemptAt: Int64?
  /// When it may be sent again, in milliseconds since the Unix epoch; nil where it may be at once.
  public var nextAttemptAt: Int64?
  /// What the server last said; nil where it has not refused anything.
  public var lastError: String?

  /// Makes one, for those who test a dialect.
  package init(
    _ entry: OutboxEntry, status: Status, attempts: Int = 0, since: Int64, lastAttemptAt: Int64? = nil,
    nextAttemptAt: Int64? = nil, lastError: String? = nil
  ) {
    self.entry = entry
    self.status = status
    self.attempts = attempts
    self.since = since
    self.lastAttemptAt = lastAttemptAt
    self.nextAttemptAt = nextAttemptAt
    self.lastError = lastError
  }

  /// The change as document 004 writes it, with what only the device knows.
  public var json: JSON {
    guard case .object(var members) = entry.wireJSON else { return .null }
    members += [
      JSON.Member("attempts", .int(Int64(attempts))),
      JSON.Member("last_attempt_at", lastAttemptAt.map { .int($0) } ?? .null),
      JSON.Member("next_attempt_at", nextAttemptAt.map { .int($0) } ?? .null),
      JSON.Member("last_error", lastError.map { .string($0) } ?? .null),
      JSON.Member("status", .string(status.rawValue)),
    ]
    return .object(members)
  }
}

extension Outbox {
  /// The changes that wait, in the order in which they go out, as far as an exchange knows of them already.
  ///
  /// - Complexity: O(n log n) in what waits.
  /// - Throws: ``OutboxError/damagedState(_:)``, and what the store throws.
  public func queue() throws -> [QueuedChange] {
    try replica.peek(at: configuration.server) { transaction in
      var lanes: [Lane] = []
      try transaction.forEachLane { lane in
        lanes.append(lane)
        return true
      }
      return try lanes.sorted { $0.sequence < $1.sequence }.compactMap { lane in
        guard let entry = try lane.entry ?? transaction.entry(of: lane) else { return nil }
        let status: QueuedChange.Status =
          switch lane.stop {
          case .dead: .dead
          case .conflict: .conflict
          case nil: lane.entry == nil || lane.lastError != nil ? .pending : .sending
          }
        return QueuedChange(
          entry, status: status, attempts: lane.attempts, since: lane.since,
          lastAttemptAt: lane.lastAttempt > 0 ? lane.lastAttempt : nil,
          nextAttemptAt: lane.due > 0 ? lane.due : nil, lastError: lane.lastError)
      }
    }
  }
}
