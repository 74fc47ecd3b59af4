import RejoinCore

/// The indexes of the store in memory: by collection and field, the records in order of what they may show.
struct ValueIndex {
  private(set) var table = IndexTable()
  private var entries: [Place: SortedChunks<IndexedRecord>] = [:]

  /// How many entries were looked at, for tests that hold cost against what is returned.
  var probes: Int { entries.values.reduce(changes) { $0 + $1.probes } }
  private var changes = 0

  fileprivate struct Place: Hashable {
    var collection: Collection
    var field: FieldName
  }

  /// Makes indexes known, and fills them with the records that are there.
  mutating func declare(_ new: [Index], in collection: Collection, records: [RecordID: PackedRecord]) {
    let missing = Set(table.missing(from: new, in: collection).map(\.field))
    guard !missing.isEmpty else { return }
    for field in missing { table.declare(Index(field), in: collection) }
    let added = table[collection].filter { missing.contains($0.field) }
    var found = added.map { _ in [IndexedRecord]() }
    for (id, record) in records {
      for (index, keys) in record.possibleKeys(for: added).enumerated() {
        found[index] += keys.map { IndexedRecord(key: $0, id: id) }
      }
    }
    for (entry, records) in zip(added, found) {
      var chunks = SortedChunks<IndexedRecord>()
      for record in records.sorted() { chunks.insert(record) }
      entries[Place(collection: collection, field: entry.field)] = chunks
    }
  }

  /// Forgets indexes.
  mutating func remove(_ indexes: [Index], in collection: Collection) {
    for index in indexes {
      table.remove(index.field, in: collection)
      entries[Place(collection: collection, field: index.field)] = nil
    }
  }

  /// Follows a record: only entries whose keys changed are touched.
  mutating func apply(_ write: StoreCommit.RecordWrite) {
    let indexed = table[write.key.collection]
    guard !indexed.isEmpty else { return }
    let old = write.old?.possibleKeys(for: indexed) ?? indexed.map { _ in [] }
    let new = write.new.possibleKeys(for: indexed)
    for (index, entry) in indexed.enumerated() where old[index] != new[index] {
      let place = Place(collection: write.key.collection, field: entry.field)
      for key in old[index].subtracting(new[index]) {
        changes += 1
        entries[place]?.remove(IndexedRecord(key: key, id: write.key.id))
      }
      for key in new[index].subtracting(old[index]) {
        changes += 1
        entries[place, default: SortedChunks()].insert(IndexedRecord(key: key, id: write.key.id))
      }
    }
  }

  /// Calls `body` for the entries of a range, in order or in the reverse, until it returns false.
  mutating func forEach(
    in collection: Collection, by field: FieldName, within range: KeyRange, descending: Bool,
    _ body: (IndexedRecord) throws -> Bool
  ) rethrows {
    let place = Place(collection: collection, field: field)
    // The walk goes over a copy: whoever is called may read the store, and what it was asked is counted afterwards.
    guard var chunks = entries[place] else { return }
    defer { changes += chunks.probes - (entries[place]?.probes ?? 0) }
    let first = RecordID(high: 0, low: 0)
    if descending {
      try chunks.forEachReversed(before: range.upper.map { IndexedRecord(key: $0, id: first) }) {
        try $0.key >= range.lower && body($0)
      }
    } else {
      try chunks.forEach(from: IndexedRecord(key: range.lower, id: first)) {
        try range.contains($0.key) && body($0)
      }
    }
  }
}
