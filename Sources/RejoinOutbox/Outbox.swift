public import Rejoin
public import RejoinCore

/// One plain server of a replica: what is on the way to it, and what came from it.
///
/// It keeps everything in the replica's own store, in the transactions of the data: a write is in the outbox the moment
/// it commits.
public struct Outbox: Sendable {
  /// The replica whose writes are sent.
  public let replica: Replica
  /// What the application decided about the server.
  public private(set) var configuration: OutboxConfiguration
  /// How the server is spoken to.
  public let dialect: any Dialect

  /// Names the outbox of a server.
  ///
  /// Make it whenever you open the replica, before anything is written or merged: from then on the replica keeps what an
  /// exchange asks for beside what was written, such as the values that unsent edits were made over.
  public init(
    _ replica: Replica, configuration: OutboxConfiguration = OutboxConfiguration(),
    dialect: any Dialect = MutationsDialect()
  ) {
    self.replica = replica
    self.configuration = configuration
    self.configuration.rules = dialect.rules
    self.dialect = dialect
    replica.expectServer()
  }

  /// Starts an exchange with the server; nothing happens until it is driven.
  ///
  /// With `ignoringWaits` it is made although the server was busy a moment ago, and sends what the server put off, too:
  /// see ``OutboxDriver/exchange(ignoringWaits:)``.
  public func cycle(_ direction: SyncCycle.Direction = .both, ignoringWaits: Bool = false) -> SyncCycle {
    SyncCycle(self, direction, ignoringWaits: ignoringWaits, .current)
  }

  /// As above, in the name of another process, for those who test what two do.
  package func cycle(as process: OutboxProcess) -> SyncCycle {
    SyncCycle(self, .both, ignoringWaits: false, process)
  }

  // MARK: Dead letters

  /// What the server refused for good, in the order in which it went out.
  public func deadLetters() throws -> [DeadLetter] {
    try replica.peek(at: configuration.server) { transaction in
      var letters: [(UInt64, DeadLetter)] = []
      try transaction.forEachLane { lane in
        if case .dead(let reason) = lane.stop, let entry = lane.entry {
          letters.append(
            (lane.sequence, DeadLetter(entry: entry, reason: reason, isUndecided: lane.isUndecided)))
        }
        return true
      }
      return letters.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// Sends a dead letter again with the next exchange.
  ///
  /// What the server refused gets a new key, since a server answers the old one as before, and is based on what the
  /// server is known to hold now. What was only put off too often keeps its key: the server may hold it already.
  ///
  /// - Throws: ``OutboxError/noSuchDeadLetter(_:)``.
  public func retry(_ id: OperationID) throws {
    try changeDeadLetter(id) { transaction, lane, _ in
      lane.retry()
      try transaction.keep(lane)
    }
  }

  /// Takes back what a dead letter wrote: the server's values come back, and a record that it never took is deleted.
  ///
  /// What was written since stays.
  ///
  /// - Throws: ``OutboxError/noSuchDeadLetter(_:)``.
  public func discard(_ id: OperationID) throws {
    try changeDeadLetter(id) { transaction, lane, entry in
      try transaction.discard(lane, entry, configuration)
    }
  }

  private func changeDeadLetter(
    _ id: OperationID, _ body: (inout ServerTransaction, inout Lane, OutboxEntry) throws -> Void
  ) throws {
    try replica.exchange(with: configuration.server) { transaction in
      var found: Lane?
      try transaction.forEachLane { lane in
        if lane.stop != nil, lane.entry?.id == id { found = lane }
        return found == nil
      }
      guard var lane = found, let entry = lane.entry else { throw OutboxError.noSuchDeadLetter(id) }
      try body(&transaction, &lane, entry)
    }
  }

  /// Writes fields of the record that a dead letter is about: all of it goes out with the next exchange, under a new key.
  ///
  /// Writing to the record in any other way does the same.
  ///
  /// - Throws: ``OutboxError/noSuchDeadLetter(_:)``, ``OutboxError/entryOfLog(_:)``, and what `Replica.set` throws.
  public func edit(_ id: OperationID, _ fields: [FieldName: Value]) throws {
    guard let letter = try deadLetters().first(where: { $0.id == id }) else {
      throw OutboxError.noSuchDeadLetter(id)
    }
    guard case .record(let key) = letter.entry.subject else { throw OutboxError.entryOfLog(id) }
    try replica.set(fields, id: key.id, in: key.collection)
  }

  // MARK: What came from the server

  /// The rows that could not be understood, as they came; they are tried again when the application's schema version
  /// is another.
  ///
  /// One that cannot be read is text, and of one of more than `Limits.quarantinedRowBytes` the beginning is
  /// kept as text.
  public func quarantined() throws -> [JSON] {
    try replica.peek(at: configuration.server) { transaction in try transaction.quarantine().map(\.row) }
  }

  /// Forgets what the server was known to hold of a collection, so that all of it is fetched again.
  ///
  /// Nothing that was written is lost: what is unsent stays on its way, dead letters stay, and records stay as they are
  /// until the server's rows come.
  ///
  /// - Complexity: O(n) in the rows of the collection.
  public func resetCache(of collection: Collection) throws {
    try replica.exchange(with: configuration.server) { transaction in
      try transaction.cut(configuration)
      try transaction.forgetShadows(of: collection)
      try transaction.keep(text: nil, as: "cursor")
    }
  }

  // MARK: Honest state

  /// How the device and the server stand to each other, in sum.
  ///
  /// - Complexity: O(n) in what is on its way.
  public func status() throws -> OutboxStatus {
    try replica.peek(at: configuration.server) { transaction in
      var status = OutboxStatus()
      try transaction.forEachLane { lane in
        status.count(SyncState(lane, wallMilliseconds: transaction.wallMilliseconds))
        return true
      }
      status.waiting += try transaction.withoutLane(configuration).count
      return status
    }
  }
}
