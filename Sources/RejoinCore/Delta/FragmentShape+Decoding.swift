/// Reads the definition of a shape: first its head, then register by register.
struct FragmentShapeReader {
  /// The count of the record's life and the index of its timestamp.
  let life: FragmentShape.Life?

  /// How many timestamps the fragment has.
  let timestampCount: Int

  /// How many registers were not read yet.
  private(set) var remaining: Int

  /// Reads the definition from where it stands.
  private(set) var reader: ByteReader

  /// Reads the head of the definition that `reader` comes to next.
  init(_ start: ByteReader) throws(CodingError) {
    reader = start
    let offset = reader.position
    let head = try reader.readVarint()
    guard head >> 1 <= UInt64(reader.remaining), head >> 1 > 0 else {
      throw .malformed("shape", offset: offset)
    }
    timestampCount = Int(head >> 1)
    if head & 1 != 0 {
      let count = try reader.readVarint()
      let timestamp = try reader.readIndex(into: "shape", count: timestampCount)
      guard count > 1 else { throw .malformed("life", offset: offset) }
      guard count <= Limits.lives else { throw .overLimit("lives of a record", limit: Int(Limits.lives)) }
      life = FragmentShape.Life(count: count, timestamp: timestamp)
    } else {
      life = nil
    }
    remaining = try reader.readCount(of: "shape", eachAtLeast: 2)
  }

  /// Reads the next register; nil after the last.
  mutating func next(addressCount: Int) throws(CodingError) -> FragmentShape.Register? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    let address = try reader.readIndex(into: "fields", count: addressCount)
    let offset = reader.position
    let head = try reader.readVarint()
    guard head >> 2 < UInt64(timestampCount) else { throw .malformed("shape", offset: offset) }
    let life = head & 1 == 0 ? 1 : try reader.readVarint()
    let rank = head & 2 == 0 ? 0 : try reader.readVarint()
    guard head & 1 == 0 || life != 1, head & 2 == 0 || rank != 0 else {
      throw .malformed("shape", offset: offset)
    }
    return FragmentShape.Register(address: address, timestamp: Int(head >> 2), life: life, rank: rank)
  }
}

extension FragmentShape {
  /// Skips a definition after checking that its registers are in order and that every timestamp is used.
  ///
  /// `used` counts the addresses that were named so far: they come in order of first use.
  static func skip(
    in reader: inout ByteReader, addresses: [Range<Int>], used usedAddresses: inout Int
  ) throws(CodingError) -> Range<Int> {
    let start = reader.position
    var shape = try FragmentShapeReader(reader)
    var isUsed = [Bool](repeating: false, count: shape.timestampCount)
    if let life = shape.life { isUsed[life.timestamp] = true }
    var last: Register?
    while let register = try shape.next(addressCount: min(usedAddresses + 1, addresses.count)) {
      usedAddresses = max(usedAddresses, register.address + 1)
      if let last {
        let order = RecordMerger.compare(
          reader.bytes, addresses[last.address], reader.bytes, addresses[register.address])
        guard order < 0 || order == 0 && last.precedes(register) else {
          throw .malformed("order of registers", offset: start)
        }
      }
      let isPlain = RegisterAddress.isPlain(reader.bytes, addresses[register.address])
      guard
        PackedHeader.mayHold(
          life: register.life, rank: register.rank, isPlain: isPlain, upTo: shape.life?.count ?? 1)
      else {
        throw .malformed("life of a register", offset: start)
      }
      isUsed[register.timestamp] = true
      last = register
    }
    guard !isUsed.contains(false) else { throw .malformed("shape", offset: start) }
    reader = shape.reader
    return start..<reader.position
  }
}

extension FragmentShape.Register {
  /// Order of precedence, in which life 0 is the largest; timestamps ascend, so their indices do.
  fileprivate func precedes(_ other: FragmentShape.Register) -> Bool {
    (life &- 1, rank, timestamp) < (other.life &- 1, other.rank, other.timestamp)
  }
}
