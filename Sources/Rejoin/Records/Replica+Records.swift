public import RejoinCore

extension Replica {
  /// Inserts a record: its fields that are not nil; see ``WriteTransaction/insert(_:)``.
  public func insert(_ record: some Record) throws {
    try write { try $0.insert(record) }
  }

  /// Changes a record: only the fields that differ afterwards are written; see
  /// ``WriteTransaction/update(_:_:_:)``.
  public func update<R: Record>(
    _ type: R.Type, _ id: RecordID, _ change: (inout R) throws -> Void
  ) throws {
    try write { try $0.update(type, id, change) }
  }

  /// Inserts a record or writes the fields in which it differs; see ``WriteTransaction/upsert(_:)``.
  public func upsert(_ record: some Record) throws {
    try write { try $0.upsert(record) }
  }

  /// Deletes a record; see ``WriteTransaction/delete(_:_:)``.
  public func delete<R: Record>(_ type: R.Type, _ id: RecordID) throws {
    try write { try $0.delete(type, id) }
  }

  /// Brings a deleted record back; see ``WriteTransaction/restore(_:_:)``.
  public func restore<R: Record>(_ type: R.Type, _ id: RecordID) throws {
    try write { try $0.restore(type, id) }
  }

  /// The record with this id; nil when it is not visible.
  ///
  /// - Throws: `ReplicaError.undecodable` when it does not decode as the type, and what the store throws.
  public func get<R: Record>(_ type: R.Type, _ id: RecordID) throws -> R? {
    try declare(type)
    return try fields(of: id, in: R.collection).map { try FieldDecoder.readable(type, id: id, fields: $0) }
  }

  /// The visible records of a type, in order of their ids or of a field: all, or those that a condition holds for.
  ///
  ///     try replica.all(
  ///       Account.self, where: .equals("state", "open"), sort: .ascending("createdAt"), limit: 20)
  ///
  /// Conditions and order go by what the type reads, defaults and converters included; fields that have one are searched
  /// without an index. Records that do not decode are listed beside, and do not count for the limit. Where deleted records are included, so
  /// are those that their parents hide; `hidden` of the list tells them apart.
  ///
  /// - Complexity: as of ``records(in:includingDeleted:where:sort:limit:)``.
  /// - Throws: `ReplicaError.invalidName`, `ReplicaError.invalidLimit` for a limit below zero,
  ///   `ReplicaError.invalidCondition` for a value that does not encode, and what the store
  ///   throws, but for single records that it cannot read.
  public func all<R: Record>(
    _ type: R.Type, includingDeleted: Bool = false, where condition: Condition? = nil, sort: Sort? = nil,
    limit: Int? = nil
  ) throws -> RecordList<R> {
    let query = try Query(
      in: R.collection, includingDeleted: includingDeleted, where: condition, sort: sort, limit: limit,
      reading: FieldReading(type))
    try declare(type)
    var elements: [R] = []
    var undecodable: [RecordList<R>.Undecodable] = []
    var hidden: [RecordID: Presence] = [:]
    let unreadable = try find(query) { record in
      do {
        elements.append(try FieldDecoder.record(type, id: record.id, fields: record.fields))
        if record.presence != .visible { hidden[record.id] = record.presence }
        return true
      } catch {
        undecodable.append(RecordList.Undecodable(id: record.id, reason: FieldDecoder.reason(error)))
        return false
      }
    }
    return RecordList(elements, undecodable: undecodable, unreadable: unreadable, hidden: hidden)
  }
}

extension FieldDecoder {
  /// Why a type does not decode, without values; a type that decodes itself may throw anything.
  static func reason(_ error: any Error) -> String {
    (error as? DecodingError)?.reason ?? "its type refuses it (\(type(of: error)))"
  }
}

extension DecodingError {
  /// What did not fit, by type and key, without values.
  var reason: String {
    func path(_ context: Context) -> String {
      context.codingPath.map(\.stringValue).joined(separator: ".")
    }
    return switch self {
    case .keyNotFound(let key, _): "the field \(key.stringValue) was never written"
    case .typeMismatch(let type, let context): "the field \(path(context)) is no \(type)"
    case .valueNotFound(let type, let context): "the field \(path(context)) is empty, not a \(type)"
    case .dataCorrupted(let context): "the field \(path(context)) holds something else"
    @unknown default: "it does not decode"
    }
  }
}
