extension Delta {
  /// Reads the binary form; throws a `CodingError` when it is damaged, foreign or of a newer version.
  ///
  /// No length, count or depth is trusted, and nothing is kept of a delta that cannot be read whole. Reading
  /// takes at most 64 KiB and 16 times the bytes of memory, and the delta keeps the bytes: its records are put
  /// together one by one when they are merged.
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

extension Delta {
  /// Reads the columns of a delta whose other parts are known.
  ///
  /// The replicas that its vectors name must be those that the sender's vectors named, and `through` must cover
  /// whatever the columns hold.
  package init(
    columns bytes: [UInt8], in range: Range<Int>, dataset: DatasetID, from: VersionVector,
    through: VersionVector
  ) throws(CodingError) {
    var decoder = DeltaDecoder(bytes, columns: range, from: from, through: through)
    self = try decoder.decodeColumns(dataset: dataset)
  }
}

/// Reads a delta: preamble, vectors, then the columns of records and of log entries.
private struct DeltaDecoder {
  private var reader: ByteReader
  private var replicas = DeltaReplicas(reserving: 0)
  private var from = VersionVector()
  private var through = VersionVector()

  init(_ bytes: [UInt8]) {
    reader = ByteReader(bytes)
  }

  /// Starts at the columns.
  init(_ bytes: [UInt8], columns: Range<Int>, from: VersionVector, through: VersionVector) {
    reader = ByteReader(bytes, in: columns)
    self.from = from
    self.through = through
    for entry in from.merging(through).entries {
      replicas.append(entry.replica, through: through[entry.replica], isUsed: true)
    }
  }

  mutating func decode(checksChecksum: Bool) throws(CodingError) -> Delta {
    let dataset = try readPreamble(checksChecksum: checksChecksum)
    try readVectors()
    return try decodeColumns(dataset: dataset)
  }

  mutating func decodeColumns(dataset: DatasetID) throws(CodingError) -> Delta {
    let records = try RecordColumns(from: &reader, replicas: &replicas)
    let entries = try EntryColumns(from: &reader, replicas: &replicas)
    guard reader.isAtEnd, replicas.areAllUsed else { throw .malformed("delta", offset: reader.position) }
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
    replicas = DeltaReplicas(reserving: count)
    var last: ReplicaID?
    for _ in 0..<count {
      let offset = reader.position
      let id = ReplicaID(rawValue: try reader.readBigEndian())
      let flags = try reader.readByte()
      let throughTime = HybridTime(rawValue: flags & 1 != 0 ? try reader.readBigEndian() : 0)
      let fromTime =
        flags & 2 != 0 ? throughTime : HybridTime(rawValue: flags & 4 != 0 ? try reader.readBigEndian() : 0)
      guard last.map({ $0 < id }) ?? true,
        flags == DeltaFormat.flags(from: fromTime, through: throughTime),
        max(fromTime, throughTime).milliseconds <= Limits.wallMilliseconds
      else { throw .malformed("replicas", offset: offset) }
      last = id
      replicas.append(
        id, through: throughTime, isUsed: flags != DeltaFormat.flags(from: .zero, through: .zero))
      from.advance(id, to: fromTime)
      through.advance(id, to: throughTime)
    }
  }
}
