import CSQLite
import Rejoin

extension SQLiteStore {
  /// Writes a copy of the whole file, as of one moment, to a path where nothing is yet; others go on meanwhile.
  package func backup(to path: String) throws {
    try connection.copy(to: path)
  }

  /// Writes a copy of a replica's file, under an id of its own, to a path where nothing is yet.
  static func restore(
    _ backup: String, to path: String, as replica: ReplicaID, files: FileSystem, schema: Schema
  ) throws {
    let source = try SQLiteConnection(path: backup, access: .read, files: files)
    try requireReplica(source, schema)
    // The copy is synced once, when it is complete; one that a crash leaves incomplete is not used any more.
    try source.execute("PRAGMA synchronous = OFF")
    // Before the copy gets its name: from then on it may be opened, and must not write under its original's id.
    try source.copy(to: path) { partial in
      let copy = try SQLiteConnection(path: partial, files: files)
      try copy.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
      try schema.migrate(copy)
      try copy.prepare("UPDATE rejoin_replica SET replica = ?1, commits = commits + 1")
        .run(.text(replica.description))
    }
  }

  /// Refuses everything but a replica's file, of any version up to this one.
  private static func requireReplica(_ connection: SQLiteConnection, _ schema: Schema) throws {
    switch try schema.version(of: connection) {
    case 0: throw StoreError.damaged(path: connection.path, what: "it is empty")
    case schema.version:
      try schema.checkShape(connection)
      guard try header(in: connection) != nil else {
        throw StoreError.damaged(path: connection.path, what: "its identity")
      }
    case let older: try schema.checkShape(connection, version: older)
    }
  }
}

extension SQLiteConnection {
  /// Copies the database as of one moment to a path where nothing is yet, whole or not at all.
  ///
  /// The copy is one file without a write-ahead log. It is made beside its path, as `path.partial`, and gets its
  /// name once it is complete and on the disk; when this returns, its name is on the disk as well. What a crash
  /// leaves behind is removed by the next try. An error means that nothing is at `path`; but where the system
  /// failed to sync the folder and then to take the name back, too, the complete copy is.
  func copy(to path: String, change: (_ partial: String) throws -> Void = { _ in }) throws {
    // SQLite would take the journal or log of a file that is gone for the copy's.
    for place in [path, path + "-journal", path + "-wal"] where try files.exists(place) {
      throw SQLiteError(
        code: SQLITE_CANTOPEN, message: "there is a file already", path: place, operation: "back up")
    }
    let partial = path + ".partial"
    do {
      try files.removeDatabase(partial)
      try vacuum(into: partial)
      try change(partial)
      try files.sync(partial)
      try files.rename(partial, to: path)
    } catch {
      try? files.removeDatabase(partial)
      throw error
    }
    do {
      try files.syncFolder(of: path)
    } catch {
      // Who is told of an error tries again, and would find the path taken.
      try? files.remove(path)
      throw error
    }
  }

  private func vacuum(into path: String) throws(SQLiteError) {
    do {
      try prepare("VACUUM INTO ?1").run(.text(path))
    } catch {
      // SQLite says so when the file is there already, and also when it failed to find out.
      guard error.code == SQLITE_ERROR else { throw error }
      throw SQLiteError(
        code: SQLITE_CANTOPEN, message: error.message, path: path, operation: error.operation)
    }
  }
}

extension FileSystem {
  /// Removes a database with its journal and its log, as far as they are there.
  fileprivate func removeDatabase(_ path: String) throws(SQLiteError) {
    for ending in ["", "-journal", "-wal"] { try remove(path + ending) }
  }
}
