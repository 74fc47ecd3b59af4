extension UInt64 {
  /// The value as 16 lower-case hexadecimal digits.
  package var hexadecimal: String {
    String(decoding: hexadecimalDigits, as: UTF8.self)
  }

  /// As above, in ASCII.
  var hexadecimalDigits: [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(16)
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: self >> UInt64(shift)) & 0xf
      digits.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
    return digits
  }

  /// Reads exactly 16 hexadecimal digits, of either case.
  package init?(hexadecimal text: some StringProtocol) {
    guard text.utf8.count == 16 else { return nil }
    var value: UInt64 = 0
    for byte in text.utf8 {
      guard let digit = byte.hexadecimalDigit else { return nil }
      value = value << 4 | UInt64(digit)
    }
    self = value
  }

  /// The eight bytes, most significant first.
  package var bigEndianBytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * UInt64($0))) }
  }
}

extension UInt8 {
  /// The worth of this ASCII character as a hexadecimal digit.
  package var hexadecimalDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
