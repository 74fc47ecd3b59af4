/// A name of 16 bytes that is written as a UUID (RFC 9562).
public protocol Identifier: Hashable, Comparable, Sendable, Codable, CustomStringConvertible,
  LosslessStringConvertible
{
  /// Bytes 0 to 7, most significant first.
  var high: UInt64 { get }

  /// Bytes 8 to 15, most significant first.
  var low: UInt64 { get }

  /// Makes an identifier of its two halves.
  init(high: UInt64, low: UInt64)
}

extension Identifier {
  /// Makes a UUID of version 7: milliseconds in front, 74 random bits behind.
  ///
  /// Identifiers made on one device within a millisecond are unordered; nothing relies on their order.
  public static func make(
    wallMilliseconds: Int64, using generator: inout some RandomNumberGenerator
  ) -> Self {
    let time = UInt64(min(max(wallMilliseconds, 0), Limits.wallMilliseconds))
    let high = time << 16 | 0x7000 | generator.next() & 0x0fff
    let low = 0x8000_0000_0000_0000 | generator.next() & 0x3fff_ffff_ffff_ffff
    return Self(high: high, low: low)
  }

  /// Derives an identifier from a natural key, the same on every device and in every language: UUID version 5
  /// of `name` in the name space that is version 5 of `space` in ``rejoinNamespace``.
  public static func derived(from name: String, in space: String) -> Self {
    let namespace = versionFive(of: space, in: rejoinNamespace)
    return versionFive(of: name, in: namespace)
  }

  /// The name space of all derived identifiers: 7265a1e0-6a6f-5e0d-8000-72656a6f696e.
  public static var rejoinNamespace: Self { Self(high: 0x7265_a1e0_6a6f_5e0d, low: 0x8000_7265_6a6f_696e) }

  /// UUID version 5 (RFC 9562, section 5.5).
  private static func versionFive(of name: String, in namespace: Self) -> Self {
    let hash = SHA1.hash(namespace.bytes + name.utf8)
    return Self(
      high: (UInt64(hash[0]) << 32 | UInt64(hash[1])) & 0xffff_ffff_ffff_0fff | 0x5000,
      low: (UInt64(hash[2]) << 32 | UInt64(hash[3])) & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
  }

  /// Whether `left` comes before `right`: order of the bytes.
  public static func < (left: Self, right: Self) -> Bool {
    left.high == right.high ? left.low < right.low : left.high < right.high
  }

  /// The textual form of a UUID: lower case, with hyphens.
  public var description: String { UUIDText.text(high, low) }

  /// Reads a UUID of either case, with hyphens; nil when it is anything else.
  public init?(_ description: String) {
    guard let halves = UUIDText.halves(description) else { return nil }
    self.init(high: halves.high, low: halves.low)
  }

  /// Reads 16 bytes, most significant first; nil of any other count.
  package init?(bytes: some Swift.Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    func half(_ part: some Sequence<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: half(bytes.prefix(8)), low: half(bytes.suffix(8)))
  }

  /// Reads the textual form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let identifier = Self(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID")
    }
    self = identifier
  }

  /// Writes the textual form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// The 16 bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    for half in [high, low] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: half >> UInt64(shift)))
      }
    }
    return bytes
  }
}

/// Names a record: made on the device that makes the record, never changed afterwards.
public struct RecordID: Identifier {
  /// Bytes 0 to 7.
  public let high: UInt64
  /// Bytes 8 to 15.
  public let low: UInt64

  /// Makes an id of its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// Names an entry of a log.
public struct EntryID: Identifier {
  /// Bytes 0 to 7.
  public let high: UInt64
  /// Bytes 8 to 15.
  public let low: UInt64

  /// Makes an id of its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// Names a data set: replicas of different ones refuse to merge, unless one of them is empty.
public struct DatasetID: Identifier {
  /// Bytes 0 to 7.
  public let high: UInt64
  /// Bytes 8 to 15.
  public let low: UInt64

  /// Makes an id of its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Derives the id of a data set from a name that all its devices know, such as the signed-in user's.
  public init(name: String) {
    self = .derived(from: name, in: "dataset")
  }
}
