/// Checking values without building them: a byte can stand for an element that takes dozens in memory.
extension Value {
  /// Skips the value that comes next, after every check that ``read(from:depth:)`` makes.
  ///
  /// It allocates nothing that stays, and at no time more than the longest text takes.
  static func skip(in reader: inout ByteReader, depth: Int = 0) throws(CodingError) {
    let offset = reader.position
    let tag = try reader.readByte()
    switch tag {
    case ValueTag.null, ValueTag.no, ValueTag.yes, ValueTag.smallInt: break
    case ValueTag.int: _ = try reader.readLargeInt(at: offset)
    case ValueTag.double: _ = try reader.readDouble(at: offset)
    case ValueTag.shortString:
      _ = try reader.skipText(of: "value", count: Int(tag - ValueTag.shortString.lowerBound))
    case ValueTag.string: _ = try reader.skipText(of: "value", count: reader.readLongCount(at: offset))
    case ValueTag.data, ValueTag.unknown: _ = try reader.readCountedRange(of: "value")
    case ValueTag.time: _ = try reader.readZigzag()
    case ValueTag.record: _ = (try reader.readBigEndian(), try reader.readBigEndian())
    case ValueTag.array:
      for _ in 0..<(try reader.readElementCount(depth: depth, eachAtLeast: 1)) {
        try skip(in: &reader, depth: depth + 1)
      }
    case ValueTag.map: try skipMap(in: &reader, depth: depth)
    default: throw .malformed("value", offset: offset)
    }
  }

  private static func skipMap(in reader: inout ByteReader, depth: Int) throws(CodingError) {
    var last: Range<Int>?
    for _ in 0..<(try reader.readElementCount(depth: depth, eachAtLeast: 2)) {
      let offset = reader.position
      let count = try reader.readCount(of: "value")
      guard count <= Limits.valueBytes else { throw .overLimit("value", limit: Limits.valueBytes) }
      let name = try reader.skipText(of: "value", count: count)
      if let last, RecordMerger.compare(reader.bytes, last, reader.bytes, name) >= 0 {
        throw .malformed("value", offset: offset)
      }
      last = name
      try skip(in: &reader, depth: depth + 1)
    }
  }

  /// Checks that `range` of `bytes` holds one value and nothing else.
  package static func validate(_ bytes: [UInt8], in range: Range<Int>) throws(CodingError) {
    var reader = ByteReader(bytes, in: range)
    try skip(in: &reader)
    guard reader.isAtEnd else { throw .malformed("value", offset: reader.position) }
  }
}

/// The parts of values whose bytes have rules of their own; `offset` is where the value begins.
extension ByteReader {
  /// Reads a whole number that does not fit into the tag.
  mutating func readLargeInt(at offset: Int) throws(CodingError) -> Int64 {
    let number = try readZigzag()
    guard !(0...63 ~= number) else { throw .malformed("value", offset: offset) }
    return number
  }

  /// Reads a floating-point number, of the NaNs only one.
  mutating func readDouble(at offset: Int) throws(CodingError) -> Double {
    let number = Double(bitPattern: try readBigEndian())
    guard !number.isNaN || number.bitPattern == Double.nan.bitPattern else {
      throw .malformed("value", offset: offset)
    }
    return number
  }

  /// Reads the count of a text that is too long to have it in the tag.
  mutating func readLongCount(at offset: Int) throws(CodingError) -> Int {
    let count = try readCount(of: "value")
    guard count > 63 else { throw .malformed("value", offset: offset) }
    return count
  }

  /// Reads how many elements an array or map has that stands `depth` deep.
  mutating func readElementCount(depth: Int, eachAtLeast size: Int) throws(CodingError) -> Int {
    guard depth < Limits.valueDepth else { throw .overLimit("depth of a value", limit: Limits.valueDepth) }
    let count = try readCount(of: "value", eachAtLeast: size)
    guard count <= Limits.valueElements else {
      throw .overLimit("elements of a value", limit: Limits.valueElements)
    }
    return count
  }
}
