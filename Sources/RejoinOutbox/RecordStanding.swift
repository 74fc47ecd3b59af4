import Rejoin
public import RejoinCore

/// How a record stands to a server, in every detail that an application may want to show.
public struct RecordStanding: Hashable, Sendable {
  /// Whether it is synced, on its way, or needs a person.
  public var state: SyncState
  /// Whether the record is deleted on this device.
  public var isDeletedHere: Bool
  /// Whether the server was last known to have deleted it.
  public var isDeletedThere: Bool
  /// The last write that this device knows, in milliseconds since the Unix epoch; nil where there is no such record.
  public var clientUpdatedAt: Int64?
  /// When the server last changed it, in milliseconds since the Unix epoch; nil where it never said.
  public var serverUpdatedAt: Int64?
  /// The id under which the server knows it.
  public var serverID: String
  /// The server's version; nil where it has none, as far as this device knows.
  public var version: Int64?

  /// Whether something of it is not at the server.
  public var isDirty: Bool { state != .synced }
}

extension Outbox {
  /// How one record stands, in every detail.
  ///
  /// - Complexity: O(n) in the fields of the record.
  public func standing(of id: RecordID, in collection: Collection) throws -> RecordStanding {
    let key = RecordKey(collection, id)
    return try replica.peek(at: configuration.server) { transaction in
      let record = try transaction.record(key)
      let shadow = try transaction.shadow(of: .record(key))
      let lastWrite = (record?.timestamps ?? []).map(\.time).max()
      return RecordStanding(
        state: try transaction.state(of: key, configuration),
        isDeletedHere: record.map { !$0.isAlive } ?? false,
        isDeletedThere: shadow?.isDeleted ?? false, clientUpdatedAt: lastWrite?.milliseconds,
        serverUpdatedAt: shadow?.updatedAt,
        serverID: try transaction.serverID(of: .record(key)) ?? id.description, version: shadow?.version)
    }
  }

  /// How one record stands.
  public func state(of id: RecordID, in collection: Collection) throws -> SyncState {
    try replica.peek(at: configuration.server) { transaction in
      try transaction.state(of: RecordKey(collection, id), configuration)
    }
  }
}

extension ServerTransaction {
  /// How one record stands: by its lane, and where it has none yet by what was written since the last cut.
  fileprivate func state(of key: RecordKey, _ configuration: OutboxConfiguration) throws -> SyncState {
    if let lane = try lane(of: .record(key)) { return SyncState(lane, wallMilliseconds: wallMilliseconds) }
    let frontier = try frontier(configuration)
    let isUncut = try record(key)?.timestamps.contains { frontier.awaits($0) } ?? false
    // What began to travel only now has no lane yet.
    let isAdded = try added(by: configuration).contains(.record(key))
    let isHidden = try hiddenUnsent(configuration).contains { $0.record == key }
    return isUncut || isAdded || isHidden
      ? .waiting(attempts: 0, lastError: nil, needsAttention: false) : .synced
  }
}
