public import RejoinCore

extension WriteTransaction {
  /// Inserts a record: its fields that are not nil.
  ///
  /// - Throws: `ReplicaError.recordExists` when a record with this id is visible, or hidden only by its parent.
  public mutating func insert(_ record: some Record) throws {
    try declare(type(of: record))
    let encoded = try FieldEncoder.fields(of: record)
    let collection = type(of: record).collection
    let fields = encoded.compactMap { field in field.value.map { (field.name, $0) } }
    try insert(Dictionary(fields, uniquingKeysWith: { $1 }), id: record.id, in: collection)
    declare(encoded.map(\.name), in: collection)
  }

  /// The record with this id as this transaction sees it; nil when it is not visible.
  public func get<R: Record>(_ type: R.Type, _ id: RecordID) throws -> R? {
    try fields(of: id, in: R.collection).map { try FieldDecoder.readable(type, id: id, fields: $0) }
  }

  /// Changes a record: only the fields that differ afterwards are written; one that became nil is cleared.
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
    try set(FieldEncoder.changes(from: before, to: after), id: id, in: R.collection)
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
    var changes: [FieldName: Value] = [:]
    for field in encoded where (read[field.name] ?? .null) != (field.value ?? .null) {
      changes[field.name] = field.value ?? .null
    }
    try setWhateverHides(changes, of: stored, at: key)
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

extension FieldEncoder {
  /// The fields in which `after` differs, those that became nil as `.null`.
  static func changes<R: Record>(from before: R, to after: R) throws -> [FieldName: Value] {
    let old = Dictionary(
      try fields(of: before).map { ($0.name, $0.value ?? .null) }, uniquingKeysWith: { $1 })
    var changes: [FieldName: Value] = [:]
    for field in try fields(of: after) where (old[field.name] ?? .null) != (field.value ?? .null) {
      changes[field.name] = field.value ?? .null
    }
    return changes
  }
}
