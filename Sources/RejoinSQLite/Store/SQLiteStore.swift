package import Rejoin

/// A store in a SQLite file: a table per collection, the change index, logs and metadata beside it.
package final class SQLiteStore: Store {
  let connection: SQLiteConnection
  private let schema: Schema
  var spaces: SpaceRegistry
  private var dataVersion: Int64

  /// The registry as it was when the transaction began that has the right to write.
  private var committedSpaces: SpaceRegistry?

  /// Whether the log may hold a commit that failed.
  private var mayHaveLoggedFailure = false

  /// How many steps SQLite's machine took, for tests that hold cost against what is returned.
  package var steps: Int { connection.virtualMachineSteps }

  /// Opens a file of this version, brings one of an older version up to it, or lays out a new one.
  ///
  /// With a header it opens only the file that had this header before, and makes none.
  package init(
    path: String, durability: Durability, files: FileSystem = .system, schema: Schema = .current,
    after header: StoreHeader? = nil
  ) throws {
    self.schema = schema
    if header != nil, try !files.exists(path) { throw StoreError.notThisReplica(path: path) }
    connection = try SQLiteConnection(path: path, access: header == nil ? .create : .write, files: files)
    connection.busyTimeoutMilliseconds = 5_000
    let version = try schema.version(of: connection)
    if let header {
      guard version == schema.version else { throw StoreError.notThisReplica(path: path) }
      try schema.checkShape(connection)
      guard let stored = try SQLiteStore.header(in: connection), header.canBecome(stored) else {
        throw StoreError.notThisReplica(path: path)
      }
    }
    try SQLiteStore.makeDurable(connection, durability)
    try connection.execute("PRAGMA cache_size = -65536")
    try schema.migrate(connection)
    // Before all that is asked from here on: what another process commits in between is then asked again.
    dataVersion = try connection.number("PRAGMA data_version")
    try schema.requireVersion(of: connection)
    try schema.checkShape(connection)
    spaces = try SpaceRegistry(connection)
    if durability == .full { try SQLiteStore.syncWhatIsThere(connection, files) }
  }

  /// Waits until what a process left behind that died in the midst of a commit is on the disk.
  ///
  /// SQLite recovers such a commit without a sync. It shows from now on and may go to peers, so that a power cut must not
  /// take it any more: the replica would write other things at its times, and its peers refuse it as forked.
  private static func syncWhatIsThere(_ connection: SQLiteConnection, _ files: FileSystem) throws {
    let log = "\(connection.fileName)-wal"
    do {
      if try files.exists(log) { try files.sync(log) }
      // The names, too: without a write-ahead log a commit is the removal of the journal.
      try files.syncFolder(of: connection.fileName)
    } catch {
      throw SQLiteError(
        code: error.code, message: error.message, path: connection.path, operation: error.operation)
    }
  }

  /// Turns on the write-ahead log and says how far SQLite must wait for the disk.
  ///
  /// Where there is no shared memory between processes, as on some network file systems, SQLite keeps its rollback
  /// journal. There `FULL` may lose the latest commit and `NORMAL` the file, so one more is asked for.
  private static func makeDurable(_ connection: SQLiteConnection, _ durability: Durability) throws {
    let mode = try connection.prepare("PRAGMA journal_mode = WAL")
    var hasWriteAheadLog = false
    // To the end: the row is there before the change is written, which may still fail.
    while try mode.step() { hasWriteAheadLog = try mode.text(at: 0) == "wal" }
    let synchronous =
      switch durability {
      case .full: hasWriteAheadLog ? "FULL" : "EXTRA"
      case .normal: hasWriteAheadLog ? "NORMAL" : "FULL"
      }
    try connection.execute("PRAGMA synchronous = \(synchronous)")
    // Where a disk keeps writes in a cache of its own, on Apple's systems, a sync must empty that, too.
    if durability == .full { try connection.execute("PRAGMA fullfsync = ON") }
    try connection.execute("PRAGMA checkpoint_fullfsync = ON")
  }

  // MARK: Transactions

  package func beginReading() throws {
    try connection.cached("BEGIN").run()
    do {
      try reloadIfChanged()
    } catch {
      endReading()
      throw error
    }
  }

  package func endReading() {
    // Nothing was written, so there is nothing that a failure could lose.
    if connection.isInTransaction { try? connection.cached("ROLLBACK").run() }
  }

  package func beginWriting() throws {
    try connection.cached("BEGIN IMMEDIATE").run()
    do {
      // What is committed to a file without its name is lost, whatever SQLite says.
      guard !connection.hasMoved else { throw StoreError.notThisReplica(path: connection.path) }
      try reloadIfChanged()
      committedSpaces = spaces
    } catch {
      cancelWriting()
      throw error
    }
  }

  package func cancelWriting() {
    // A transaction that SQLite itself rolled back needs no more; one that cannot be rolled back now is rolled
    // back when the file is opened again, since it was never committed.
    if connection.isInTransaction { try? connection.cached("ROLLBACK").run() }
    // What the registry learnt within the transaction is gone with it, at once: it is asked outside of
    // transactions, too.
    if let committedSpaces { spaces = committedSpaces }
    committedSpaces = nil
    if mayHaveLoggedFailure { overwriteFailedCommit() }
  }

  /// Overwrites a commit that failed when all of it was in the log already, such as one whose sync failed.
  ///
  /// SQLite leaves it there until the next commit takes its place, and a process that starts before would find it and
  /// take it for committed. Where this fails, too, that is how it stays.
  private func overwriteFailedCommit() {
    guard let version = try? connection.number("PRAGMA user_version") else { return }
    guard (try? connection.execute("PRAGMA user_version = \(version)")) != nil else { return }
    mayHaveLoggedFailure = false
  }

  /// Reads anew what another process made, or what a cancelled transaction did not make after all.
  ///
  /// SQLite's data version moves with every commit of another connection, and with none of this one. If a newer
  /// version of the library has migrated the file meanwhile, this one must not touch it any more.
  private func reloadIfChanged() throws {
    let current = try connection.number("PRAGMA data_version")
    guard current != dataVersion else { return }
    try schema.requireVersion(of: connection)
    spaces = try SpaceRegistry(connection)
    dataVersion = current
  }

  package func declare(_ fields: [FieldName], in collection: Collection) throws {
    if let space = spaces.space(of: collection), !fields.contains(where: space.hasRoom) { return }
    try beginWriting()
    do {
      try spaces.declare(fields, in: collection)
      try finish()
    } catch {
      cancelWriting()
      throw error
    }
  }

  package func declaredFields(of collection: Collection) -> [FieldName] {
    spaces.space(of: collection)?.fields ?? []
  }

  /// Ends the transaction; the registry knows what it made.
  ///
  /// Who is told that a commit failed cannot be sure of it: then the registry is read anew, and so is the header,
  /// as after a commit of another process.
  func finish() throws {
    let known = dataVersion
    dataVersion = SQLiteStore.unknownDataVersion
    do {
      try connection.cached("COMMIT").run()
    } catch {
      // One that waited for a lock has written nothing; overwriting it would only wait again.
      mayHaveLoggedFailure = error.kind != .busy
      throw error
    }
    mayHaveLoggedFailure = false
    dataVersion = known
    committedSpaces = nil
  }

  /// No data version of SQLite's: they count up from 1.
  private static let unknownDataVersion: Int64 = -1
}

extension SQLiteConnection {
  /// The one number that a statement without parameters returns; 0 when it returns none.
  func number(_ sql: String) throws -> Int64 {
    let statement = try cached(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : 0
  }
}
