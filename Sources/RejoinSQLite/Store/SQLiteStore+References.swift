package import Rejoin

extension SQLiteStore {
  package func references() -> ReferenceTable { spaces.references }

  package func declare(_ references: [Reference], in collection: Collection) throws {
    guard !spaces.references.missing(from: references, in: collection).isEmpty else { return }
    try beginWriting()
    do {
      try declareWithinTransaction(references, in: collection)
      try finish()
    } catch {
      cancelWriting()
      throw error
    }
  }

  /// As above, within a transaction.
  func declareWithinTransaction(_ references: [Reference], in collection: Collection) throws {
    let new = try spaces.declare(references, in: collection)
    guard !new.isEmpty else { return }
    // What cannot be read is seen by nobody, so it has no parents either.
    try forEachRecord(in: collection) { id, record in
      for (number, entry) in new {
        for parent in record.possibleParents(through: entry) {
          try insertChild(id, of: parent, through: number)
        }
      }
    } unreadable: { _ in
    }
  }

  /// Follows a record in the index of children.
  func indexChildren(_ write: StoreCommit.RecordWrite) throws {
    for (number, entry) in spaces.numberedReferences(of: write.key.collection) {
      let old = write.old?.possibleParents(through: entry) ?? []
      let new = write.new.possibleParents(through: entry)
      for parent in old.subtracting(new) {
        try connection.cached("DELETE FROM rejoin_child WHERE reference = ?1 AND parent = ?2 AND id = ?3")
          .run(.int(number), .blob(parent.bytes), .blob(write.key.id.bytes))
      }
      for parent in new.subtracting(old) { try insertChild(write.key.id, of: parent, through: number) }
    }
  }

  private func insertChild(_ id: RecordID, of parent: RecordID, through number: Int64) throws {
    try connection.cached("INSERT OR IGNORE INTO rejoin_child(reference, parent, id) VALUES(?1, ?2, ?3)")
      .run(.int(number), .blob(parent.bytes), .blob(id.bytes))
  }

  package func children(of parent: RecordKey) throws -> [RecordKey] {
    var children = Set<RecordKey>()
    for (collection, number) in spaces.numbersOfReferences(to: parent.collection) {
      let statement = try connection.cached(
        "SELECT id FROM rejoin_child WHERE reference = ?1 AND parent = ?2")
      try statement.bind(number, at: 1)
      try statement.bind(parent.id.bytes, at: 2)
      defer { statement.reset() }
      while try statement.step() {
        guard let id = RecordID(bytes: try statement.blob(at: 0)) else {
          throw StoreError.damaged(path: connection.path, what: "its list of children")
        }
        children.insert(RecordKey(collection, id))
      }
    }
    return children.sorted()
  }
}
