extension JSONReader {
  /// Reads the string whose quotation mark comes next.
  mutating func readString() throws(JSONError) -> String {
    let opening = position
    position += 1
    try skipPlainText()
    if byte == UInt8(ascii: "\"") {
      let range = opening + 1..<position
      position += 1
      return try text(of: bytes[range], opening: opening)
    }
    var unescaped = Array(bytes[opening + 1..<position])
    while byte == UInt8(ascii: "\\") {
      try readEscape(into: &unescaped)
      let start = position
      try skipPlainText()
      unescaped.append(contentsOf: bytes[start..<position])
    }
    position += 1
    return try text(of: unescaped[...], opening: opening)
  }

  /// Moves to the next quotation mark or backslash.
  private mutating func skipPlainText() throws(JSONError) {
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
      guard byte >= 0x20 else { throw error(.controlCharacter) }
      position += 1
    }
    throw error(.endsEarly)
  }

  private func text(of content: ArraySlice<UInt8>, opening: Int) throws(JSONError) -> String {
    guard let text = String(utf8: content) else { throw error(.notUTF8, at: opening) }
    return text
  }

  /// Appends what the escape stands for whose backslash comes next.
  private mutating func readEscape(into unescaped: inout [UInt8]) throws(JSONError) {
    let start = position
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(bytes[position])
    case UInt8(ascii: "b"): unescaped.append(0x08)
    case UInt8(ascii: "f"): unescaped.append(0x0c)
    case UInt8(ascii: "n"): unescaped.append(0x0a)
    case UInt8(ascii: "r"): unescaped.append(0x0d)
    case UInt8(ascii: "t"): unescaped.append(0x09)
    case UInt8(ascii: "u"):
      position += 1
      unescaped.append(contentsOf: try readCodePoint(start: start).utf8)
      return
    case nil: throw error(.endsEarly)
    default: throw error(.malformedEscape, at: start)
    }
    position += 1
  }

  /// Reads the digits of one escape, or of two that are a surrogate pair, the first of which begins at `start`.
  private mutating func readCodePoint(start: Int) throws(JSONError) -> Unicode.Scalar {
    let first = try readCodeUnit(start: start)
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard UTF16.isLeadSurrogate(first) else { throw error(.loneSurrogate, at: start) }
    let second = position
    for expected in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
      guard let byte else { throw error(.endsEarly) }
      guard byte == expected else { throw error(.loneSurrogate, at: start) }
      position += 1
    }
    let last = try readCodeUnit(start: second)
    guard UTF16.isTrailSurrogate(last) else { throw error(.loneSurrogate, at: start) }
    let value = 0x1_0000 + (UInt32(first) & 0x3ff) << 10 + UInt32(last) & 0x3ff
    guard let scalar = Unicode.Scalar(value) else { throw error(.loneSurrogate, at: start) }
    return scalar
  }

  private mutating func readCodeUnit(start: Int) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte else { throw error(.endsEarly) }
      guard let digit = byte.hexadecimalDigit else { throw error(.malformedEscape, at: start) }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  /// Reads the number that comes next.
  mutating func readNumber() throws(JSONError) -> JSON {
    let start = position
    var number = Decimal(isNegative: byte == UInt8(ascii: "-"))
    if number.isNegative { position += 1 }
    if byte == UInt8(ascii: "0") {
      position += 1
      if let byte, isDigit(byte) { throw error(.malformedNumber, at: start) }
    } else {
      _ = try readDigits(into: &number, start: start)
    }
    guard byte == UInt8(ascii: ".") || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") else {
      guard let integer = number.integer else { throw error(.numberOutOfRange, at: start) }
      return .int(integer)
    }
    if byte == UInt8(ascii: ".") {
      position += 1
      number.exponent = -(try readDigits(into: &number, start: start))
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      position += 1
      try readExponent(of: &number, start: start)
    }
    let value = number.exactDouble ?? Double(String(decoding: bytes[start..<position], as: UTF8.self))
    guard let value, value.isFinite else { throw error(.numberOutOfRange, at: start) }
    return JSONReader.number(of: value)
  }

  /// A whole number if every peer would write one, else a double.
  private static func number(of value: Double) -> JSON {
    let isNegativeZero = value == 0 && value.sign == .minus
    guard !isNegativeZero, value.magnitude <= 0x1p53, value.isWhole else { return .double(value) }
    return .int(Int64(value))
  }

  /// Reads at least one digit and returns how many there were.
  private mutating func readDigits(into number: inout Decimal, start: Int) throws(JSONError) -> Int {
    let first = position
    while position < bytes.count, isDigit(bytes[position]) {
      number.append(digit: bytes[position] - UInt8(ascii: "0"))
      position += 1
    }
    guard position > first else { throw byte == nil ? error(.endsEarly) : error(.malformedNumber, at: start) }
    return position - first
  }

  private mutating func readExponent(of number: inout Decimal, start: Int) throws(JSONError) {
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative || byte == UInt8(ascii: "+") { position += 1 }
    var digits = Decimal(isNegative: isNegative)
    _ = try readDigits(into: &digits, start: start)
    // Only whether it is small matters, and no text has so many digits that they would make up for the rest.
    let exponent = digits.isOverflown ? 1 << 60 : min(digits.magnitude, 1 << 60)
    number.exponent += isNegative ? -Int(exponent) : Int(exponent)
  }

  @inline(__always)
  func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }
}

/// The digits of a number that is being read: magnitude times ten to the power of the exponent.
private struct Decimal {
  let isNegative: Bool
  private(set) var magnitude: UInt64 = 0
  var exponent = 0
  /// Whether there were more digits than the magnitude can hold.
  private(set) var isOverflown = false

  init(isNegative: Bool) {
    self.isNegative = isNegative
  }

  @inline(__always)
  mutating func append(digit: UInt8) {
    let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
    let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
    isOverflown = isOverflown || overflow || carry
    magnitude = sum
  }

  /// The whole number, if 64 bits hold it; the exponent does not count.
  var integer: Int64? {
    guard !isOverflown else { return nil }
    guard isNegative else { return Int64(exactly: magnitude) }
    return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
  }

  /// The double next to the number, if one exact multiplication or division gives it (Clinger 1990).
  var exactDouble: Double? {
    let isExact = !isOverflown && magnitude <= 1 << 53 && abs(exponent) < Decimal.exactPowersOfTen.count
    guard isExact else { return nil }
    let power = Decimal.exactPowersOfTen[abs(exponent)]
    let value = exponent < 0 ? Double(magnitude) / power : Double(magnitude) * power
    return isNegative ? -value : value
  }

  /// The powers of ten that a double holds exactly.
  private static let exactPowersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
  ]
}
