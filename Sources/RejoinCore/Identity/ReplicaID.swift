/// Names one replica: 64 random bits, the last tie-break of every timestamp.
public struct ReplicaID: Hashable, Comparable, Sendable {
  /// The 64 bits.
  public let rawValue: UInt64

  /// Makes an id of its 64 bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Makes a random id; never zero.
  public static func random(using generator: inout some RandomNumberGenerator) -> ReplicaID {
    ReplicaID(rawValue: max(1, generator.next()))
  }

  /// Whether `left` comes before `right`: unsigned order of the bits.
  public static func < (left: ReplicaID, right: ReplicaID) -> Bool { left.rawValue < right.rawValue }
}

extension ReplicaID: CustomStringConvertible, LosslessStringConvertible {
  /// The textual form: 16 hexadecimal digits.
  public var description: String { rawValue.hexadecimal }

  /// Reads the textual form; nil when it is anything but 16 hexadecimal digits.
  public init?(_ description: String) {
    guard let rawValue = UInt64(hexadecimal: description) else { return nil }
    self.init(rawValue: rawValue)
  }
}
