import RejoinCore

extension Engine {
  /// Finds what a query looks for, in its order, and gives it to `take`, which says whether it counts for the limit.
  ///
  /// Whatever names the candidates, each is read and held against what it shows at this moment, so that the result
  /// is that of a scan.
  ///
  /// - Returns: the records that could not be read, as far as the search came across them.
  func find(
    _ query: Query, _ take: (UntypedRecord) throws -> Bool
  ) throws -> [UnreadableRecord] {
    guard query.limit != 0 else { return [] }
    var search = Search(query: query, visibility: try visibility())
    let walk = query.walk(with: try store.indexes())
    switch walk.plan {
    case .scan: try scan(&search, take)
    case .index(let field, let isInOrder):
      let isDescending = query.sort?.isDescending ?? false
      for range in isDescending ? walk.ranges.reversed() : walk.ranges where !search.hasEnded {
        try store.forEachIndexed(in: query.collection, by: field, within: range, descending: isDescending) {
          try visit($0, of: field, &search, isInOrder: isInOrder, take)
        }
      }
    }
    try search.deliverBatch(take)
    return search.unreadable
  }

  private func scan(_ search: inout Search, _ take: (UntypedRecord) throws -> Bool) throws {
    do {
      try store.forEachRecord(in: search.query.collection) { id, record in
        guard let found = try search.candidate(record, id) else { return }
        guard search.query.sort == nil else { return search.batch.append(found) }
        try search.deliver(found.record, take)
        if search.hasEnded { throw EndOfSearch() }
      } unreadable: {
        search.unreadable.append($0)
      }
    } catch is EndOfSearch {}
  }

  /// Takes up a record that an index names; says whether to go on.
  private func visit(
    _ entry: IndexedRecord, of field: FieldName, _ search: inout Search, isInOrder: Bool,
    _ take: (UntypedRecord) throws -> Bool
  ) throws -> Bool {
    if isInOrder, search.batchKey != entry.key {
      try search.deliverBatch(take)
      if search.hasEnded { return false }
    }
    guard let record = try readable(entry.id, &search), let found = try search.candidate(record, entry.id),
      QueryKey(startOf: found.record.fields[field] ?? .null) == entry.key
    else { return true }
    // Values that start alike stand in order of their records' ids; the rest of each decides, once all are there.
    let isSettled = isInOrder && (search.query.sort == nil || !entry.key.mayBeCut)
    guard isSettled else {
      search.batchKey = entry.key
      search.batch.append(found)
      return true
    }
    try search.deliver(found.record, take)
    return !search.hasEnded
  }

  private func readable(_ id: RecordID, _ search: inout Search) throws -> PackedRecord? {
    do {
      return try store.record(RecordKey(search.query.collection, id))
    } catch let error as any StoreFailure where error.isOfOneAddress {
      search.unreadable.append(UnreadableRecord(id: id, error: error))
      return nil
    }
  }
}

/// Ends a walk over a store before its end.
private struct EndOfSearch: Error {}

/// A search under way: what was found and is not delivered yet, and how much was.
private struct Search {
  /// A record that is looked for, with what decides about its place.
  struct Found {
    var key: QueryKey
    var record: UntypedRecord
  }

  let query: Query
  let visibility: Visibility
  var unreadable: [UnreadableRecord] = []

  /// What must be put in order before it is delivered.
  var batch: [Found] = []

  /// The key under which the index holds the batch.
  var batchKey: QueryKey?
  private var count = 0

  init(query: Query, visibility: Visibility) {
    self.query = query
    self.visibility = visibility
  }

  /// Whether the limit is reached.
  var hasEnded: Bool { query.limit.map { count >= $0 } ?? false }

  /// A record as it is found; nil when it is not looked for.
  func candidate(_ record: PackedRecord, _ id: RecordID) throws -> Found? {
    guard var listed = try visibility.listed(record, at: RecordKey(query.collection, id)),
      query.includingDeleted || listed.presence == .visible
    else { return nil }
    listed.fields = query.reading.applied(to: listed.fields)
    guard query.matches(listed.fields) else { return nil }
    let key = query.sort.map { QueryKey(listed.fields[$0.field] ?? .null) }
    return Found(key: key ?? .null, record: listed)
  }

  mutating func deliver(_ record: UntypedRecord, _ take: (UntypedRecord) throws -> Bool) throws {
    if !hasEnded, try take(record) { count += 1 }
  }

  mutating func deliverBatch(_ take: (UntypedRecord) throws -> Bool) throws {
    guard !batch.isEmpty else { return }
    let isDescending = query.sort?.isDescending ?? false
    batch.sort { left, right in
      let (first, second) = isDescending ? (right, left) : (left, right)
      return first.key == second.key ? first.record.id < second.record.id : first.key < second.key
    }
    for found in batch where !hasEnded { try deliver(found.record, take) }
    batch = []
    batchKey = nil
  }
}
