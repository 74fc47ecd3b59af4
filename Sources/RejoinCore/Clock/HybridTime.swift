/// A reading of a hybrid logical clock: 48 bits of milliseconds since the Unix epoch, 16 bits of counter.
///
/// Unsigned order of the 64 bits is the order of time. A counter that overflows carries into the millisecond.
/// Source: Kulkarni, Demirbas, Madappa, Avva, Leone, *Logical Physical Clocks* (OPODIS 2014), section 6.2.
public struct HybridTime: Hashable, Comparable, Sendable {
  /// The 64 bits: milliseconds above, counter below.
  public let rawValue: UInt64

  /// Makes a time of its 64 bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Makes a time of milliseconds since the Unix epoch, clamped to `0...Limits.wallMilliseconds`, and a counter.
  public init(milliseconds: Int64, counter: UInt16 = 0) {
    let clamped = UInt64(min(max(milliseconds, 0), Limits.wallMilliseconds))
    self.rawValue = clamped << 16 | UInt64(counter)
  }

  /// Before every time that a clock issues.
  public static let zero = HybridTime(rawValue: 0)

  /// After every time that a clock issues.
  public static let distantFuture = HybridTime(rawValue: .max)

  /// Milliseconds since the Unix epoch.
  public var milliseconds: Int64 { Int64(rawValue >> 16) }

  /// Place among the times of one millisecond.
  public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

  /// The next time after this one; the last of all has itself as successor.
  public var successor: HybridTime { HybridTime(rawValue: rawValue == .max ? .max : rawValue + 1) }

  /// Whether `left` is earlier than `right`.
  public static func < (left: HybridTime, right: HybridTime) -> Bool { left.rawValue < right.rawValue }
}

extension HybridTime: CustomStringConvertible, LosslessStringConvertible {
  /// The textual form: 16 hexadecimal digits.
  public var description: String { rawValue.hexadecimal }

  /// Reads the textual form; nil when it is anything but 16 hexadecimal digits.
  public init?(_ description: String) {
    guard let rawValue = UInt64(hexadecimal: description) else { return nil }
    self.init(rawValue: rawValue)
  }
}
