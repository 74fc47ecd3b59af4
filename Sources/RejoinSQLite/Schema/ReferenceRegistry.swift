import Rejoin

/// The references that the file knows of, with the numbers by which its list of children names them.
struct ReferenceRegistry {
  /// The references.
  private(set) var table = ReferenceTable()

  private var numbers: [Collection: [FieldName: Int64]] = [:]

  /// Those of a collection's records.
  subscript(collection: Collection) -> [(number: Int64, entry: ReferenceTable.Entry)] {
    guard let numbers = numbers[collection] else { return [] }
    return table[collection].compactMap { entry in numbers[entry.reference.field].map { ($0, entry) } }
  }

  /// The number of a field's reference, where it has one.
  func number(of field: FieldName, in collection: Collection) -> Int64? { numbers[collection]?[field] }

  /// The largest number; 0 when there is none.
  var last: Int64 { numbers.values.flatMap(\.values).max() ?? 0 }

  /// Adds a reference, or replaces the one of this number.
  mutating func add(_ reference: Reference, in collection: Collection, number: Int64) {
    table.declare(reference, in: collection)
    numbers[collection, default: [:]][reference.field] = number
  }
}

extension SpaceRegistry {
  /// The references that were declared.
  var references: ReferenceTable { referenceRegistry.table }

  /// The references of a collection's records.
  func numberedReferences(
    of collection: Collection
  ) -> [(number: Int64, entry: ReferenceTable.Entry)] { referenceRegistry[collection] }

  /// The references to the records of a collection, with the collections of the children.
  func numbersOfReferences(to parent: Collection) -> [(collection: Collection, number: Int64)] {
    references.referring(to: parent).compactMap { collection, field in
      referenceRegistry.number(of: field, in: collection).map { (collection, $0) }
    }
  }

  /// Reads them from the file.
  static func references(
    in connection: SQLiteConnection, collections: [Int64: Collection]
  ) throws -> ReferenceRegistry {
    var registry = ReferenceRegistry()
    let rows = try connection.prepare("SELECT number, space, field, target FROM rejoin_reference")
    while try rows.step() {
      let number = try rows.counter(at: 0, of: "its references")
      guard let collection = collections[try rows.number(at: 1, of: "its references")] else {
        throw StoreError.damaged(path: connection.path, what: "its references")
      }
      let reference = Reference(FieldName(try rows.text(at: 2)), to: Collection(try rows.text(at: 3)))
      registry.add(reference, in: collection, number: number)
    }
    return registry
  }

  /// Makes references known, and says which of them have no list of children yet.
  ///
  /// Within a transaction.
  mutating func declare(
    _ new: [Reference], in collection: Collection
  ) throws -> [(number: Int64, entry: ReferenceTable.Entry)] {
    var added = Set<Int64>()
    let space = try makeSpace(of: collection)
    for reference in references.missing(from: new, in: collection) {
      let known = referenceRegistry.number(of: reference.field, in: collection)
      let number = known ?? referenceRegistry.last + 1
      try connection.cached(
        "INSERT INTO rejoin_reference(number, space, field, target) VALUES(?1, ?2, ?3, ?4) "
          + "ON CONFLICT(number) DO UPDATE SET target = excluded.target"
      ).run(
        .int(number), .int(space.number), .text(reference.field.text), .text(reference.collection.text))
      referenceRegistry.add(reference, in: collection, number: number)
      if known == nil { added.insert(number) }
    }
    return referenceRegistry[collection].filter { added.contains($0.number) }
  }
}
