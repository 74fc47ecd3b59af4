/// What the encoder and the decoder of deltas agree on.
///
/// See <doc:WireFormat>, which is normative.
public enum DeltaFormat {
  /// The formats that this version writes and reads; peers agree on the highest that both know.
  public static let supported: ClosedRange<Int> = 1...1

  /// The format that two peers can speak, nil when they have none in common.
  public static func negotiated(with other: ClosedRange<Int>) -> Int? {
    let highest = min(supported.upperBound, other.upperBound)
    return supported.contains(highest) && other.contains(highest) ? highest : nil
  }

  /// The first bytes of every delta.
  static let mark: [UInt8] = [0x52, 0x4a]

  /// Bits in front of a format that the receiver must know to read it rightly; none is defined yet.
  static let knownFeatures: UInt64 = 0

  /// What stands of a replica's parts of both vectors: 1 `through`, 2 both are equal, 4 `from`.
  static func flags(from: HybridTime, through: HybridTime) -> UInt8 {
    (through > .zero ? 1 : 0) | (from == through ? 2 : from > .zero ? 4 : 0)
  }

  /// The count of the checksum's bytes.
  static let checksumBytes = 8

  /// The checksum of the bytes before it: not against forgery, but against damage.
  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var hash = SipHash128(key0: 0x7265_6a6f_696e_2d64, key1: 0x656c_7461_2d76_3031)
    hash.combine(bytes)
    return hash.finalize().0
  }
}

/// Times in a column: each is written as the distance from the one before.
///
/// A varint of twice the distance in milliseconds, plus one when a counter follows; the counter counts from the
/// successor of the one before when the millisecond is the same, from zero otherwise.
struct TimeColumn {
  private var last: HybridTime

  /// Starts a column whose first time is written as a distance from `last`.
  init(after last: HybridTime = .zero) {
    self.last = last
  }

  /// Appends a time that is not before the last.
  mutating func write(_ time: HybridTime, to writer: inout ByteWriter) {
    let milliseconds = time.rawValue >> 16
    let distance = milliseconds - last.rawValue >> 16
    let counter = UInt64(time.counter) - (distance == 0 ? UInt64(last.counter) : 0)
    writer.write(varint: distance << 1 | (counter == 0 ? 0 : 1))
    if counter != 0 { writer.write(varint: counter) }
    last = time
  }

  /// Reads the next time.
  mutating func read(from reader: inout ByteReader) throws(CodingError) -> HybridTime {
    let offset = reader.position
    let head = try reader.readVarint()
    let counter = head & 1 == 0 ? 0 : try reader.readVarint()
    guard head & 1 == 0 || counter != 0 else { throw .malformed("time", offset: offset) }
    let (milliseconds, overflow) = (last.rawValue >> 16).addingReportingOverflow(head >> 1)
    let base = head >> 1 == 0 ? UInt64(last.counter) : 0
    guard !overflow, milliseconds <= UInt64(Limits.wallMilliseconds), counter <= 0xffff,
      base + counter <= 0xffff
    else { throw .malformed("time", offset: offset) }
    last = HybridTime(rawValue: milliseconds << 16 | (base + counter))
    return last
  }
}
