extension Delta {
  /// Reads the binary form; throws a `CodingError` when it is damaged, foreign or of a newer version.
  ///
  /// No length, count or depth is trusted, and nothing is kept of a delta that cannot be read whole.
  /// - Complexity: O(n log n) in the number of registers.
  public init(decoding bytes: [UInt8]) throws(CodingError) {
    try self.init(decoding: bytes, checksChecksum: true)
  }

  /// As above; a fuzzer leaves the checksum out, or it would try nothing else.
  package init(decoding bytes: [UInt8], checksChecksum: Bool) throws(CodingError) {
    guard bytes.count <= Limits.deltaBytes else {
      throw .overLimit("bytes of a delta", limit: Limits.deltaBytes)
    }
    var decoder = DeltaDecoder(bytes)
    self = try decoder.decode(checksChecksum: checksChecksum)
  }
}

/// Reads a delta: dictionaries first, then column by column, then the fragments are put together.
private struct DeltaDecoder {
  private var reader: ByteReader
  private var replicas: [ReplicaID] = []
  private var isReplicaUsed: [Bool] = []
  private var throughTimes: [HybridTime] = []
  private var from = VersionVector()
  private var through = VersionVector()

  init(_ bytes: [UInt8]) {
    reader = ByteReader(bytes)
  }

  mutating func decode(checksChecksum: Bool) throws(CodingError) -> Delta {
    let dataset = try readPreamble(checksChecksum: checksChecksum)
    try readVectors()
    let records = try readRecords()
    let entries = try readEntries()
    guard reader.isAtEnd, !isReplicaUsed.contains(false) else {
      throw .malformed("delta", offset: reader.position)
    }
    return Delta(dataset: dataset, from: from, through: through, records: records, entries: entries)
  }

  private mutating func readPreamble(checksChecksum: Bool) throws(CodingError) -> DatasetID {
    let bytes = reader.bytes
    for expected in DeltaFormat.mark {
      guard !reader.isAtEnd else { throw .truncated(offset: reader.position) }
      guard try reader.readByte() == expected else { throw .notADelta }
    }
    let format = try reader.readVarint()
    guard format <= UInt64(DeltaFormat.supported.upperBound) else {
      throw .upgradeRequired(format: Int(clamping: format), supported: DeltaFormat.supported)
    }
    guard format >= UInt64(DeltaFormat.supported.lowerBound) else { throw .malformed("format", offset: 2) }
    let end = bytes.count - DeltaFormat.checksumBytes
    guard end >= reader.position else { throw .truncated(offset: bytes.count) }
    if checksChecksum {
      var tail = ByteReader(bytes, in: end..<bytes.count)
      guard try tail.readBigEndian() == DeltaFormat.checksum(bytes[..<end]) else { throw .checksumMismatch }
    }
    reader = ByteReader(bytes, in: reader.position..<end)
    guard try reader.readVarint() & ~DeltaFormat.knownFeatures == 0 else {
      throw .upgradeRequired(format: Int(format), supported: DeltaFormat.supported)
    }
    let high = try reader.readBigEndian()
    return DatasetID(high: high, low: try reader.readBigEndian())
  }

  private mutating func readVectors() throws(CodingError) {
    let count = try reader.readCount(of: "replicas", eachAtLeast: 9)
    replicas.reserveCapacity(count)
    var fromPairs: [(ReplicaID, HybridTime)] = []
    var throughPairs: [(ReplicaID, HybridTime)] = []
    for _ in 0..<count {
      let offset = reader.position
      let id = ReplicaID(rawValue: try reader.readBigEndian())
      let flags = try reader.readByte()
      let throughTime = HybridTime(rawValue: flags & 1 != 0 ? try reader.readBigEndian() : 0)
      let fromTime =
        flags & 2 != 0 ? throughTime : HybridTime(rawValue: flags & 4 != 0 ? try reader.readBigEndian() : 0)
      guard replicas.last.map({ $0 < id }) ?? true,
        flags == DeltaFormat.flags(from: fromTime, through: throughTime),
        max(fromTime, throughTime).milliseconds <= Limits.wallMilliseconds
      else { throw .malformed("replicas", offset: offset) }
      replicas.append(id)
      throughTimes.append(throughTime)
      isReplicaUsed.append(flags != DeltaFormat.flags(from: .zero, through: .zero))
      fromPairs.append((id, fromTime))
      throughPairs.append((id, throughTime))
    }
    from = VersionVector(fromPairs)
    through = VersionVector(throughPairs)
  }

  // MARK: Records

  private mutating func readRecords() throws(CodingError) -> [Delta.RecordPart] {
    let count = try reader.readCount(of: "records", eachAtLeast: 18)
    guard count > 0 else { return [] }
    let collections = try readNames(count: count, of: "collection").map { Collection($0) }
    let ids = try readIdentifiers(count: count, as: RecordID.self)
    let addresses = try readAddresses()
    let shapes = try readShapes(count: count, addresses: addresses)
    let timestamps = try readTimestamps(counts: shapes.map(\.timestampCount))
    var columns: [ByteReader] = []
    for _ in addresses {
      columns.append(ByteReader(reader.bytes, in: try reader.readCountedRange(of: "values")))
    }
    var records: [Delta.RecordPart] = []
    records.reserveCapacity(count)
    for index in 0..<count {
      let fragment = try assemble(
        shapes[index], timestamps: timestamps[index], addresses: addresses, columns: &columns)
      records.append(Delta.RecordPart(key: RecordKey(collections[index], ids[index]), fragment: fragment))
    }
    for column in columns where !column.isAtEnd { throw .malformed("values", offset: column.position) }
    guard Set(records.map(\.key)).count == count, zip(records, records.dropFirst()).allSatisfy({ $0 < $1 })
    else { throw .malformed("order of records", offset: reader.position) }
    return records
  }

  private mutating func readAddresses() throws(CodingError) -> [Range<Int>] {
    var addresses: [Range<Int>] = []
    for _ in 0..<(try reader.readCount(of: "fields")) {
      let start = reader.position
      let range = try RegisterAddress.skip(in: &reader)
      _ = try RegisterAddress(packed: reader.bytes, in: range)
      guard range.count <= Limits.nameBytes * 2 else { throw .malformed("field", offset: start) }
      addresses.append(range)
    }
    guard Set(addresses.map { reader.bytes[$0] }).count == addresses.count else {
      throw .malformed("fields", offset: reader.position)
    }
    return addresses
  }

  /// The shape column, then the definitions of the shapes that it calls new.
  private mutating func readShapes(
    count: Int, addresses: [Range<Int>]
  ) throws(CodingError) -> [FragmentShape] {
    var indices: [Int] = []
    indices.reserveCapacity(count)
    var known = 0
    for _ in 0..<count {
      let reference = try reader.readIndex(into: "shapes", count: known + 1)
      if reference == 0 { known += 1 }
      indices.append(reference == 0 ? known - 1 : reference - 1)
    }
    var shapes: [FragmentShape] = []
    var usedAddresses = 0
    for _ in 0..<known {
      shapes.append(try FragmentShape(from: &reader, addresses: addresses, used: &usedAddresses))
    }
    guard usedAddresses == addresses.count, Set(shapes).count == known else {
      throw .malformed("shapes", offset: reader.position)
    }
    return indices.map { shapes[$0] }
  }

  private mutating func readTimestamps(counts: [Int]) throws(CodingError) -> [[Timestamp]] {
    var first = TimeColumn()
    var times: [[HybridTime]] = []
    times.reserveCapacity(counts.count)
    for count in counts {
      var column = first
      var group: [HybridTime] = []
      for index in 0..<count {
        group.append(try column.read(from: &reader))
        if index == 0 { first = column }
      }
      times.append(group)
    }
    var timestamps: [[Timestamp]] = []
    timestamps.reserveCapacity(counts.count)
    for group in times {
      var result: [Timestamp] = []
      for time in group {
        let offset = reader.position
        let index = try reader.readIndex(into: "replicas", count: replicas.count)
        isReplicaUsed[index] = true
        let timestamp = Timestamp(time: time, replica: replicas[index])
        guard result.last.map({ $0 < timestamp }) ?? true, time > .zero, time <= throughTimes[index] else {
          throw .malformed("timestamps", offset: offset)
        }
        result.append(timestamp)
      }
      timestamps.append(result)
    }
    return timestamps
  }

  /// Puts one record's fragment together from its shape, timestamps and the columns of values.
  private func assemble(
    _ shape: FragmentShape, timestamps: [Timestamp], addresses: [Range<Int>], columns: inout [ByteReader]
  ) throws(CodingError) -> PackedRecord {
    var packer = RecordPacker(
      life: shape.life.map { Life(count: $0.count, timestamp: timestamps[$0.timestamp]) },
      sources: [reader.bytes])
    for register in shape.registers {
      let start = columns[register.address].position
      _ = try Value.read(from: &columns[register.address], depth: 0)
      let end = columns[register.address].position
      guard end - start <= Limits.valueBytes else {
        throw .overLimit("bytes of a value", limit: Limits.valueBytes)
      }
      packer.append(
        PackedRegister(
          address: addresses[register.address], value: start..<end,
          precedence: Precedence(
            life: register.life, rank: register.rank, timestamp: timestamps[register.timestamp]),
          isFuture: false),
        from: 0)
    }
    return packer.pack()
  }

  // MARK: Names and identifiers

  private mutating func readNames(count: Int, of what: String) throws(CodingError) -> [String] {
    var dictionary: [String] = []
    for _ in 0..<(try reader.readCount(of: what)) {
      let name = try reader.readText(of: what, limit: Limits.nameBytes)
      guard !name.isEmpty else { throw .malformed(what, offset: reader.position) }
      dictionary.append(name)
    }
    var names: [String] = []
    names.reserveCapacity(count)
    var used = 0
    var last: Int?
    while names.count < count {
      let offset = reader.position
      let index = try reader.readIndex(into: what, count: min(used + 1, dictionary.count))
      let run = try reader.readVarint()
      guard run > 0, run <= UInt64(count - names.count), index != last else {
        throw .malformed(what, offset: offset)
      }
      used = max(used, index + 1)
      last = index
      names.append(contentsOf: repeatElement(dictionary[index], count: Int(run)))
    }
    guard used == dictionary.count, Set(dictionary.map { Collection($0) }).count == used else {
      throw .malformed(what, offset: reader.position)
    }
    return names
  }

  private mutating func readIdentifiers<ID: Identifier>(
    count: Int, as type: ID.Type
  ) throws(CodingError) -> [ID] {
    guard count <= reader.remaining / 16 else { throw .truncated(offset: reader.position) }
    var ids: [ID] = []
    ids.reserveCapacity(count)
    for _ in 0..<count {
      let high = try reader.readBigEndian()
      ids.append(ID(high: high, low: try reader.readBigEndian()))
    }
    return ids
  }

  // MARK: Log entries

  private mutating func readEntries() throws(CodingError) -> [Delta.EntryPart] {
    let count = try reader.readCount(of: "log entries", eachAtLeast: 19)
    guard count > 0 else { return [] }
    let logs = try readNames(count: count, of: "log").map { LogName($0) }
    let ids = try readIdentifiers(count: count, as: EntryID.self)
    let timestamps = try readTimestamps(counts: Array(repeating: 1, count: count))
    var entries: [Delta.EntryPart] = []
    entries.reserveCapacity(count)
    for index in 0..<count {
      let offset = reader.position
      guard case .map(let values) = try Value.read(from: &reader, depth: 0) else {
        throw .malformed("log entry", offset: offset)
      }
      guard reader.position - offset <= Limits.valueBytes else {
        throw .overLimit("bytes of a value", limit: Limits.valueBytes)
      }
      entries.append(
        Delta.EntryPart(
          key: EntryKey(logs[index], ids[index]), entry: LogEntry(values, timestamp: timestamps[index][0])))
    }
    guard Set(entries.map(\.key)).count == count, zip(entries, entries.dropFirst()).allSatisfy({ $0 < $1 })
    else { throw .malformed("order of log entries", offset: reader.position) }
    return entries
  }
}
