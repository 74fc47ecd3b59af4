extension Delta {
  /// The binary form: compact and canonical, so that equal deltas have equal bytes.
  ///
  /// See <doc:WireFormat>.
  ///
  /// - Complexity: O(n log n) in the number of registers.
  public func encoded() -> [UInt8] { encodedForm().bytes }

  /// The binary form, and where its columns stand: what is between the vectors and the checksum.
  ///
  /// Two ends that both know everything else need only those; see ``init(columns:in:dataset:from:through:)``.
  package func encodedForm() -> (bytes: [UInt8], columns: Range<Int>) {
    DeltaEncoder(self).encoded()
  }
}

/// Writes a delta: dictionaries first, then column by column.
private struct DeltaEncoder {
  private let delta: Delta
  private let records: [Delta.RecordPart]
  private let entries: [Delta.EntryPart]
  private var writer: ByteWriter
  private var replicas: [ReplicaID: Int] = [:]

  init(_ delta: Delta) {
    self.delta = delta
    records = Array(delta.records)
    entries = Array(delta.entries)
    writer = ByteWriter(reserving: 256 + 64 * records.count + 64 * entries.count)
  }

  consuming func encoded() -> (bytes: [UInt8], columns: Range<Int>) {
    writer.write(DeltaFormat.mark)
    writer.write(count: DeltaFormat.supported.upperBound)
    writer.write(varint: 0)  // features
    writer.write(delta.dataset.bytes)
    let parsed = records.map(\.fragment.parts)
    writeVectors(with: parsed.flatMap(\.header.timestamps))
    let start = writer.bytes.count
    writeRecords(parsed)
    writeEntries()
    let columns = start..<writer.bytes.count
    writer.write(bigEndian: DeltaFormat.checksum(writer.bytes[...]))
    return (writer.bytes, columns)
  }

  /// Every replica that occurs, ascending, with its part of both vectors.
  private mutating func writeVectors(with timestamps: [Timestamp]) {
    var ids = Set(delta.from.entries.map(\.replica) + delta.through.entries.map(\.replica))
    for timestamp in timestamps { ids.insert(timestamp.replica) }
    for part in entries { ids.insert(part.entry.timestamp.replica) }
    let sorted = ids.sorted()
    writer.write(count: sorted.count)
    for (index, id) in sorted.enumerated() {
      replicas[id] = index
      let (from, through) = (delta.from[id], delta.through[id])
      writer.write(bigEndian: id.rawValue)
      writer.write(DeltaFormat.flags(from: from, through: through))
      if through > .zero { writer.write(bigEndian: through.rawValue) }
      if from != through && from > .zero { writer.write(bigEndian: from.rawValue) }
    }
  }

  // MARK: Records

  private mutating func writeRecords(_ parsed: [(header: PackedHeader, registers: [PackedRegister])]) {
    writer.write(count: records.count)
    guard !records.isEmpty else { return }
    writeNames(records.map(\.key.collection.text))
    for part in records {
      writer.write(bigEndian: part.key.id.high)
      writer.write(bigEndian: part.key.id.low)
    }
    var addresses: [ArraySlice<UInt8>: Int] = [:]
    var dictionary = ByteWriter()
    var columns: [ByteWriter] = []
    var shapes: [FragmentShape: Int] = [:]
    var shapeColumn = ByteWriter()
    var shapeDefinitions = ByteWriter()
    for (part, fragment) in zip(records, parsed) {
      let bytes = part.fragment.bytes
      var registers: [FragmentShape.Register] = []
      registers.reserveCapacity(fragment.registers.count)
      for register in fragment.registers {
        let address = bytes[register.address]
        let index = addresses[address] ?? addresses.count
        if index == addresses.count {
          addresses[address] = index
          dictionary.write(address)
          columns.append(ByteWriter())
        }
        columns[index].write(bytes[register.value])
        let precedence = register.precedence
        registers.append(
          FragmentShape.Register(
            address: index, timestamp: position(of: precedence.timestamp, in: fragment.header.timestamps),
            life: precedence.life, rank: precedence.rank))
      }
      let life = fragment.header.life.map {
        FragmentShape.Life(
          count: $0.count, timestamp: position(of: $0.timestamp, in: fragment.header.timestamps))
      }
      let shape = FragmentShape(
        life: life, timestampCount: fragment.header.timestamps.count, registers: registers)
      if let index = shapes[shape] {
        shapeColumn.write(count: index + 1)
      } else {
        shapes[shape] = shapes.count
        shapeColumn.write(count: 0)
        shape.write(to: &shapeDefinitions)
      }
    }
    writer.write(count: addresses.count)
    writer.write(dictionary.bytes)
    writer.write(shapeColumn.bytes)
    writer.write(shapeDefinitions.bytes)
    writeTimestamps(parsed.map(\.header.timestamps))
    for column in columns { writer.write(counted: column.bytes) }
  }

  private func position(of timestamp: Timestamp, in timestamps: [Timestamp]) -> Int {
    timestamps.firstIndex(of: timestamp) ?? 0
  }

  /// The first timestamp of each record counts from that of the record before, the others within the record.
  private mutating func writeTimestamps(_ groups: [[Timestamp]]) {
    var first = TimeColumn()
    var origins = ByteWriter()
    for group in groups {
      var column = first
      for (index, timestamp) in group.enumerated() {
        column.write(timestamp.time, to: &writer)
        if index == 0 { first = column }
        origins.write(count: replicas[timestamp.replica] ?? 0)
      }
    }
    writer.write(origins.bytes)
  }

  /// Names: a dictionary in order of first use, then runs of an index and how often it stands.
  private mutating func writeNames(_ names: [String]) {
    var indices: [Collection: Int] = [:]
    var dictionary = ByteWriter()
    var runs = ByteWriter()
    var run: (index: Int, count: Int)?
    for name in names {
      let index = indices[Collection(name)] ?? indices.count
      if index == indices.count {
        indices[Collection(name)] = index
        dictionary.write(counted: name.utf8)
      }
      if run?.index == index {
        run?.count += 1
      } else {
        if let run { runs.write(run) }
        run = (index, 1)
      }
    }
    if let run { runs.write(run) }
    writer.write(count: indices.count)
    writer.write(dictionary.bytes)
    writer.write(runs.bytes)
  }

  // MARK: Log entries

  private mutating func writeEntries() {
    writer.write(count: entries.count)
    guard !entries.isEmpty else { return }
    writeNames(entries.map(\.key.log.text))
    for part in entries {
      writer.write(bigEndian: part.key.id.high)
      writer.write(bigEndian: part.key.id.low)
    }
    writeTimestamps(entries.map { [$0.entry.timestamp] })
    for part in entries { Value.map(part.entry.values).writeCanonicalBytes(to: &writer) }
  }
}

extension ByteWriter {
  fileprivate mutating func write(_ run: (index: Int, count: Int)) {
    write(count: run.index)
    write(count: run.count)
  }
}
