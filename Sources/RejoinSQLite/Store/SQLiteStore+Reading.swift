package import Rejoin

extension SQLiteStore {
  package func header() throws -> StoreHeader? { try SQLiteStore.header(in: connection) }

  /// The header of a file; nil when it has none yet, because its first process died before it had made one.
  static func header(in connection: SQLiteConnection) throws -> StoreHeader? {
    let statement = try connection.cached(
      "SELECT replica, dataset, dataset_chosen, last_time, last_due, commits FROM rejoin_replica")
    defer { statement.reset() }
    guard try statement.step() else {
      // Outside of a transaction another process may be making it just now.
      if connection.isInTransaction { try requireNothing(in: connection) }
      return nil
    }
    guard let replica = ReplicaID(try statement.text(at: 0)),
      let dataset = DatasetID(try statement.text(at: 1))
    else { throw StoreError.damaged(path: connection.path, what: "its identity") }
    var header = StoreHeader(
      replica: replica, dataset: dataset,
      isDatasetChosen: try statement.number(at: 2, of: "its identity") != 0,
      lastTime: try statement.time(at: 3, of: "its clock"),
      commits: try statement.counter(at: 5, of: "its count of commits"))
    header.lastDue = try statement.time(at: 4, of: "its clock")
    return header
  }

  /// A new identity over old rows would write under a vector that is not its own.
  private static func requireNothing(in connection: SQLiteConnection) throws {
    let tables = try connection.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'rejoin_replica'")
    while try tables.step() {
      let rows = try connection.prepare("SELECT 1 FROM \(Schema.quoted(tables.text(at: 0))) LIMIT 1")
      guard try !rows.step() else {
        throw StoreError.damaged(path: connection.path, what: "its identity")
      }
    }
  }

  package func vector() throws -> VersionVector {
    let statement = try connection.cached("SELECT replica, time FROM rejoin_vector ORDER BY replica")
    defer { statement.reset() }
    var vector = VersionVector()
    while try statement.step() {
      vector.advance(
        try statement.replica(at: 0, of: "its vector"), to: try statement.time(at: 1, of: "its vector"))
    }
    return vector
  }

  // MARK: Records

  package func record(_ key: RecordKey) throws -> PackedRecord? {
    guard let space = spaces.space(of: key.collection) else { return nil }
    let id = key.id.description
    let visible = try connection.cached(space.selectOne)
    try visible.bind(id, at: 1)
    defer { visible.reset() }
    if try visible.step() {
      return try readable(key.collection.text, id) {
        try RowCodec.decode(visible, stateColumn: 0, in: space)
      }
    }
    let hidden = try connection.cached("SELECT rejoin_state FROM rejoin_hidden WHERE space = ?1 AND id = ?2")
    try hidden.bind(space.number, at: 1)
    try hidden.bind(id, at: 2)
    defer { hidden.reset() }
    guard try hidden.step() else { return nil }
    return try readable(key.collection.text, id) { try PackedRecord(validating: hidden.blob(at: 0)) }
  }

  package func forEachRecord(
    in collection: Collection, _ body: (RecordID, PackedRecord) throws -> Void,
    unreadable: (UnreadableRecord) throws -> Void
  ) throws {
    guard let space = spaces.space(of: collection) else { return }
    let hidden = try connection.prepare(
      "SELECT id, rejoin_state FROM rejoin_hidden WHERE space = ?1 ORDER BY id")
    try hidden.bind(space.number, at: 1)
    let visible = try connection.prepare(space.selectAll)
    var nextHidden = try hidden.step() ? RowID(hidden) : nil
    var nextVisible = try visible.step() ? RowID(visible) : nil
    // Two runs in order of the ids: the text of a UUID sorts as its bytes do.
    while let next = [nextHidden, nextVisible].compactMap(\.self).min() {
      let isVisible = next == nextVisible
      if let id = next.recordID {
        let record = Result {
          try readable(collection.text, id.description) {
            isVisible
              ? try RowCodec.decode(visible, stateColumn: 1, in: space)
              : try PackedRecord(validating: hidden.blob(at: 1))
          }
        }
        switch record {
        case .success(let record): try body(id, record)
        case .failure(let error as StoreError): try unreadable(UnreadableRecord(id: id, error: error))
        // An error of SQLite's starts the statement anew, and the walk would never end.
        case .failure(let error): throw error
        }
      } else {
        let error = StoreError.unreadable(path: connection.path, key: "an id of \(collection)", cause: nil)
        try unreadable(UnreadableRecord(id: nil, error: error))
      }
      if isVisible {
        nextVisible = try visible.step() ? RowID(visible) : nil
      } else {
        nextHidden = try hidden.step() ? RowID(hidden) : nil
      }
    }
  }

  /// Names the row that cannot be read; what SQLite itself reports stays as it is.
  private func readable<Result>(_ space: String, _ id: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let cause as CodingError {
      throw StoreError.unreadable(path: connection.path, key: "\(space) \(id)", cause: cause)
    }
  }

  package func editedRecords(in collection: Collection) throws -> [RecordKey] {
    guard let space = spaces.space(of: collection) else { return [] }
    let rows = try connection.prepare(space.selectAll)
    var keys: [RecordKey] = []
    while try rows.step() {
      guard let id = RecordID(try rows.text(at: 0)) else { continue }
      do {
        if try !RowCodec.isIntact(rows, stateColumn: 1, in: space) { keys.append(RecordKey(collection, id)) }
      } catch is CodingError {
        // A row that cannot be read at all is told as such by whoever reads it. An error of SQLite's must not be
        // passed over: it starts the statement anew, and the walk would never end.
      }
    }
    return keys
  }

  package func collections() -> [Collection] { spaces.allCollections }

  // MARK: Log entries

  package func entry(_ key: EntryKey) throws -> LogEntry? {
    guard let space = spaces.space(of: key.log) else { return nil }
    let statement = try connection.cached(
      "SELECT time, replica, entry FROM rejoin_log WHERE space = ?1 AND id = ?2")
    try statement.bind(space.number, at: 1)
    try statement.bind(key.id.description, at: 2)
    defer { statement.reset() }
    return try statement.step() ? decodeEntry(statement, log: key.log, id: key.id.description) : nil
  }

  package func forEachEntry(in log: LogName, _ body: (EntryID, LogEntry) throws -> Void) throws {
    guard let space = spaces.space(of: log) else { return }
    let statement = try connection.prepare(
      "SELECT time, replica, entry, id FROM rejoin_log WHERE space = ?1 ORDER BY time, replica, id")
    try statement.bind(space.number, at: 1)
    while try statement.step() {
      let text = try statement.text(at: 3)
      guard let id = EntryID(text) else {
        throw StoreError.unreadable(path: connection.path, key: "an id of \(log)", cause: nil)
      }
      try body(id, decodeEntry(statement, log: log, id: text))
    }
  }

  private func decodeEntry(_ row: SQLiteStatement, log: LogName, id: String) throws -> LogEntry {
    let timestamp = Timestamp(
      time: try row.time(at: 0, of: "the log \(log)"), replica: try row.replica(at: 1, of: "the log \(log)"))
    guard let value = try? Value(json: JSON(parsing: row.text(at: 2))), case .map(let values) = value else {
      throw StoreError.unreadable(path: connection.path, key: "\(log) \(id)", cause: nil)
    }
    return LogEntry(values, timestamp: timestamp)
  }

  package func logs() throws -> [LogName] {
    let statement = try connection.cached("SELECT 1 FROM rejoin_log WHERE space = ?1 LIMIT 1")
    return try spaces.allLogs.filter { log in
      guard let space = spaces.space(of: log) else { return false }
      try statement.bind(space.number, at: 1)
      defer { statement.reset() }
      return try statement.step()
    }
  }

  package func label(at time: HybridTime) throws -> String? {
    let statement = try connection.cached("SELECT label FROM rejoin_label WHERE time = ?1")
    try statement.bind(time.sortable, at: 1)
    defer { statement.reset() }
    return try statement.step() ? statement.text(at: 0) : nil
  }
}
