package import RejoinCore

/// The values that this device's unsent writes were made over, so that a server's row which shows one of them is known
/// to show nothing newer.
///
/// Kept only where a replica meets others besides a server: else a row can show none of them but what is on its way or
/// was acknowledged.
extension Engine {
  private static let replacedSpace = "replaced"

  /// How many values are kept of one field: those that were replaced last.
  private static let replacedPerField = 8

  static func replacedKey(_ record: RecordKey) -> LocalKey {
    LocalKey(replacedSpace, Array(record.collection.text.utf8) + record.id.bytes)
  }

  /// Whether this replica exchanges with a server, or will.
  var hasServer: Bool { expectsServer || !proxies.isEmpty }

  /// Whether this replica has met another one besides a server.
  var isBesideServer: Bool {
    hasServer
      && vector.entries.contains { $0.replica != header.replica && !proxies.contains($0.replica) }
  }

  /// The ids under which this replica writes down what servers say.
  static func proxies(in store: any Store) throws -> Set<ReplicaID> {
    var proxies: Set<ReplicaID> = []
    try store.forEachLocal(in: Proxy.space, from: []) { _, text in
      if let id = text.split(separator: " ").last.flatMap({ ReplicaID(String($0)) }) { proxies.insert(id) }
      return true
    }
    return proxies
  }

  /// What the writes of a transaction replace, added to what is kept.
  func replacedValues(by commit: borrowing StoreCommit, at timestamp: Timestamp) throws -> [LocalWrite] {
    guard isBesideServer else { return [] }
    var writes: [LocalWrite] = []
    for write in commit.records {
      guard let old = write.old, !write.key.collection.isReserved else { continue }
      let replaced = replacedFields(old, write.new, at: timestamp)
      guard !replaced.isEmpty else { continue }
      let key = Engine.replacedKey(write.key)
      var kept = try store.local(key).map { Engine.values(in: $0) } ?? [:]
      for (field, value) in replaced {
        kept[field] = Array((kept[field, default: []] + [value]).suffix(Engine.replacedPerField))
      }
      writes.append(LocalWrite(key, Engine.text(of: kept)))
    }
    return writes
  }

  private func replacedFields(
    _ old: PackedRecord, _ new: PackedRecord, at timestamp: Timestamp
  ) -> [(FieldName, Value)] {
    var written: [ArraySlice<UInt8>: PackedRegister] = [:]
    for register in new.registers
    where register.precedence.timestamp == timestamp && RegisterAddress.isPlain(new.bytes, register.address) {
      written[new.bytes[register.address]] = register
    }
    return old.registers.compactMap { register in
      guard let newer = written[old.bytes[register.address]],
        !proxies.contains(register.precedence.timestamp.replica),
        old.valueBytes(of: register) != new.valueBytes(of: newer)
      else { return nil }
      return (old.address(of: register).field, old.value(of: register))
    }
  }

  private static func text(of values: [FieldName: [Value]]) -> String {
    JSON.object(
      values.sorted { $0.key < $1.key }.map { field, values in
        JSON.Member(field.text, .array(values.map(\.json)))
      }
    ).text()
  }

  /// Reads what was kept; what somebody has damaged counts as nothing.
  static func values(in text: String) -> [FieldName: [Value]] {
    guard case .object(let members)? = try? JSON(parsing: text) else { return [:] }
    var values: [FieldName: [Value]] = [:]
    for member in members {
      guard case .array(let elements) = member.value else { continue }
      values[FieldName(member.name)] = elements.compactMap { try? Value(json: $0) }
    }
    return values
  }
}

extension ServerTransaction {
  /// The values of a field that this device has replaced since the record was last in step with the server.
  package func replacedValues(of field: FieldName, at key: RecordKey) throws -> [Value] {
    guard let text = try kept(Engine.replacedKey(key)) else { return [] }
    return Engine.values(in: text)[field] ?? []
  }

  /// Forgets what was replaced in a record.
  package mutating func forgetReplaced(at key: RecordKey) throws {
    try keep(nil, under: Engine.replacedKey(key))
  }
}
