/// Reads the primitives of the binary formats; never trusts a length and never reads past the end.
package struct ByteReader {
  /// What is read.
  package let bytes: [UInt8]

  /// Where the next byte stands.
  package private(set) var position: Int

  /// Where reading ends.
  package let end: Int

  /// Reads all of `bytes`.
  package init(_ bytes: [UInt8]) {
    self.init(bytes, in: 0..<bytes.count)
  }

  /// Reads a part of `bytes`; its offsets count from the start of the whole.
  package init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    self.position = range.lowerBound
    self.end = range.upperBound
  }

  /// How many bytes are left.
  package var remaining: Int { end - position }

  /// Whether nothing is left.
  package var isAtEnd: Bool { position >= end }

  /// Reads one byte.
  @inline(__always)
  package mutating func readByte() throws(CodingError) -> UInt8 {
    guard position < end else { throw .truncated(offset: position) }
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads a varint; one that is longer than it need be is malformed, so that each number has one form.
  @inline(__always)
  package mutating func readVarint() throws(CodingError) -> UInt64 {
    let first = try readByte()
    if first < 0x80 { return UInt64(first) }
    return try readLongVarint(first)
  }

  private mutating func readLongVarint(_ first: UInt8) throws(CodingError) -> UInt64 {
    var value = UInt64(first & 0x7f)
    for shift in stride(from: UInt64(7), through: 63, by: 7) {
      let byte = try readByte()
      guard shift < 63 || byte <= 1 else { throw .malformed("varint", offset: position) }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 {
        guard byte > 0 else { throw .malformed("varint", offset: position) }
        return value
      }
    }
    throw .malformed("varint", offset: position)
  }

  /// Reads a signed varint.
  package mutating func readZigzag() throws(CodingError) -> Int64 {
    let value = try readVarint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// Reads a count of things of which each takes at least `size` of the bytes that are left.
  package mutating func readCount(
    of what: String, eachAtLeast size: Int = 1
  ) throws(CodingError) -> Int {
    let offset = position
    let value = try readVarint()
    guard value <= UInt64(remaining / max(size, 1)) else { throw .malformed(what, offset: offset) }
    return Int(value)
  }

  /// Reads an index into something that has `count` entries.
  @inline(__always)
  package mutating func readIndex(into what: String, count: Int) throws(CodingError) -> Int {
    let offset = position
    let value = try readVarint()
    guard value < UInt64(count) else { throw .malformed(what, offset: offset) }
    return Int(value)
  }

  /// Reads eight bytes, most significant first.
  package mutating func readBigEndian() throws(CodingError) -> UInt64 {
    guard remaining >= 8 else { throw .truncated(offset: position) }
    var value: UInt64 = 0
    for offset in position..<position + 8 { value = value << 8 | UInt64(bytes[offset]) }
    position += 8
    return value
  }

  /// Skips bytes and says where they stand.
  @inline(__always)
  package mutating func readRange(count: Int) throws(CodingError) -> Range<Int> {
    guard count <= remaining else { throw .truncated(offset: position) }
    defer { position += count }
    return position..<position + count
  }

  /// Skips bytes that have their count in front and says where they stand.
  @inline(__always)
  package mutating func readCountedRange(of what: String) throws(CodingError) -> Range<Int> {
    let count = try readCount(of: what)
    return try readRange(count: count)
  }

  /// Reads text of valid UTF-8 with its byte count in front.
  package mutating func readText(
    of what: String, limit: Int
  ) throws(CodingError) -> String {
    let range = try readCountedRange(of: what)
    guard range.count <= limit else { throw .overLimit(what, limit: limit) }
    guard let text = String(utf8: bytes[range]) else {
      throw .malformed(what, offset: range.lowerBound)
    }
    return text
  }

  /// Skips bytes that must be valid UTF-8 and says where they stand.
  mutating func skipText(of what: String, count: Int) throws(CodingError) -> Range<Int> {
    let range = try readRange(count: count)
    let slice = bytes[range]
    guard slice.allSatisfy({ $0 < 0x80 }) || String(validating: slice, as: UTF8.self) != nil else {
      throw .malformed(what, offset: range.lowerBound)
    }
    return range
  }

  /// Whether no two of the ranges hold the same bytes.
  func areDistinct(_ ranges: [Range<Int>]) -> Bool {
    let sorted = ranges.sorted { RecordMerger.compare(bytes, $0, bytes, $1) < 0 }
    return zip(sorted, sorted.dropFirst()).allSatisfy { RecordMerger.compare(bytes, $0, bytes, $1) < 0 }
  }
}
