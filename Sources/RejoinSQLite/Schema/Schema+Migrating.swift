extension Schema {
  // MARK: Versions

  /// The version of a file; 0 for one that is empty.
  ///
  /// Refuses files of others and of newer versions, before anything is written to them.
  func version(of connection: SQLiteConnection) throws -> Int64 {
    // In one transaction, or another process could lay the file out between two of the questions.
    try connection.execute("BEGIN")
    defer { if connection.isInTransaction { try? connection.execute("ROLLBACK") } }
    return try versionWithinTransaction(of: connection)
  }

  /// As above, within a transaction.
  private func versionWithinTransaction(of connection: SQLiteConnection) throws -> Int64 {
    let application = try connection.number("PRAGMA application_id")
    let found = try connection.number("PRAGMA user_version")
    if application == 0, found == 0, try connection.number("SELECT count(*) FROM sqlite_schema") == 0 {
      return 0
    }
    guard application == Schema.applicationID else { throw StoreError.foreignFile(path: connection.path) }
    guard found > 0 else { throw StoreError.damaged(path: connection.path, what: "its layout") }
    guard found <= version else {
      throw StoreError.newerVersion(
        path: connection.path, found: Int(clamping: found), supported: Int(version))
    }
    return found
  }

  /// Refuses a file that is not, or no longer, of this version.
  func requireVersion(of connection: SQLiteConnection) throws {
    guard try versionWithinTransaction(of: connection) == version else {
      throw StoreError.damaged(path: connection.path, what: "its layout")
    }
  }

  // MARK: Steps

  /// Takes the steps that a file lacks, all of them in one transaction; of two processes the second finds it done.
  ///
  /// An error leaves the file as it was.
  func migrate(_ connection: SQLiteConnection) throws {
    guard try connection.number("PRAGMA user_version") != version else { return }
    try connection.execute("BEGIN IMMEDIATE")
    let found: Int64
    do {
      found = try versionWithinTransaction(of: connection)
      if found < version { try takeSteps(from: found, connection) }
      try connection.execute("COMMIT")
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      throw error
    }
    // A copy of a new file that leaves the write-ahead log behind is then still known for what it is.
    if found == 0 { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  private func takeSteps(from found: Int64, _ connection: SQLiteConnection) throws {
    // A step may rely on what the one before it has left.
    if found > 0 { try checkShape(connection, version: found) }
    for step in steps[Int(found)...] { try step.take(connection) }
    try connection.execute("PRAGMA application_id = \(Schema.applicationID)")
    try connection.execute("PRAGMA user_version = \(version)")
    try checkShape(connection)
  }

  // MARK: Shape

  /// Finds tables and columns that are missing before anything relies on them.
  func checkShape(_ connection: SQLiteConnection) throws {
    try checkShape(connection, version: version)
    for space in try SpaceRegistry(connection).allSpaces where space.table != nil {
      try require(space.selectOne, else: "the table of a collection", connection)
    }
  }

  /// As above, for the library's own tables of any version.
  func checkShape(_ connection: SQLiteConnection, version: Int64) throws {
    for (table, columns) in steps[Int(version) - 1].shape {
      try require("SELECT \(columns) FROM \(table) LIMIT 0", else: "its table \(table)", connection)
    }
  }

  private func require(_ sql: String, else what: String, _ connection: SQLiteConnection) throws {
    do {
      _ = try connection.prepare(sql)
    } catch {
      guard error.kind == .other else { throw error }
      throw StoreError.damaged(path: connection.path, what: what)
    }
  }
}
