package import RejoinCore

/// How the log keeps an entry of the ledger: one run of bytes under an empty name.
///
/// A losing value may be as large and as deep as any value, and an entry must hold it all the same: so it stands there
/// as its canonical bytes. The wire format specifies the layout. What is the same for all losers of a record
/// that one transaction wrote stands in front.
extension LedgerEntry {
  private enum Flag {
    static let winnerIsLife: UInt8 = 1
    static let winnerIsParent: UInt8 = 2
    static let loserIsLife: UInt8 = 4
    static let known: UInt8 = 7
  }

  /// The entry as the log keeps it.
  package var logEntry: LogEntry {
    LogEntry(ValueMap([("", .data(bytes))]), timestamp: observed)
  }

  private var bytes: [UInt8] {
    var writer = ByteWriter(reserving: 96)
    writer.write(flags)
    writer.write(counted: record.collection.text.utf8)
    writer.write(record.id.bytes)
    writer.write(bigEndian: loser.timestamp.time.rawValue)
    writer.write(bigEndian: loser.timestamp.replica.rawValue)
    writer.write(bigEndian: winner.timestamp.time.rawValue)
    writer.write(bigEndian: winner.timestamp.replica.rawValue)
    switch winner {
    case .register: break
    case .life(let life): writer.write(varint: life.count)
    case .parent(let parent, let life):
      writer.write(varint: life.count)
      writer.write(counted: parent.collection.text.utf8)
      writer.write(parent.id.bytes)
    }
    switch loser {
    case .life(let life): writer.write(varint: life.count)
    case .register(let register):
      writer.write(varint: register.precedence.life)
      writer.write(varint: register.precedence.rank)
      (address ?? .existence).write(to: &writer)
      register.value.writeCanonicalBytes(to: &writer)
    }
    return writer.bytes
  }

  private var flags: UInt8 {
    var flags: UInt8 = 0
    if case .life = winner { flags |= Flag.winnerIsLife }
    if case .parent = winner { flags |= Flag.winnerIsParent }
    if case .life = loser { flags |= Flag.loserIsLife }
    return flags
  }

  /// Reads an entry; nil when it is not one that this version knows.
  ///
  /// It came from another replica, perhaps one of a later version: it is kept then, passed on, and shown to nobody.
  package init?(_ entry: LogEntry, id: EntryID) {
    guard entry.values.entries.count == 1, case .data(let bytes)? = entry.values[""] else { return nil }
    do {
      var reader = ByteReader(bytes)
      try self.init(from: &reader, id: id, observed: entry.timestamp)
    } catch {
      return nil
    }
  }

  private init(
    from reader: inout ByteReader, id: EntryID, observed: Timestamp
  ) throws(CodingError) {
    self.id = id
    self.observed = observed
    let flags = try reader.readByte()
    guard flags & ~Flag.known == 0, flags & Flag.winnerIsLife == 0 || flags & Flag.winnerIsParent == 0 else {
      throw .malformed("entry of the ledger", offset: 0)
    }
    record = try LedgerEntry.readKey(from: &reader)
    let lost = try LedgerEntry.readTimestamp(from: &reader)
    let won = try LedgerEntry.readTimestamp(from: &reader)
    if flags & Flag.winnerIsParent != 0 {
      let life = Life(count: try reader.readVarint(), timestamp: won)
      winner = .parent(try LedgerEntry.readKey(from: &reader), life)
    } else if flags & Flag.winnerIsLife != 0 {
      winner = .life(Life(count: try reader.readVarint(), timestamp: won))
    } else {
      winner = .register(won)
    }
    if flags & Flag.loserIsLife != 0 {
      loser = .life(Life(count: try reader.readVarint(), timestamp: lost))
      guard reader.isAtEnd else { throw .malformed("entry of the ledger", offset: reader.position) }
    } else {
      let life = try reader.readVarint()
      let precedence = Precedence(life: life, rank: try reader.readVarint(), timestamp: lost)
      let start = reader.position
      var rest = ByteReader(reader.bytes, in: start..<reader.end)
      let range = try RegisterAddress.skip(in: &rest)
      address = try RegisterAddress(packed: reader.bytes, in: range)
      let value = try Value(canonicalBytes: reader.bytes, in: range.upperBound..<reader.end)
      loser = .register(LWWRegister(value, precedence: precedence))
    }
  }

  /// The collection that an entry is about; nil when it is not one that this version knows.
  static func collection(of entry: LogEntry) -> Collection? {
    guard case .data(let bytes)? = entry.values[""] else { return nil }
    var reader = ByteReader(bytes)
    guard let flags = try? reader.readByte(), flags & ~Flag.known == 0 else { return nil }
    return (try? reader.readText(of: "collection", limit: Limits.nameBytes)).map { Collection($0) }
  }

  private static func readKey(from reader: inout ByteReader) throws(CodingError) -> RecordKey {
    let name = try reader.readText(of: "collection", limit: Limits.nameBytes)
    let high = try reader.readBigEndian()
    return RecordKey(Collection(name), RecordID(high: high, low: try reader.readBigEndian()))
  }

  private static func readTimestamp(from reader: inout ByteReader) throws(CodingError) -> Timestamp {
    let time = HybridTime(rawValue: try reader.readBigEndian())
    return Timestamp(time: time, replica: ReplicaID(rawValue: try reader.readBigEndian()))
  }
}
