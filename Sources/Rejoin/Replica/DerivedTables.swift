import RejoinCore

/// What the indexes of values and of children must hold, by the records that were read; to hold them against it.
struct DerivedTables {
  private let references: ReferenceTable
  private let indexes: IndexTable
  private var records: [Place: Set<IndexedRecord>] = [:]
  private var children: [Place: Set<Child>] = [:]
  private var seen: Set<RecordKey> = []

  private struct Place: Hashable {
    var collection: Collection
    var field: FieldName
  }

  private struct Child: Hashable {
    var parent: RecordID
    var id: RecordID
  }

  init(_ store: any Store) throws {
    references = try store.references()
    indexes = try store.indexes()
  }

  /// Takes up a record that was read.
  mutating func add(_ record: PackedRecord, at key: RecordKey) {
    seen.insert(key)
    let entries = indexes[key.collection]
    for (entry, keys) in zip(entries, record.possibleKeys(for: entries)) {
      let place = Place(collection: key.collection, field: entry.field)
      records[place, default: []].formUnion(keys.map { IndexedRecord(key: $0, id: key.id) })
    }
    for entry in references[key.collection] {
      let place = Place(collection: key.collection, field: entry.reference.field)
      let parents = record.possibleParents(through: entry)
      children[place, default: []].formUnion(parents.map { Child(parent: $0, id: key.id) })
    }
  }

  /// The differences between what a store's tables hold and what they must hold.
  func findings(in store: any Store) -> [Inspection.Finding] {
    let collections = (try? store.collections()) ?? []
    return collections.flatMap { collection in
      indexes[collection].compactMap { indexFinding(collection, $0.field, in: store) }
        + references[collection].compactMap { childFinding(collection, $0.reference.field, in: store) }
    }
  }

  private func indexFinding(
    _ collection: Collection, _ field: FieldName, in store: any Store
  ) -> Inspection.Finding? {
    var missing = records[Place(collection: collection, field: field)] ?? []
    var stray = 0
    do {
      try store.forEachIndexed(in: collection, by: field, within: .all, descending: false) { entry in
        if missing.remove(entry) == nil, !isUnreadable(RecordKey(collection, entry.id), in: store) {
          stray += 1
        }
        return true
      }
    } catch {
      return .unreadable(what: "the index of \(collection) by \(field)", reason: "\(error)")
    }
    guard !missing.isEmpty || stray > 0 else { return nil }
    return .wrongIndex(collection, field, missing: missing.count, stray: stray)
  }

  private func childFinding(
    _ collection: Collection, _ field: FieldName, in store: any Store
  ) -> Inspection.Finding? {
    var missing = children[Place(collection: collection, field: field)] ?? []
    var stray = 0
    do {
      try store.forEachChild(in: collection, through: field) { parent, id in
        if missing.remove(Child(parent: parent, id: id)) == nil,
          !isUnreadable(RecordKey(collection, id), in: store)
        {
          stray += 1
        }
      }
    } catch {
      return .unreadable(what: "the list of children in \(collection) by \(field)", reason: "\(error)")
    }
    guard !missing.isEmpty || stray > 0 else { return nil }
    return .wrongChildren(collection, field, missing: missing.count, stray: stray)
  }

  /// Whether a record is there and cannot be read, so that nobody knows what must be held of it.
  private func isUnreadable(_ key: RecordKey, in store: any Store) -> Bool {
    guard !seen.contains(key) else { return false }
    do {
      _ = try store.record(key)
      return false
    } catch {
      return true
    }
  }
}
