public import RejoinCore

/// A field by whose values the records of a collection can be found and sorted without reading all of them.
///
/// An index covers one field. It changes no result, only what finding it costs.
public struct Index: Hashable, Sendable {
  /// The field.
  public var field: FieldName

  /// Makes an index of a field.
  public init(_ field: FieldName) {
    self.field = field
  }

  /// Makes an index of the field with a coding key.
  public init(_ key: some CodingKey) {
    self.init(FieldName(key.stringValue))
  }
}

/// The indexes that a replica knows of, by collection.
///
/// They are local, like the columns of a collection: never sent, declared by each application for itself.
package struct IndexTable: Equatable, Sendable {
  /// An index, with the address of its field as packed records hold it.
  package struct Entry: Equatable, Sendable {
    /// The field.
    package let field: FieldName

    fileprivate let address: [UInt8]

    fileprivate init(_ field: FieldName) {
      self.field = field
      address = RegisterAddress(field).packed
    }
  }

  private var entries: [Collection: [Entry]] = [:]

  /// Makes a table without indexes.
  package init() {}

  /// The indexes of a collection, in order of their fields.
  package subscript(collection: Collection) -> [Entry] { entries[collection] ?? [] }

  /// Whether a field of a collection has an index.
  package func contains(_ field: FieldName, in collection: Collection) -> Bool {
    self[collection].contains { $0.field == field }
  }

  /// The indexes that are new.
  package func missing(from indexes: [Index], in collection: Collection) -> [Index] {
    indexes.filter { !contains($0.field, in: collection) }
  }

  /// Adds an index.
  package mutating func declare(_ index: Index, in collection: Collection) {
    guard !contains(index.field, in: collection) else { return }
    entries[collection] = (self[collection] + [Entry(index.field)]).sorted { $0.field < $1.field }
  }

  /// Removes the index of a field.
  package mutating func remove(_ field: FieldName, in collection: Collection) {
    let rest = self[collection].filter { $0.field != field }
    entries[collection] = rest.isEmpty ? nil : rest
  }
}

extension PackedRecord {
  /// For each index the keys of what a living record may show in its field at some time: the values of both slots,
  /// and the key of null where neither need show.
  ///
  /// It depends on nothing but the record, so that an index never has to follow the clock.
  package func possibleKeys(for entries: [IndexTable.Entry]) -> [Set<QueryKey>] {
    let life = life
    guard !entries.isEmpty, life?.isAlive ?? true else { return entries.map { _ in [] } }
    var keys = entries.map { _ in Set<QueryKey>() }
    var mayBeAbsent = entries.map { _ in true }
    for register in registers {
      for (index, entry) in entries.enumerated() where bytes[register.address].elementsEqual(entry.address) {
        // A value of a newer version's kind is shown to nobody, so its field reads as absent.
        let isReadable = !holdsUnknownKind(register)
        keys[index].insert(isReadable ? QueryKey(startOf: value(of: register)) : .null)
        let isInForce = !register.isFuture && register.precedence.life >= life?.count ?? 1
        if isInForce { mayBeAbsent[index] = false }
      }
    }
    for index in keys.indices where mayBeAbsent[index] { keys[index].insert(.null) }
    if !holdsOnlyPlain { addCountedKeys(to: &keys, for: entries) }
    return keys
  }

  /// Adds the keys of what counters and sets may come to: with each of the plain values that the field may have.
  private func addCountedKeys(to keys: inout [Set<QueryKey>], for entries: [IndexTable.Entry]) {
    let registers = registers
    let lasting = registers.filter(\.precedence.outlivesLives)
    for (index, entry) in entries.enumerated() {
      let plain = registers.filter { bytes[$0.address].elementsEqual(entry.address) }
      for value in [nil] + plain.map(Optional.some) {
        let shown = [value].compactMap(\.self) + lasting
        if let sum = CountedFields(self, shown).fields[entry.field]?.value {
          keys[index].insert(QueryKey(startOf: sum))
        }
      }
    }
  }
}

/// A run of keys: from `lower` up to, but not including, `upper`; nil has no end.
package struct KeyRange: Equatable, Sendable {
  /// The least key that belongs to it.
  package var lower: QueryKey

  /// The least key that no longer does.
  package var upper: QueryKey?

  /// Every key.
  package static let all = KeyRange(lower: QueryKey(bytes: []), upper: nil)

  /// Makes a range.
  package init(lower: QueryKey, upper: QueryKey?) {
    self.lower = lower
    self.upper = upper
  }

  /// Whether a key belongs to it.
  package func contains(_ key: QueryKey) -> Bool {
    key >= lower && upper.map { key < $0 } ?? true
  }
}

/// An entry of an index: a record that may show a value with this key.
package struct IndexedRecord: Hashable, Comparable, Sendable {
  /// The start of the value's key.
  package var key: QueryKey

  /// The record.
  package var id: RecordID

  /// Makes an entry.
  package init(key: QueryKey, id: RecordID) {
    self.key = key
    self.id = id
  }

  /// Whether `left` comes first: by key, then by id.
  package static func < (left: IndexedRecord, right: IndexedRecord) -> Bool {
    left.key == right.key ? left.id < right.id : left.key < right.key
  }
}
