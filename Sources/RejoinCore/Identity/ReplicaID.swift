/// Names one replica: 64 random bits, the last tie-break of every timestamp.
public struct ReplicaID: Hashable, Comparable, Sendable {
  /// The 64 bits.
  public let rawValue: UInt64

  /// Makes an id of its 64 bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Makes a random id; never zero, and never that of a proxy.
  public static func random(using generator: inout some RandomNumberGenerator) -> ReplicaID {
    while true {
      let id = ReplicaID(rawValue: max(1, generator.next()))
      if !id.isProxy { return id }
    }
  }

  /// Makes a random id under which a device writes down what it learnt from a plain server.
  public static func randomProxy(using generator: inout some RandomNumberGenerator) -> ReplicaID {
    ReplicaID(rawValue: proxyBits | generator.next() >> 16)
  }

  /// Whether what is written under this id was learnt from a plain server: its uppermost 16 bits are set.
  ///
  /// Such a write is nobody's own: it is never pushed to a server, and gives way to another proxy's without a
  /// conflict.
  public var isProxy: Bool { rawValue & ReplicaID.proxyBits == ReplicaID.proxyBits }

  private static let proxyBits: UInt64 = 0xffff << 48

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
