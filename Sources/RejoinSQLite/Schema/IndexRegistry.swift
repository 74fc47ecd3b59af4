import Rejoin

/// The indexes that the file knows of, with the numbers by which its table of them names them.
struct IndexRegistry {
  /// The indexes.
  private(set) var table = IndexTable()

  private var numbers: [Collection: [FieldName: Int64]] = [:]

  /// Those of a collection, in order of their fields.
  subscript(collection: Collection) -> [(number: Int64, entry: IndexTable.Entry)] {
    guard let numbers = numbers[collection] else { return [] }
    return table[collection].compactMap { entry in numbers[entry.field].map { ($0, entry) } }
  }

  /// The number of a field's index, where it has one.
  func number(of field: FieldName, in collection: Collection) -> Int64? { numbers[collection]?[field] }

  /// The largest number; 0 when there is none.
  var last: Int64 { numbers.values.flatMap(\.values).max() ?? 0 }

  /// Adds an index.
  mutating func add(_ index: Index, in collection: Collection, number: Int64) {
    table.declare(index, in: collection)
    numbers[collection, default: [:]][index.field] = number
  }

  /// Forgets an index.
  mutating func remove(_ field: FieldName, in collection: Collection) {
    table.remove(field, in: collection)
    numbers[collection]?[field] = nil
  }
}

extension SpaceRegistry {
  /// Reads the indexes from the file.
  static func indexes(
    in connection: SQLiteConnection, collections: [Int64: Collection]
  ) throws -> IndexRegistry {
    var registry = IndexRegistry()
    let rows = try connection.prepare("SELECT number, space, field FROM rejoin_indexed_field")
    while try rows.step() {
      let number = try rows.counter(at: 0, of: "its indexes")
      guard let collection = collections[try rows.number(at: 1, of: "its indexes")] else {
        throw StoreError.damaged(path: connection.path, what: "its indexes")
      }
      registry.add(Index(FieldName(try rows.text(at: 2))), in: collection, number: number)
    }
    return registry
  }

  /// Makes indexes known, and says which of them are new and hold nothing yet.
  ///
  /// Within a transaction.
  mutating func declare(
    _ indexes: [Index], in collection: Collection
  ) throws -> [(number: Int64, entry: IndexTable.Entry)] {
    var added = Set<Int64>()
    let space = try makeSpace(of: collection)
    for index in indexRegistry.table.missing(from: indexes, in: collection)
    where indexRegistry.number(of: index.field, in: collection) == nil {
      let number = indexRegistry.last + 1
      try connection.cached("INSERT INTO rejoin_indexed_field(number, space, field) VALUES(?1, ?2, ?3)")
        .run(.int(number), .int(space.number), .text(index.field.text))
      indexRegistry.add(index, in: collection, number: number)
      added.insert(number)
    }
    return indexRegistry[collection].filter { added.contains($0.number) }
  }

  /// Forgets an index, with what it holds.
  ///
  /// Within a transaction.
  mutating func remove(_ index: Index, in collection: Collection) throws {
    guard let number = indexRegistry.number(of: index.field, in: collection) else { return }
    try connection.cached("DELETE FROM rejoin_index WHERE number = ?1").run(.int(number))
    try connection.cached("DELETE FROM rejoin_indexed_field WHERE number = ?1").run(.int(number))
    indexRegistry.remove(index.field, in: collection)
  }
}
