extension FragmentShape {
  /// Reads a definition and checks that registers are in order and that every timestamp is used.
  ///
  /// `used` counts the addresses that were named so far: they come in order of first use.
  init(
    from reader: inout ByteReader, addresses: [Range<Int>], used usedAddresses: inout Int
  ) throws(CodingError) {
    let offset = reader.position
    let head = try reader.readVarint()
    guard head >> 1 <= UInt64(Limits.registersPerRecord + 1), head >> 1 > 0 else {
      throw .malformed("shape", offset: offset)
    }
    timestampCount = Int(head >> 1)
    var used = Set<Int>()
    if head & 1 != 0 {
      let count = try reader.readVarint()
      let timestamp = try reader.readIndex(into: "shape", count: timestampCount)
      guard count > 1 else { throw .malformed("life", offset: offset) }
      guard count <= Limits.lives else { throw .overLimit("lives of a record", limit: Int(Limits.lives)) }
      life = Life(count: count, timestamp: timestamp)
      used.insert(timestamp)
    }
    let count = try reader.readCount(of: "shape", eachAtLeast: 2)
    guard count <= Limits.registersPerRecord else {
      throw .overLimit("registers of a record", limit: Limits.registersPerRecord)
    }
    registers = []
    registers.reserveCapacity(count)
    for _ in 0..<count {
      let register = try Register(
        from: &reader, addressCount: min(usedAddresses + 1, addresses.count), timestampCount: timestampCount)
      usedAddresses = max(usedAddresses, register.address + 1)
      if let last = registers.last {
        let order = RecordMerger.compare(
          reader.bytes, addresses[last.address], reader.bytes, addresses[register.address])
        guard order < 0 || order == 0 && last.precedes(register) else {
          throw .malformed("order of registers", offset: offset)
        }
      }
      guard register.life % 2 == 1, register.life <= life?.count ?? 1 else {
        throw .malformed("life of a register", offset: offset)
      }
      used.insert(register.timestamp)
      registers.append(register)
    }
    guard used.count == timestampCount else { throw .malformed("shape", offset: offset) }
  }
}

extension FragmentShape.Register {
  init(from reader: inout ByteReader, addressCount: Int, timestampCount: Int) throws(CodingError) {
    address = try reader.readIndex(into: "fields", count: addressCount)
    let offset = reader.position
    let head = try reader.readVarint()
    guard head >> 2 < UInt64(timestampCount) else { throw .malformed("shape", offset: offset) }
    timestamp = Int(head >> 2)
    life = head & 1 == 0 ? 1 : try reader.readVarint()
    rank = head & 2 == 0 ? 0 : try reader.readVarint()
    guard life > 0, head & 1 == 0 || life != 1, head & 2 == 0 || rank != 0 else {
      throw .malformed("shape", offset: offset)
    }
  }

  /// Order of precedence; timestamps ascend, so their indices do.
  func precedes(_ other: FragmentShape.Register) -> Bool {
    (life, rank, timestamp) < (other.life, other.rank, other.timestamp)
  }
}
