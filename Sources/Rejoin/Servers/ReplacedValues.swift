package import RejoinCore

/// The values that this device's unsent writes were made over, so that a server's row which shows one of them is known
/// to show nothing newer.
///
/// Kept are values that came from others, and own ones that were given to others: a row can show no others but what is
/// on its way or was acknowledged.
package struct ReplacedValue: Sendable {
  /// What stood there.
  package var value: Value
  /// Whether this device wrote it itself.
  package var isOwn: Bool
}

extension Engine {
  private static let replacedSpace = "replaced"

  /// How many values are kept of one field: those that were replaced last.
  private static let replacedPerField = 32

  static func replacedKey(_ record: RecordKey) -> LocalKey {
    LocalKey(replacedSpace, Array(record.collection.text.utf8) + record.id.bytes)
  }

  /// Whether this replica exchanges with a server, or will.
  var hasServer: Bool { expectsServer || !proxies.isEmpty }

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
    guard hasServer else { return [] }
    var writes: [LocalWrite] = []
    for write in commit.records {
      guard let old = write.old, !write.key.collection.isReserved else { continue }
      var replaced = replacedFields(old, write.new, at: timestamp)
      if restoresOthers(old, write.new) {
        replaced.append((Engine.deletion, ReplacedValue(value: .bool(false), isOwn: false)))
      }
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

  /// In place of a field's name: that the record was deleted, by others.
  static let deletion = FieldName("")

  /// Whether a write brings back what others deleted.
  private func restoresOthers(_ old: PackedRecord, _ new: PackedRecord) -> Bool {
    guard let life = old.life, !life.isAlive, new.life?.isAlive == true else { return false }
    let author = life.timestamp.replica
    return author != header.replica && !proxies.contains(author)
  }

  private func replacedFields(
    _ old: PackedRecord, _ new: PackedRecord, at timestamp: Timestamp
  ) -> [(FieldName, ReplacedValue)] {
    var written: [ArraySlice<UInt8>: PackedRegister] = [:]
    for register in new.registers
    where register.precedence.timestamp == timestamp && RegisterAddress.isPlain(new.bytes, register.address) {
      written[new.bytes[register.address]] = register
    }
    return old.registers.compactMap { register in
      let author = register.precedence.timestamp.replica
      guard let newer = written[old.bytes[register.address]], !proxies.contains(author),
        author != header.replica || register.precedence.timestamp.time <= session.givenThrough,
        old.valueBytes(of: register) != new.valueBytes(of: newer)
      else { return nil }
      let value = ReplacedValue(value: old.value(of: register), isOwn: author == header.replica)
      return (old.address(of: register).field, value)
    }
  }

  private static func text(of values: [FieldName: [ReplacedValue]]) -> String {
    JSON.object(
      values.sorted { $0.key < $1.key }.map { field, values in
        JSON.Member(field.text, .array(values.map { [.bool($0.isOwn), $0.value.json] }))
      }
    ).text()
  }

  /// Reads what was kept; what somebody has damaged counts as nothing.
  static func values(in text: String) -> [FieldName: [ReplacedValue]] {
    guard case .object(let members)? = try? JSON(parsing: text) else { return [:] }
    var values: [FieldName: [ReplacedValue]] = [:]
    for member in members {
      guard case .array(let elements) = member.value else { continue }
      values[FieldName(member.name)] = elements.compactMap { element in
        guard case .array(let parts) = element, parts.count == 2, case .bool(let isOwn) = parts[0],
          let value = try? Value(json: parts[1])
        else { return nil }
        return ReplacedValue(value: value, isOwn: isOwn)
      }
    }
    return values
  }
}

extension ServerTransaction {
  /// The values of a field that this device has replaced since the record was last in step with the server.
  package func replacedValues(of field: FieldName, at key: RecordKey) throws -> [ReplacedValue] {
    guard let text = try kept(Engine.replacedKey(key)) else { return [] }
    return Engine.values(in: text)[field] ?? []
  }

  /// Whether this device has brought a record back that others had deleted, since it was last in step with the server.
  package func hasRestoredOthers(_ key: RecordKey) throws -> Bool {
    try !replacedValues(of: Engine.deletion, at: key).isEmpty
  }

  /// Forgets what was replaced in a record.
  package mutating func forgetReplaced(at key: RecordKey) throws {
    try keep(nil, under: Engine.replacedKey(key))
  }
}
