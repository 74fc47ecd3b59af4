import Rejoin
public import RejoinCore

/// What somebody decides about a record that goes on no more by itself: one that was refused, or is in conflict.
extension Outbox {
  /// Sends what is unsent of a record again with the next exchange, as often as at first.
  ///
  /// It gets a new key and is based on what the server is known to hold now. Only what was put off too often, so that the
  /// server may hold it already, keeps its key.
  ///
  /// - Throws: ``OutboxError/notStopped(_:)``, and what the store throws.
  public func retry(_ id: RecordID, in collection: Collection) throws {
    try decide(RecordKey(collection, id)) { transaction, lane in
      lane.retry()
      try transaction.keep(lane)
    }
  }

  /// Takes back everything that is unsent of a record: the server's values come back, and a record that the server never
  /// took is deleted.
  ///
  /// - Throws: ``OutboxError/notStopped(_:)``, and what the store throws.
  public func discard(_ id: RecordID, in collection: Collection) throws {
    try decide(RecordKey(collection, id)) { transaction, lane in
      guard let entry = try transaction.entry(of: lane) else { return try transaction.end(lane) }
      try transaction.discard(lane, entry, configuration)
    }
  }

  private func decide(
    _ key: RecordKey, _ body: (inout ServerTransaction, inout Lane) throws -> Void
  ) throws {
    try replica.exchange(with: configuration.server) { transaction in
      guard var lane = try transaction.lane(of: .record(key)), lane.stop != nil else {
        throw OutboxError.notStopped(key)
      }
      try body(&transaction, &lane)
    }
  }
}
