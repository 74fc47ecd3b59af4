package import RejoinCore

/// A device's write that gave way to another device's word for a server, by a direct merge.
///
/// What one device learns from a server it writes above everything that it has, so that nothing which the server knew
/// hides it. It cannot tell what others have not sent yet: that is for those who wrote it, or send it. So a replica that
/// exchanges with a server keeps such writes until its adapter has looked at them.
package struct HiddenWrite: Sendable {
  /// The record.
  package var record: RecordKey
  /// The field.
  package var field: FieldName
  /// What was written.
  package var value: Value
  /// When and by whom.
  package var timestamp: Timestamp

  static let space = "hidden"

  /// The count of the name's bytes, the collection's name, the 16 bytes of the id, the field's name.
  var key: LocalKey {
    let collection = Array(record.collection.text.utf8)
    return LocalKey(
      HiddenWrite.space,
      [UInt8(collection.count)] + collection + record.id.bytes + Array(field.text.utf8))
  }

  var text: String {
    JSON.object([JSON.Member("at", .string(timestamp.description)), JSON.Member("value", value.json)]).text()
  }

  init(record: RecordKey, field: FieldName, value: Value, timestamp: Timestamp) {
    self.record = record
    self.field = field
    self.value = value
    self.timestamp = timestamp
  }

  /// Reads what was kept; nil where somebody has damaged it.
  init?(key: [UInt8], text: String) {
    guard let length = key.first.map({ Int($0) }), key.count >= 1 + length + 16,
      let collection = String(validating: key[1..<1 + length], as: UTF8.self),
      let id = RecordID(bytes: key[(1 + length)..<(17 + length)]),
      let field = String(validating: key[(17 + length)...], as: UTF8.self),
      let json = try? JSON(parsing: text), case .string(let at)? = json["at"],
      let timestamp = Timestamp(at), let kept = json["value"], let value = try? Value(json: kept)
    else { return nil }
    self.init(
      record: RecordKey(Collection(collection), id), field: FieldName(field), value: value,
      timestamp: timestamp)
  }
}

extension HiddenWrite {
  /// What an entry of the ledger says of a write that gave way to a server's word somewhere else.
  ///
  /// A gateway sends the writes of devices that never reach the server, and hears of those that were hidden before they
  /// came to it from the ledger only.
  init?(_ key: EntryKey, _ entry: LogEntry) {
    guard key.log == .conflicts, let conflict = LedgerEntry(entry, id: key.id),
      case .register(let loser) = conflict.loser, !loser.precedence.timestamp.replica.isProxy,
      case .register(let winner) = conflict.winner, winner.replica.isProxy,
      let address = conflict.address, address.kind == 0, address != .existence
    else { return nil }
    self.init(
      record: conflict.record, field: address.field, value: loser.value,
      timestamp: loser.precedence.timestamp)
  }
}

extension Engine {
  /// Keeps a hidden write, unless a later one of its place is kept.
  func keep(_ write: HiddenWrite, in commit: inout StoreCommit) throws {
    let key = write.key
    let place = commit.local.firstIndex { $0.key == key }
    let text = try place.map { commit.local[$0].text } ?? store.local(key)
    let kept = text.flatMap { HiddenWrite(key: key.key, text: $0) }
    guard kept.map({ $0.timestamp < write.timestamp }) ?? true else { return }
    if let place { commit.local.remove(at: place) }
    commit.local.append(LocalWrite(key, write.text))
  }

  /// The plain values in force that give way to a server's word in a fragment that comes in.
  func hidden(
    by incoming: PackedRecord, in stored: PackedRecord?, at key: RecordKey, latestAcceptable: HybridTime
  ) -> [HiddenWrite] {
    guard let stored, incoming.timestamps.contains(where: \.replica.isProxy) else { return [] }
    var held: [ArraySlice<UInt8>: PackedRegister] = [:]
    for register in stored.registers
    where !register.isFuture && !register.precedence.timestamp.replica.isProxy
      && RegisterAddress.isPlain(stored.bytes, register.address)
    {
      held[stored.bytes[register.address]] = register
    }
    guard !held.isEmpty else { return [] }
    return incoming.registers.compactMap { register in
      guard register.precedence.timestamp.replica.isProxy,
        register.precedence.timestamp.time <= latestAcceptable,
        let old = held[incoming.bytes[register.address]], old.precedence.life == register.precedence.life,
        old.precedence < register.precedence,
        stored.valueBytes(of: old) != incoming.valueBytes(of: register)
      else { return nil }
      let field = stored.address(of: old).field
      guard field != RegisterAddress.existence.field else { return nil }
      return HiddenWrite(
        record: key, field: field, value: stored.value(of: old), timestamp: old.precedence.timestamp)
    }
  }
}

extension ServerTransaction {
  /// The writes that gave way to another device's word for a server, and that no adapter has looked at.
  package func hiddenWrites() throws -> [HiddenWrite] {
    var writes: [HiddenWrite] = []
    try forEachKept(in: HiddenWrite.space) { key, text in
      if let write = HiddenWrite(key: key, text: text) { writes.append(write) }
      return true
    }
    return writes
  }

  /// Whether a server's word stands where the write stood, and says something else.
  package func isHidden(_ write: HiddenWrite) throws -> Bool {
    guard let record = try record(write.record), record.isAlive, let register = record.fields[write.field]
    else { return false }
    return register.precedence.timestamp.replica.isProxy && register.value != write.value
  }

  /// Forgets a write that was hidden.
  package mutating func forget(_ write: HiddenWrite) throws { try keep(nil, under: write.key) }

  /// Writes a hidden value once more, under this replica's own id and above what hides it.
  ///
  /// - Returns: the time of the new write; nil where something else hides the value, or the record is deleted.
  package mutating func writeAgain(_ write: HiddenWrite) throws -> HybridTime? {
    guard let record = try record(write.record), record.isAlive,
      let register = record.fields[write.field], register.precedence.timestamp.replica.isProxy
    else { return nil }
    let time = ownTime ?? clock.tick(wallMilliseconds: wallMilliseconds)
    ownTime = time
    let precedence = Precedence(
      life: register.precedence.life, rank: register.precedence.rank,
      timestamp: Timestamp(time: time, replica: replica))
    let rewritten = RegisterWrite(
      address: RegisterAddress(write.field), value: write.value, precedence: precedence)
    put(RecordPacker.fragment(life: record.life, writes: [rewritten]), at: write.record, over: record.packed)
    return time
  }
}
