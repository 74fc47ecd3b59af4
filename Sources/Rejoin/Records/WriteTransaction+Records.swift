public import RejoinCore

extension WriteTransaction {
  /// Inserts a record: its fields that are not nil.
  ///
  /// - Throws: `ReplicaError.recordExists` when a record with this id is visible, or hidden only by its parent.
  public mutating func insert(_ record: some Record) throws {
    try declare(type(of: record))
    let encoded = try FieldEncoder.fields(of: record)
    let collection = type(of: record).collection
    try insert(FieldEncoder.edits(inserting: encoded), at: RecordKey(collection, record.id))
    declare(encoded.map(\.name), in: collection)
  }

  /// The record with this id as this transaction sees it; nil when it is not visible.
  public func get<R: Record>(_ type: R.Type, _ id: RecordID) throws -> R? {
    try fields(of: id, in: R.collection).map { try FieldDecoder.readable(type, id: id, fields: $0) }
  }

  /// Changes a record: only the fields that differ afterwards are written; one that became nil is cleared.
  ///
  /// Of a ``Counter`` the difference is added, of an ``AddWinsSet`` elements are added and removed.
  ///
  /// - Throws: `ReplicaError.recordNotVisible` when there is no such record, `ReplicaError.parentNotVisible` when
  ///   its parent hides it, and still does afterwards.
  public mutating func update<R: Record>(
    _ type: R.Type, _ id: RecordID, _ change: (inout R) throws -> Void
  ) throws {
    try declare(type)
    guard let fields = try fields(of: id, in: R.collection, isOrphanShown: true) else {
      throw ReplicaError.recordNotVisible(RecordKey(R.collection, id))
    }
    let before = try FieldDecoder.readable(type, id: id, fields: fields)
    var after = before
    try change(&after)
    guard after.id == id else { throw ReplicaError.idChanged(RecordKey(R.collection, id)) }
    let key = RecordKey(R.collection, id)
    let old = Dictionary(
      try FieldEncoder.fields(of: before).map { ($0.name, $0.value ?? .null) }, uniquingKeysWith: { $1 })
    try edit(FieldEncoder.edits(from: old, to: FieldEncoder.fields(of: after), at: key), at: key)
  }

  /// Inserts a record, or, when one with this id is visible or hidden only by its parent, writes the fields in which
  /// it differs.
  public mutating func upsert<R: Record>(_ record: R) throws {
    try declare(R.self)
    let key = RecordKey(R.collection, record.id)
    guard let shown = try fields(of: key.id, in: key.collection, isOrphanShown: true),
      let stored = try self.record(key)
    else { return try insert(record) }
    let encoded = try FieldEncoder.fields(of: record)
    let read = FieldReading(R.self).applied(to: shown)
    try editWhateverHides(FieldEncoder.edits(from: read, to: encoded, at: key), of: stored, at: key)
    declare(encoded.map(\.name), in: R.collection)
  }

  /// Deletes a record.
  ///
  /// - Throws: `ReplicaError.recordNotVisible` when there is no such record, `ReplicaError.parentNotVisible` when
  ///   its parent hides it.
  public mutating func delete<R: Record>(_ type: R.Type, _ id: RecordID) throws {
    try declare(type)
    try delete(id, in: R.collection)
  }

  /// Brings a deleted record back as it was, edits beneath the deletion included.
  public mutating func restore<R: Record>(_ type: R.Type, _ id: RecordID) throws {
    try declare(type)
    try restore(id, in: R.collection)
  }
}
