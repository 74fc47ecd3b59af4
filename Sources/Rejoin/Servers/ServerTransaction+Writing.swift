package import RejoinCore

/// What a server said of one record: what it changed there since this device last heard of it.
package struct ServerWrite: Sendable {
  /// The record.
  package var key: RecordKey
  /// Whether the record exists there.
  package var isAlive: Bool
  /// The values that the server changed.
  package var fields: [FieldName: Value]
  /// The id under which the server knows it, where that is another than the record's.
  package var serverID: String?
  /// When it did, in milliseconds since the Unix epoch; nil where it does not say, which counts as now; 0 for a time no
  /// later than that of what is replaced needs.
  package var milliseconds: Int64?
  /// Fields whose local values the server had not seen: what gives way of them enters the conflict ledger.
  package var concurrent: Set<FieldName>
  /// Local values that stay although the server has others; what it has enters the ledger.
  package var refused: [FieldName: Value]

  /// Describes what a server said.
  package init(
    key: RecordKey, isAlive: Bool, fields: [FieldName: Value], serverID: String? = nil, milliseconds: Int64?,
    concurrent: Set<FieldName> = [], refused: [FieldName: Value] = [:]
  ) {
    self.key = key
    self.isAlive = isAlive
    self.fields = fields
    self.serverID = serverID
    self.milliseconds = milliseconds
    self.concurrent = concurrent
    self.refused = refused
  }
}

extension ServerTransaction {
  /// Writes down what the server said of a record, above everything that it replaces.
  ///
  /// The time is the server's, but never after the wall clock, and always after the registers that are replaced: a
  /// newer value of the server is not hidden by an older edit that it has acknowledged, whatever the clock of that
  /// edit's device said.
  package mutating func write(_ write: ServerWrite) throws {
    try self.write(write, over: record(write.key))
  }

  /// Writes it down over what the record was found to be in this transaction.
  package mutating func write(_ write: ServerWrite, over record: ServedRecord?) throws {
    // A tombstone of a record that was never here leaves nothing to write.
    guard record != nil || write.isAlive else { return }
    let begins = record == nil || record?.isAlive != write.isAlive
    let names = write.serverID.map { record?.serverIDs[Array(server.utf8)] != $0 } ?? false
    guard begins || names || !write.fields.isEmpty || !write.refused.isEmpty else { return }
    let replaced = write.fields.keys.compactMap { record?.fields[$0]?.precedence.timestamp.time }
    let timestamp = proxy.timestamp(notBefore: time(write.milliseconds), after: replaced.max() ?? .zero)
    var life = record?.life
    if let record, begins {
      let count = record.life?.count ?? 1
      guard count < Limits.lives else { throw ReplicaError.tooManyLives(write.key) }
      life = Life(count: count + 1, timestamp: timestamp)
    }
    var writes = registers(of: write, over: record, life: life, at: timestamp)
    if names, let id = write.serverID {
      writes.append(
        RegisterWrite(
          address: RegisterAddress(FieldName(""), kind: RegisterKind.serverID, element: Array(server.utf8)),
          value: .string(id), precedence: Precedence(life: 0, timestamp: timestamp)))
    }
    noteLosers(of: write, over: record, deletion: life.flatMap { begins && !$0.isAlive ? $0 : nil }, writes)
    guard !writes.isEmpty || life != record?.life else { return }
    put(RecordPacker.fragment(life: life, writes: writes), at: write.key, over: record?.packed)
  }

  /// Writes down a log entry that the server has; one that is there already stays as it is.
  package mutating func append(_ values: ValueMap, at key: EntryKey, milliseconds: Int64?) throws {
    guard try entry(key) == nil else { return }
    let timestamp = proxy.timestamp(notBefore: time(milliseconds), after: .zero)
    entries[key] = LogEntry(try values.validated(), timestamp: timestamp)
  }

  /// The server's time, capped at the wall clock.
  private func time(_ milliseconds: Int64?) -> HybridTime {
    HybridTime(milliseconds: max(0, min(milliseconds ?? wallMilliseconds, wallMilliseconds)))
  }

  /// The registers of a write; each keeps the rank of the one that it replaces, so that the time decides.
  private func registers(
    of write: ServerWrite, over record: ServedRecord?, life: Life?, at timestamp: Timestamp
  ) -> [RegisterWrite] {
    guard write.isAlive else { return [] }
    func precedence(_ field: FieldName) -> Precedence {
      Precedence(
        life: life?.count ?? 1, rank: record?.fields[field]?.precedence.rank ?? 0, timestamp: timestamp)
    }
    guard !write.fields.isEmpty || record != nil && record?.isAlive == true else {
      let existence = RegisterAddress.existence
      return [RegisterWrite(address: existence, value: .bool(true), precedence: precedence(existence.field))]
    }
    return write.fields.map {
      RegisterWrite(address: RegisterAddress($0.key), value: $0.value, precedence: precedence($0.key))
    }
  }

  /// Local values that the server had not seen and that give way, and values of the server that give way to local ones.
  private mutating func noteLosers(
    of write: ServerWrite, over record: ServedRecord?, deletion: Life?, _ writes: [RegisterWrite]
  ) {
    guard let record else { return }
    func note(_ field: FieldName, winner: Conflict.Side, loser: Conflict.Side) {
      conflicts.append(
        Conflict(record: write.key, address: RegisterAddress(field), winner: winner, loser: loser))
    }
    for field in write.concurrent.sorted() {
      guard let local = record.fields[field] else { continue }
      if let deletion {
        note(field, winner: .life(deletion), loser: .register(local))
      } else if let new = writes.first(where: { $0.address == RegisterAddress(field) }) {
        note(
          field, winner: .register(LWWRegister(new.value, precedence: new.precedence)),
          loser: .register(local))
      }
    }
    for (field, value) in write.refused.sorted(by: { $0.key < $1.key }) {
      guard let local = record.fields[field] else { continue }
      let precedence = Precedence(
        life: local.precedence.life, rank: local.precedence.rank,
        timestamp: Timestamp(time: proxy.lastTime, replica: proxy.id))
      note(
        field, winner: .register(local), loser: .register(LWWRegister(value, precedence: precedence)))
    }
  }

  /// Joins a fragment with what is stored, by the same rules as a merge; what gives way was noted before.
  mutating func put(_ fragment: PackedRecord, at key: RecordKey, over stored: PackedRecord?) {
    guard let stored else {
      pending[key] = fragment
      return order.append((key, nil))
    }
    var rules = MergeRules(localWritesOver: engine.vector)
    rules.overwritesTies = false
    let merged = RecordMerger(fragment, into: stored, key: key, rules: rules).result
    if pending.updateValue(merged, forKey: key) == nil { order.append((key, stored)) }
  }
}
