/// Appends the primitives of the binary formats to an array of bytes.
package struct ByteWriter {
  /// What was written so far.
  package private(set) var bytes: [UInt8] = []

  /// Starts with nothing.
  package init(reserving capacity: Int = 0) {
    bytes.reserveCapacity(capacity)
  }

  /// Appends one byte.
  @inline(__always)
  package mutating func write(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Appends bytes as they are.
  package mutating func write(_ other: some Sequence<UInt8>) {
    bytes.append(contentsOf: other)
  }

  /// Appends a varint: seven bits a byte, least significant first, the top bit set on all but the last.
  @inline(__always)
  package mutating func write(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends a count or an index as a varint.
  @inline(__always)
  package mutating func write(count: Int) {
    write(varint: UInt64(count))
  }

  /// Appends a signed number as a varint, with the sign in the lowest bit (zigzag).
  package mutating func write(zigzag value: Int64) {
    write(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// Appends eight bytes, most significant first.
  package mutating func write(bigEndian value: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }

  /// Appends bytes with their count in front.
  package mutating func write(counted other: some Swift.Collection<UInt8>) {
    write(count: other.count)
    bytes.append(contentsOf: other)
  }
}
