import CSQLite
import Rejoin

extension SQLiteStore {
  /// Writes a copy of the whole file, as of one moment, to a path where nothing is yet; others go on meanwhile.
  package func backup(to path: String) throws {
    try connection.copy(to: path, during: "back up")
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
    try source.copy(to: path, during: "restore") { partial in
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
  /// The copy is one file without a write-ahead log. It is made beside its path, as `path.rejoin-partial`, and gets
  /// its name once it is complete and on the disk; when this returns, its name is on the disk as well. What a crash
  /// leaves behind is removed by the next try. An error means that nothing is at `path`; but where the system
  /// failed to sync the folder and then to take the name back, too, the complete copy is.
  func copy(
    to path: String, during operation: String, change: (_ partial: String) throws -> Void = { _ in }
  ) throws {
    try SQLiteHandle.requireFile(path, operation: operation)
    let copy = Copy(source: self.path, path: path, operation: operation)
    guard copy.partialName != Copy.name(of: fileName) else {
      throw copy.refusal("what is copied has the name that the copy bears while it is made", at: path)
    }
    // SQLite would take the journal or log of a file that is gone for the copy's.
    for place in [path, path + "-journal", path + "-wal"] where try files.exists(place) {
      throw copy.refusal("there is a file already", at: place)
    }
    do {
      try files.removeDatabase(copy.partial)
      try vacuum(into: copy)
      try change(copy.partial)
      try files.sync(copy.partial)
      try files.rename(copy.partial, to: path)
    } catch {
      try? files.removeDatabase(copy.partial)
      throw copy.named(error)
    }
    do {
      try files.syncFolder(of: path)
    } catch {
      // Who is told of an error tries again, and would find the path taken.
      try? files.remove(path)
      throw error
    }
  }

  private func vacuum(into copy: Copy) throws(SQLiteError) {
    do {
      try prepare("VACUUM INTO ?1").run(.text(copy.partial))
    } catch {
      throw copy.named(vacuumError: error)
    }
  }
}

/// A copy that is being made, to tell its errors by: each of the file that it is about, and by the name it shall have.
private struct Copy {
  let source: String
  let path: String
  let operation: String

  /// Its path until it is complete.
  var partial: String { path + ".rejoin-partial" }

  /// The name of `partial` in its folder.
  var partialName: String { Copy.name(of: partial) }

  /// The last part of a path, in lower case, since case may not count.
  static func name(of path: String) -> String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]).lowercased()
  }

  func refusal(_ message: String, at place: String) -> SQLiteError {
    SQLiteError(code: SQLITE_CANTOPEN, message: message, path: place, operation: operation)
  }

  /// SQLite tells what goes wrong with either file of the source.
  func named(vacuumError error: SQLiteError) -> SQLiteError {
    let isOfSource =
      [.corrupt, .notADatabase, .busy].contains(error.kind) || rejoin_is_read_failure(error.code) != 0
    // It says nothing more when the file is there already, and also when it failed to find out.
    return SQLiteError(
      code: error.code == SQLITE_ERROR ? SQLITE_CANTOPEN : error.code, message: error.message,
      path: isOfSource ? source : path, operation: operation)
  }

  /// Nobody has heard of the partial file; what is damaged in it is so in the source.
  func named(_ error: any Error) -> any Error {
    switch error {
    case let error as SQLiteError where error.path.hasPrefix(partial):
      SQLiteError(code: error.code, message: error.message, path: path, operation: error.operation)
    case StoreError.damaged(partial, let what): StoreError.damaged(path: source, what: what)
    default: error
    }
  }
}

extension FileSystem {
  /// Removes a database with its journal and its log, as far as they are there.
  fileprivate func removeDatabase(_ path: String) throws(SQLiteError) {
    for ending in ["", "-journal", "-wal"] { try remove(path + ending) }
  }
}
