package import Rejoin

extension SQLiteStore {
  package func indexes() -> IndexTable { spaces.indexRegistry.table }

  package func declare(_ indexes: [Index], in collection: Collection) throws {
    guard !spaces.indexRegistry.table.missing(from: indexes, in: collection).isEmpty else { return }
    try inTransaction { try declareWithinTransaction(indexes, in: collection) }
  }

  package func remove(_ indexes: [Index], in collection: Collection) throws {
    try inTransaction {
      for index in indexes { try spaces.remove(index, in: collection) }
    }
  }

  private func inTransaction(_ body: () throws -> Void) throws {
    try beginWriting()
    do {
      try body()
      try finish()
    } catch {
      cancelWriting()
      throw error
    }
  }

  /// Fills indexes that are new, in the order of their keys, so that the table grows at its end.
  func declareWithinTransaction(_ indexes: [Index], in collection: Collection) throws {
    let new = try spaces.declare(indexes, in: collection)
    guard !new.isEmpty else { return }
    var found = new.map { _ in [IndexedRecord]() }
    // What cannot be read is seen by nobody.
    try forEachRecord(in: collection) { id, record in
      for (index, keys) in record.possibleKeys(for: new.map(\.entry)).enumerated() {
        found[index] += keys.map { IndexedRecord(key: $0, id: id) }
      }
    } unreadable: { _ in
    }
    for (index, records) in zip(new, found) {
      for record in records.sorted() { try insert(record, into: index.number) }
    }
  }

  /// Follows a record in the indexes of its collection: only entries whose keys changed are touched.
  func indexValues(_ write: StoreCommit.RecordWrite) throws {
    let indexed = spaces.indexRegistry[write.key.collection]
    guard !indexed.isEmpty else { return }
    let entries = indexed.map(\.entry)
    let old = write.old?.possibleKeys(for: entries) ?? entries.map { _ in [] }
    let new = write.new.possibleKeys(for: entries)
    for (index, (number, _)) in indexed.enumerated() where old[index] != new[index] {
      for key in old[index].subtracting(new[index]) {
        try connection.cached("DELETE FROM rejoin_index WHERE number = ?1 AND key = ?2 AND id = ?3")
          .run(.int(number), .blob(key.bytes), .blob(write.key.id.bytes))
      }
      for key in new[index].subtracting(old[index]) {
        try insert(IndexedRecord(key: key, id: write.key.id), into: number)
      }
    }
  }

  private func insert(_ record: IndexedRecord, into number: Int64) throws {
    try connection.cached("INSERT OR IGNORE INTO rejoin_index(number, key, id) VALUES(?1, ?2, ?3)")
      .run(.int(number), .blob(record.key.bytes), .blob(record.id.bytes))
  }

  package func forEachIndexed(
    in collection: Collection, by field: FieldName, within range: KeyRange, descending: Bool,
    _ body: (IndexedRecord) throws -> Bool
  ) throws {
    guard let number = spaces.indexRegistry.number(of: field, in: collection) else { return }
    let end = range.upper == nil ? "" : " AND key < ?3"
    let order = descending ? "ORDER BY key DESC, id DESC" : "ORDER BY key, id"
    let statement = try connection.cached(
      "SELECT key, id FROM rejoin_index WHERE number = ?1 AND key >= ?2\(end) \(order)")
    try statement.bind(number, at: 1)
    try statement.bind(range.lower.bytes, at: 2)
    if let upper = range.upper { try statement.bind(upper.bytes, at: 3) }
    defer { statement.reset() }
    while try statement.step() {
      guard let id = RecordID(bytes: try statement.blob(at: 1)) else {
        throw StoreError.damaged(path: connection.path, what: "its indexes")
      }
      guard try body(IndexedRecord(key: QueryKey(bytes: try statement.blob(at: 0)), id: id)) else { return }
    }
  }

  package func forEachChild(
    in collection: Collection, through field: FieldName,
    _ body: (_ parent: RecordID, _ child: RecordID) throws -> Void
  ) throws {
    guard let number = spaces.referenceRegistry.number(of: field, in: collection) else { return }
    let statement = try connection.prepare("SELECT parent, id FROM rejoin_child WHERE reference = ?1")
    try statement.bind(number, at: 1)
    while try statement.step() {
      guard let parent = RecordID(bytes: try statement.blob(at: 0)),
        let child = RecordID(bytes: try statement.blob(at: 1))
      else { throw StoreError.damaged(path: connection.path, what: "its list of children") }
      try body(parent, child)
    }
  }
}
