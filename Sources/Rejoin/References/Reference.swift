public import RejoinCore

/// A field that holds the id of a record of some collection: its parent.
///
/// A record whose parent is deleted or absent is hidden from readers, and so is whatever refers to it. Nothing is
/// written for that, so it shows again as soon as the parent does. A field that is absent, null or no record id
/// refers to nothing and hides nothing.
public struct Reference: Hashable, Sendable {
  /// The field that holds the parent's id.
  public var field: FieldName

  /// The collection of the parent.
  public var collection: Collection

  /// Makes a reference from a field to the records of a collection.
  public init(_ field: FieldName, to collection: Collection) {
    self.field = field
    self.collection = collection
  }

  /// Makes a reference from the field with a coding key to the records of a type.
  public init<Parent: Record>(_ key: some CodingKey, to type: Parent.Type) {
    self.init(FieldName(key.stringValue), to: Parent.collection)
  }
}

/// The references that a replica knows of, by the collection of the children.
///
/// They are local, like the columns of a collection: never sent, declared by each application for itself.
package struct ReferenceTable: Equatable, Sendable {
  /// A reference, with the address of its field as packed records hold it.
  package struct Entry: Equatable, Sendable {
    /// The reference.
    package let reference: Reference

    fileprivate let address: [UInt8]

    fileprivate init(_ reference: Reference) {
      self.reference = reference
      address = RegisterAddress(reference.field).packed
    }
  }

  private var entries: [Collection: [Entry]] = [:]

  /// Makes a table without references.
  package init() {}

  /// Whether nothing refers to anything.
  package var isEmpty: Bool { entries.isEmpty }

  /// The references of a collection's records, in order of their fields.
  package subscript(collection: Collection) -> [Entry] { entries[collection] ?? [] }

  /// The collections and fields that refer to records of a collection.
  package func referring(to parent: Collection) -> [(collection: Collection, field: FieldName)] {
    entries.keys.sorted().flatMap { child in
      self[child].filter { $0.reference.collection == parent }.map { (child, $0.reference.field) }
    }
  }

  /// The references that are new, or refer to another collection than before.
  package func missing(from references: [Reference], in collection: Collection) -> [Reference] {
    let known = Set(self[collection].map(\.reference))
    return references.filter { !known.contains($0) }
  }

  /// Adds a reference; it replaces that of the same field.
  package mutating func declare(_ reference: Reference, in collection: Collection) {
    let others = self[collection].filter { $0.reference.field != reference.field }
    entries[collection] = (others + [Entry(reference)]).sorted { $0.reference.field < $1.reference.field }
  }
}

extension PackedRecord {
  /// The ids that a living record holds in a field, in either slot: what may be its parent at some time.
  ///
  /// It depends on nothing but the record, so that an index of it never has to follow the clock.
  package func possibleParents(through entry: ReferenceTable.Entry) -> Set<RecordID> {
    guard life?.isAlive ?? true else { return [] }
    return Set(registers.compactMap { parent(through: entry, in: $0) })
  }

  /// The parents that registers of this record name.
  func parents(through entries: [ReferenceTable.Entry], in shown: [PackedRegister]) -> [RecordKey] {
    entries.flatMap { entry in
      shown.compactMap { register in
        parent(through: entry, in: register).map { RecordKey(entry.reference.collection, $0) }
      }
    }
  }

  private func parent(through entry: ReferenceTable.Entry, in register: PackedRegister) -> RecordID? {
    guard bytes[register.address].elementsEqual(entry.address), case .record(let id) = value(of: register)
    else { return nil }
    return id
  }
}
