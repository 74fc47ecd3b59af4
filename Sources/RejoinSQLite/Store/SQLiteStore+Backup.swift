import CSQLite
package import Rejoin

extension SQLiteStore {
  /// Writes a copy of the whole file, as of one moment, to a path where nothing is yet; others go on meanwhile.
  ///
  /// The copy is one file without a write-ahead log. It gets its name only once it is whole and on the disk, so that
  /// a crash leaves no half of it, but perhaps a file of that name with ".partial" behind it.
  package func backup(to path: String) throws {
    try connection.copy(to: path)
  }

  /// Makes the replica of this file another one: a copy must not write under the id of its original.
  package func changeIdentity(to replica: ReplicaID) throws {
    try beginWriting()
    do {
      guard let header = try header() else {
        throw StoreError.damaged(path: connection.path, what: "its identity")
      }
      var commit = StoreCommit(after: header)
      commit.header.replica = replica
      try self.commit(commit)
    } catch {
      cancelWriting()
      throw error
    }
  }
}

extension SQLiteConnection {
  /// Copies the database as of one moment to a path where nothing is yet, whole or not at all.
  func copy(to path: String) throws {
    let partial = path + ".partial"
    guard !FileSystem.exists(path) else {
      throw SQLiteError(
        code: SQLITE_CANTOPEN, message: "there is a file already", path: path, operation: "back up")
    }
    FileSystem.remove(partial)
    do {
      let statement = try prepare("VACUUM INTO ?1")
      try statement.bind(partial, at: 1)
      _ = try statement.step()
      statement.reset()
      guard FileSystem.sync(partial), FileSystem.rename(partial, to: path) else {
        throw SQLiteError(
          code: SQLITE_IOERR, message: "the copy did not reach the disk", path: path,
          operation: "back up")
      }
    } catch {
      FileSystem.remove(partial)
      throw error
    }
  }
}
