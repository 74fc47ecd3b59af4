public import RejoinCore

extension Replica {
  /// Makes the references and indexes of a record type known, so that its records hide and come back with their
  /// parents and are found without reading all of them.
  ///
  /// The first use of a type does so too; but before it, children of that type are neither hidden from readers of
  /// untyped fields nor told in ``changes()``. Declare every type with references when you open the replica.
  /// Declaring tells no change. It is local, and kept in a file until it is declared otherwise.
  ///
  /// - Complexity: O(n log n) in the number of records of the collection for what is new, else O(1).
  /// - Throws: `ReplicaError.invalidName`, and what the store throws.
  public func declare<R: Record>(_ type: R.Type) throws {
    if !R.policies.isEmpty { declare(R.policies, in: R.collection) }
    try declare(R.references, in: R.collection)
    try declare(R.indexes, in: R.collection)
  }

  /// Makes references of a collection's records known; one of a field that has one already replaces it.
  ///
  /// - Complexity: O(n) in the number of records of the collection for references that are new, else O(1).
  /// - Throws: `ReplicaError.invalidName`, and what the store throws.
  public func declare(_ references: [Reference], in collection: Collection) throws {
    guard !references.isEmpty else { return }
    let names = [collection.text] + references.flatMap { [$0.field.text, $0.collection.text] }
    for name in names {
      guard 1...Limits.nameBytes ~= name.utf8.count else {
        throw ReplicaError.invalidName(bytes: name.utf8.count)
      }
    }
    try withEngine { try $0.store.declare(references, in: collection) }
  }

  /// The references of a collection's records that are known, in order of their fields.
  ///
  /// - Throws: what the store throws.
  public func references(of collection: Collection) throws -> [Reference] {
    try reading { try $0.store.references()[collection].map(\.reference) }
  }

  /// The records of a collection that are hidden because their parent is deleted, absent or hidden itself, with
  /// what they would show.
  ///
  /// An update that refers an orphan to a visible parent, or to none, brings it back.
  ///
  /// - Complexity: O(n) in the number of records of the collection.
  /// - Throws: what the store throws.
  public func orphans(in collection: Collection) throws -> [UntypedRecord] {
    try records(in: collection, includingDeleted: true).filter {
      if case .orphaned = $0.presence { true } else { false }
    }
  }
}
