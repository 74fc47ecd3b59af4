/// A register to be written: where, what, and what decides about it.
package struct RegisterWrite {
  /// Where it lives.
  package var address: RegisterAddress
  /// What it holds.
  package var value: Value
  /// What decides.
  package var precedence: Precedence

  /// Makes a write.
  package init(address: RegisterAddress, value: Value, precedence: Precedence) {
    self.address = address
    self.value = value
    self.precedence = precedence
  }
}

/// Collects the registers of a record, in order, and packs them.
package struct RecordPacker {
  /// Registers stand in one of several buffers until they are packed.
  private var sources: [[UInt8]]
  private var registers: [(source: Int, register: PackedRegister)] = []

  /// The record's entry in the tombstone set.
  package var life: Life?

  /// Starts a record whose registers stand in `sources`.
  package init(life: Life?, sources: [[UInt8]] = []) {
    self.life = life
    self.sources = sources
    registers.reserveCapacity(16)
  }

  /// Whether there is neither a life nor a register.
  package var isEmpty: Bool { life == nil && registers.isEmpty }

  /// The number of registers so far.
  package var count: Int { registers.count }

  /// Adds a register that stands in one of the sources; addresses come in order.
  @inline(__always)
  mutating func append(_ register: PackedRegister, from source: Int) {
    registers.append((source, register))
  }

  /// Packs values under one precedence, such as a transaction's writes to one record.
  package static func fragment(
    life: Life?, values: [(address: RegisterAddress, value: Value)], precedence: Precedence
  ) -> PackedRecord {
    fragment(
      life: life,
      writes: values.map { RegisterWrite(address: $0.address, value: $0.value, precedence: precedence) })
  }

  /// Packs registers, at most one of an address.
  package static func fragment(life: Life?, writes: [RegisterWrite]) -> PackedRecord {
    var scratch = ByteWriter(reserving: 32 * writes.count)
    var registers: [PackedRegister] = []
    registers.reserveCapacity(writes.count)
    for write in writes {
      let start = scratch.bytes.count
      write.address.write(to: &scratch)
      let middle = scratch.bytes.count
      write.value.writeCanonicalBytes(to: &scratch)
      registers.append(
        PackedRegister(
          address: start..<middle, value: middle..<scratch.bytes.count, precedence: write.precedence,
          isFuture: false))
    }
    let bytes = scratch.bytes
    registers.sort { RecordMerger.compare(bytes, $0.address, bytes, $1.address) < 0 }
    var packer = RecordPacker(life: life, sources: [bytes])
    for register in registers { packer.append(register, from: 0) }
    return packer.pack()
  }

  /// The packed form of what was collected.
  package func pack() -> PackedRecord {
    let timestamps = sortedTimestamps()
    var writer = ByteWriter(reserving: 16 * timestamps.count + registers.reduce(8) { $0 + $1.register.size })
    var head = UInt64(timestamps.count) << 2
    if life != nil { head |= PackedHeader.hasLife }
    if registers.contains(where: \.register.isFuture) { head |= PackedHeader.hasFuture }
    writer.write(varint: head)
    if let life {
      writer.write(varint: life.count)
      writer.write(count: RecordPacker.index(of: life.timestamp, in: timestamps))
    }
    for timestamp in timestamps {
      writer.write(bigEndian: timestamp.time.rawValue)
      writer.write(bigEndian: timestamp.replica.rawValue)
    }
    for (source, register) in registers {
      let precedence = register.precedence
      writer.write(sources[source][register.address])
      var head = UInt64(RecordPacker.index(of: precedence.timestamp, in: timestamps)) << 3
      if register.isFuture { head |= PackedHeader.future }
      if precedence.life != 1 { head |= PackedHeader.lifeFollows }
      if precedence.rank != 0 { head |= PackedHeader.rankFollows }
      writer.write(varint: head)
      if precedence.life != 1 { writer.write(varint: precedence.life) }
      if precedence.rank != 0 { writer.write(varint: precedence.rank) }
      writer.write(counted: sources[source][register.value])
    }
    return PackedRecord(trusted: writer.bytes)
  }

  private func sortedTimestamps() -> [Timestamp] {
    var timestamps = registers.map(\.register.precedence.timestamp)
    if let life { timestamps.append(life.timestamp) }
    timestamps.sort()
    var unique: [Timestamp] = []
    for timestamp in timestamps where unique.last != timestamp { unique.append(timestamp) }
    return unique
  }

  private static func index(of timestamp: Timestamp, in timestamps: [Timestamp]) -> Int {
    var low = 0
    var high = timestamps.count - 1
    while low < high {
      let middle = (low + high) / 2
      if timestamps[middle] < timestamp { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension PackedRegister {
  /// About how many bytes the register takes.
  fileprivate var size: Int { address.count + value.count + 8 }
}
