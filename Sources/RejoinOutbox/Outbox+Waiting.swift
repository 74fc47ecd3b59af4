import Rejoin
import RejoinCore

/// A record or log entry with something that the server does not hold yet, as far as this device knows.
public struct WaitingChange: Hashable, Sendable {
  /// What it is about.
  public var subject: Subject
  /// How it stands: on its way, in conflict, or refused; never ``SyncState/synced``.
  public var state: SyncState
  /// Since when an exchange knows of it, in milliseconds since the Unix epoch; nil where none began since it was
  /// written.
  public var since: Int64?
  /// The idempotency key under which it is being sent, or was refused; nil where the next push makes one.
  public var operation: OperationID?
}

extension Outbox {
  /// What the server does not hold yet, in the order in which it goes out; what was refused or is in conflict has kept
  /// its place.
  ///
  /// - Complexity: O(n log n) in what waits.
  /// - Throws: ``OutboxError/damagedState(_:)``, and what the store throws.
  public func waiting() throws -> [WaitingChange] {
    try replica.peek(at: configuration.server) { transaction in
      var lanes: [Lane] = []
      try transaction.forEachLane { lane in
        lanes.append(lane)
        return true
      }
      let wall = transaction.wallMilliseconds
      let known = lanes.sorted { $0.sequence < $1.sequence }.map { lane in
        WaitingChange(
          subject: lane.subject, state: SyncState(lane, wallMilliseconds: wall), since: lane.since,
          operation: lane.entry?.id)
      }
      let new = try transaction.withoutLane(configuration).map { subject in
        WaitingChange(
          subject: subject, state: .waiting(attempts: 0, lastError: nil, needsAttention: false), since: nil,
          operation: nil)
      }
      return known + new
    }
  }

  /// Whether anything waits that no request has tried: what was written since lanes were last asked for something to send,
  /// and for whoever ignores waits also what is put off.
  func hasUntried(since taken: Frontier, ignoringWaits: Bool) throws -> Bool {
    try replica.peek(at: configuration.server) { transaction in
      var isFound = try !transaction.written(after: taken, configuration).isEmpty
      guard ignoringWaits, !isFound else { return isFound }
      try transaction.forEachQueued { _ in
        isFound = true
        return false
      }
      return isFound
    }
  }
}

extension ServerTransaction {
  /// What the next cut begins lanes for.
  func withoutLane(_ configuration: OutboxConfiguration) throws -> [Subject] {
    let added = try added(by: configuration)
    let hidden = try hiddenUnsent(configuration).map { Subject.record($0.record) }
    let new = try written(after: frontier(configuration), configuration)
    var seen: Set<Subject> = []
    return try (added + hidden + new).filter { subject in
      guard seen.insert(subject).inserted else { return false }
      return try lane(of: subject) == nil
    }
  }
}
