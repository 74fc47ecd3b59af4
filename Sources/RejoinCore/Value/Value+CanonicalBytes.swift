/// The first byte of a value's canonical bytes.
///
/// See <doc:WireFormat>.
enum ValueTag {
  static let null: UInt8 = 0x00
  static let no: UInt8 = 0x01
  static let yes: UInt8 = 0x02
  static let int: UInt8 = 0x03
  static let double: UInt8 = 0x04
  static let string: UInt8 = 0x05
  static let data: UInt8 = 0x06
  static let time: UInt8 = 0x07
  static let record: UInt8 = 0x08
  static let array: UInt8 = 0x09
  static let map: UInt8 = 0x0a
  /// Kinds of newer versions: the count of the bytes that follow, then the bytes.
  static let unknown: ClosedRange<UInt8> = 0x10...0x3f
  /// Whole numbers of 0 to 63, in the tag itself.
  static let smallInt: ClosedRange<UInt8> = 0x40...0x7f
  /// Strings of 0 to 63 bytes, whose count is in the tag itself.
  static let shortString: ClosedRange<UInt8> = 0x80...0xbf
}

extension Value {
  /// The one byte form of this value: equal values have equal bytes.
  package var canonicalBytes: [UInt8] {
    var writer = ByteWriter()
    writeCanonicalBytes(to: &writer)
    return writer.bytes
  }

  /// Appends the canonical bytes.
  package func writeCanonicalBytes(to writer: inout ByteWriter) {
    switch self {
    case .null: writer.write(ValueTag.null)
    case .bool(let flag): writer.write(flag ? ValueTag.yes : ValueTag.no)
    case .int(let number) where 0...63 ~= number:
      writer.write(ValueTag.smallInt.lowerBound + UInt8(number))
    case .int(let number):
      writer.write(ValueTag.int)
      writer.write(zigzag: number)
    case .double(let number):
      writer.write(ValueTag.double)
      writer.write(bigEndian: number.isNaN ? Double.nan.bitPattern : number.bitPattern)
    case .string(let text):
      var text = text
      text.makeContiguousUTF8()
      let count = text.utf8.count
      if count <= 63 {
        writer.write(ValueTag.shortString.lowerBound + UInt8(count))
      } else {
        writer.write(ValueTag.string)
        writer.write(count: count)
      }
      writer.write(text.utf8)
    case .data(let bytes):
      writer.write(ValueTag.data)
      writer.write(counted: bytes)
    case .time(let milliseconds):
      writer.write(ValueTag.time)
      writer.write(zigzag: milliseconds)
    case .record(let id):
      writer.write(ValueTag.record)
      writer.write(bigEndian: id.high)
      writer.write(bigEndian: id.low)
    case .array(let elements):
      writer.write(ValueTag.array)
      writer.write(count: elements.count)
      for element in elements { element.writeCanonicalBytes(to: &writer) }
    case .map(let map):
      writer.write(ValueTag.map)
      writer.write(count: map.entries.count)
      for entry in map.entries {
        writer.write(counted: entry.name.utf8)
        entry.value.writeCanonicalBytes(to: &writer)
      }
    case .unknown(let kind, let bytes):
      writer.write(kind)
      writer.write(counted: bytes)
    }
  }

  /// Reads a value that fills `range` of `bytes`.
  package init(canonicalBytes bytes: [UInt8], in range: Range<Int>) throws(CodingError) {
    var reader = ByteReader(bytes, in: range)
    self = try Value.read(from: &reader, depth: 0)
    guard reader.isAtEnd else { throw .malformed("value", offset: reader.position) }
  }

  /// Reads a value that fills `bytes`.
  package init(canonicalBytes bytes: [UInt8]) throws(CodingError) {
    try self.init(canonicalBytes: bytes, in: 0..<bytes.count)
  }

  /// Reads the value that comes next.
  static func read(from reader: inout ByteReader, depth: Int) throws(CodingError) -> Value {
    let offset = reader.position
    let tag = try reader.readByte()
    switch tag {
    case ValueTag.null: return .null
    case ValueTag.no: return .bool(false)
    case ValueTag.yes: return .bool(true)
    case ValueTag.smallInt: return .int(Int64(tag - ValueTag.smallInt.lowerBound))
    case ValueTag.int: return .int(try reader.readLargeInt(at: offset))
    case ValueTag.double: return .double(try reader.readDouble(at: offset))
    case ValueTag.shortString:
      return .string(try readText(from: &reader, count: Int(tag - ValueTag.shortString.lowerBound)))
    case ValueTag.string:
      return .string(try readText(from: &reader, count: reader.readLongCount(at: offset)))
    case ValueTag.data: return .data(Array(reader.bytes[try reader.readCountedRange(of: "value")]))
    case ValueTag.time: return .time(try reader.readZigzag())
    case ValueTag.record:
      let high = try reader.readBigEndian()
      return .record(RecordID(high: high, low: try reader.readBigEndian()))
    case ValueTag.array: return .array(try readArray(from: &reader, depth: depth))
    case ValueTag.map: return .map(try readMap(from: &reader, depth: depth))
    case ValueTag.unknown:
      return .unknown(kind: tag, bytes: Array(reader.bytes[try reader.readCountedRange(of: "value")]))
    default: throw .malformed("value", offset: offset)
    }
  }

  private static func readText(from reader: inout ByteReader, count: Int) throws(CodingError) -> String {
    let range = try reader.readRange(count: count)
    guard let text = String(utf8: reader.bytes[range]) else {
      throw .malformed("value", offset: range.lowerBound)
    }
    return text
  }

  private static func readArray(from reader: inout ByteReader, depth: Int) throws(CodingError) -> [Value] {
    var elements: [Value] = []
    for _ in 0..<(try reader.readElementCount(depth: depth, eachAtLeast: 1)) {
      elements.append(try read(from: &reader, depth: depth + 1))
    }
    return elements
  }

  private static func readMap(from reader: inout ByteReader, depth: Int) throws(CodingError) -> ValueMap {
    var entries: [(name: String, value: Value)] = []
    for _ in 0..<(try reader.readElementCount(depth: depth, eachAtLeast: 2)) {
      let offset = reader.position
      let name = try reader.readText(of: "value", limit: Limits.valueBytes)
      guard entries.last.map({ $0.name.utf8.lexicographicallyPrecedes(name.utf8) }) ?? true else {
        throw .malformed("value", offset: offset)
      }
      entries.append((name, try read(from: &reader, depth: depth + 1)))
    }
    return ValueMap(sorted: entries)
  }
}
