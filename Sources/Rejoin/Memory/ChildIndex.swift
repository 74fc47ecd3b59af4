import RejoinCore

/// The children of the store in memory: by reference and parent, the records that may refer to it.
struct ChildIndex {
  private(set) var references = ReferenceTable()
  private var children: [Place: Set<RecordID>] = [:]

  /// How many children were looked at, for tests that hold cost against what is returned.
  private(set) var probes = 0

  fileprivate struct Place: Hashable {
    var collection: Collection
    var field: FieldName
    var parent: RecordID
  }

  /// Makes references known, and finds the children among the records that are there.
  mutating func declare(
    _ new: [Reference], in collection: Collection, records: [RecordID: PackedRecord]
  ) {
    let missing = references.missing(from: new, in: collection)
    guard !missing.isEmpty else { return }
    // A field that refers elsewhere from now on is indexed already: the index does not name the collection.
    let known = Set(references[collection].map(\.reference.field))
    for reference in missing { references.declare(reference, in: collection) }
    for entry in references[collection] where !known.contains(entry.reference.field) {
      for (id, record) in records {
        for parent in record.possibleParents(through: entry) {
          children[Place(collection, entry, parent), default: []].insert(id)
        }
      }
    }
  }

  /// Follows a record.
  mutating func apply(_ write: StoreCommit.RecordWrite) {
    for entry in references[write.key.collection] {
      let old = write.old?.possibleParents(through: entry) ?? []
      let new = write.new.possibleParents(through: entry)
      for parent in old.subtracting(new) {
        let place = Place(write.key.collection, entry, parent)
        children[place]?.remove(write.key.id)
        if children[place]?.isEmpty ?? false { children[place] = nil }
      }
      for parent in new.subtracting(old) {
        children[Place(write.key.collection, entry, parent), default: []].insert(write.key.id)
      }
    }
  }

  /// Calls `body` for every child of a field's reference, with its parent.
  func forEachChild(
    in collection: Collection, through field: FieldName,
    _ body: (_ parent: RecordID, _ child: RecordID) throws -> Void
  ) rethrows {
    for (place, ids) in children where place.collection == collection && place.field == field {
      for id in ids { try body(place.parent, id) }
    }
  }

  /// The records that may refer to `parent`, in order.
  mutating func children(of parent: RecordKey) -> [RecordKey] {
    let keys = references.referring(to: parent.collection).flatMap { collection, field in
      (children[Place(collection: collection, field: field, parent: parent.id)] ?? []).map {
        RecordKey(collection, $0)
      }
    }
    probes += keys.count + 1
    return keys.sorted()
  }
}

extension ChildIndex.Place {
  fileprivate init(_ collection: Collection, _ entry: ReferenceTable.Entry, _ parent: RecordID) {
    self.init(collection: collection, field: entry.reference.field, parent: parent)
  }
}
