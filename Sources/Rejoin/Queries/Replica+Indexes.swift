public import RejoinCore

extension Replica {
  /// Makes fields of a collection quick to find and to sort by.
  ///
  /// Typed records bring theirs along when their type is declared or first used. Indexes are local, kept in a file until
  /// they are removed, and change no result.
  ///
  /// - Complexity: O(n log n) in the number of records of the collection for indexes that are new, else O(1). Each
  ///   later write costs one entry for every indexed field that it changes.
  /// - Throws: `ReplicaError.invalidName`, and what the store throws.
  public func declare(_ indexes: [Index], in collection: Collection) throws {
    guard !indexes.isEmpty else { return }
    guard collection.isValid else {
      throw ReplicaError.invalidName(bytes: collection.text.utf8.count)
    }
    for field in indexes.map(\.field) where !field.isValid || field == "id" {
      throw ReplicaError.invalidName(bytes: field.text.utf8.count)
    }
    try withEngine { try $0.store.declare(indexes, in: collection) }
  }

  /// Removes indexes, so that writes need not keep them up any more; those that there are not are passed over.
  ///
  /// - Complexity: O(n) in the number of records of the collection.
  /// - Throws: what the store throws.
  public func remove(_ indexes: [Index], in collection: Collection) throws {
    guard !indexes.isEmpty else { return }
    try withEngine { try $0.store.remove(indexes, in: collection) }
  }

  /// The indexes of a collection, in order of their fields.
  ///
  /// - Throws: what the store throws.
  public func indexes(of collection: Collection) throws -> [Index] {
    try reading { try $0.store.indexes()[collection].map { Index($0.field) } }
  }

  /// How a query would find its records; for those who wonder why it is slow.
  ///
  /// - Throws: `ReplicaError.invalidName`, `ReplicaError.invalidLimit`, and what the store throws.
  public func plan(
    in collection: Collection, includingDeleted: Bool = false, where condition: Condition? = nil,
    sort: Sort? = nil, limit: Int? = nil
  ) throws -> QueryPlan {
    let query = try Query(
      in: collection, includingDeleted: includingDeleted, where: condition, sort: sort, limit: limit)
    return try reading { query.walk(with: try $0.store.indexes()).plan }
  }
}
