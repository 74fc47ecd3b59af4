/// A value as bytes whose order is the order in which queries sort values.
///
/// Stores compare nothing but bytes, so all of them order alike. Equal keys mean values that no query tells apart by
/// order: 1 and 1.0, or 0.0 and -0.0. See <doc:Semantics>.
package struct QueryKey: Hashable, Comparable, Sendable {
  /// The bytes.
  package let bytes: [UInt8]

  /// Takes bytes that were a key.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The whole key of a value.
  ///
  /// - Complexity: O(n) in the bytes of the value.
  package init(_ value: Value) {
    var encoder = QueryKeyEncoder(limit: .max)
    encoder.write(value)
    bytes = encoder.bytes
  }

  /// The start of a value's key, as indexes hold it: at most `Limits.indexKeyBytes` bytes.
  ///
  /// - Complexity: O(1) in the bytes of a text or of data.
  package init(startOf value: Value) {
    var encoder = QueryKeyEncoder(limit: Limits.indexKeyBytes)
    encoder.write(value)
    bytes = Array(encoder.bytes.prefix(Limits.indexKeyBytes))
  }

  /// The key of what is null or absent.
  package static let null = QueryKey(bytes: [QueryClass.null])

  /// The key as indexes hold it.
  package var start: QueryKey {
    bytes.count <= Limits.indexKeyBytes ? self : QueryKey(bytes: Array(bytes.prefix(Limits.indexKeyBytes)))
  }

  /// Whether other keys may start with the same bytes: then the rest decides.
  package var mayBeCut: Bool { bytes.count >= Limits.indexKeyBytes }

  /// The least bytes that come after this key.
  package var successor: QueryKey { QueryKey(bytes: bytes + [0]) }

  /// The least key of the class of this one's value.
  package var classStart: QueryKey { QueryKey(bytes: [bytes[0]]) }

  /// What comes after every key of the class of this one's value.
  package var classEnd: QueryKey { QueryKey(bytes: [bytes[0] + 1]) }

  /// Whether both are of values of one class, such as numbers or texts.
  package func sharesClass(with other: QueryKey) -> Bool { bytes[0] == other.bytes[0] }

  /// Order of the bytes.
  package static func < (left: QueryKey, right: QueryKey) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

/// The first byte of a key: values of one class stand together.
///
/// None is 0, which ends lists and maps.
private enum QueryClass {
  static let null: UInt8 = 0x10
  static let no: UInt8 = 0x20
  static let number: UInt8 = 0x30
  static let notANumber: UInt8 = 0x38
  static let time: UInt8 = 0x40
  static let string: UInt8 = 0x50
  static let record: UInt8 = 0x60
  static let data: UInt8 = 0x70
  static let array: UInt8 = 0x80
  static let map: UInt8 = 0x90
  static let unknown: UInt8 = 0xa0
}

private struct QueryKeyEncoder {
  private(set) var bytes: [UInt8] = []
  let limit: Int

  /// Appends the key of a value, or as much of it as counts.
  mutating func write(_ value: Value) {
    guard bytes.count < limit else { return }
    switch value {
    case .null: bytes.append(QueryClass.null)
    case .bool(let flag): bytes += [QueryClass.no, flag ? 1 : 0]
    case .int(let number): write(number)
    case .double(let number) where number.isNaN: bytes.append(QueryClass.notANumber)
    case .double(let number): write(number, rest: 0)
    case .time(let milliseconds):
      bytes.append(QueryClass.time)
      write(bigEndian: UInt64(bitPattern: milliseconds) ^ 1 << 63)
    case .string(let text):
      bytes.append(QueryClass.string)
      write(escaped: text.utf8)
    case .record(let id): bytes += [QueryClass.record] + id.bytes
    case .data(let data):
      bytes.append(QueryClass.data)
      write(escaped: data)
    case .array(let elements):
      bytes.append(QueryClass.array)
      for element in elements { write(element) }
      bytes.append(0)
    case .map(let map):
      bytes.append(QueryClass.map)
      for entry in map.entries where bytes.count < limit {
        bytes.append(1)
        write(escaped: entry.name.utf8)
        write(entry.value)
      }
      bytes.append(0)
    case .unknown(let kind, let data):
      bytes += [QueryClass.unknown, kind]
      write(escaped: data)
    }
  }

  /// A whole number as the largest floating-point number that is not larger, and the rest, which is below 1024.
  private mutating func write(_ number: Int64) {
    var floor = Double(number)
    if floor >= 0x1p63 || Int64(floor) > number { floor = floor.nextDown }
    write(floor, rest: UInt16(number - Int64(floor)))
  }

  private mutating func write(_ number: Double, rest: UInt16) {
    let bits = (number == 0 ? 0 : number).bitPattern
    bytes.append(QueryClass.number)
    write(bigEndian: bits >> 63 == 0 ? bits | 1 << 63 : ~bits)
    bytes += [UInt8(rest >> 8), UInt8(truncatingIfNeeded: rest)]
  }

  private mutating func write(bigEndian number: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }

  /// Bytes with an end that comes before whatever they could go on with.
  private mutating func write(escaped other: some Sequence<UInt8>) {
    for byte in other {
      guard bytes.count < limit else { return }
      bytes.append(byte)
      if byte == 0 { bytes.append(0xff) }
    }
    bytes += [0, 0]
  }
}
