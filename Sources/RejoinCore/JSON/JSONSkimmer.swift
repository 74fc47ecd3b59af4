/// Cuts a JSON text at its outermost commas without reading what stands between them.
///
/// It holds the text against the grammar of RFC 8259 and against nothing else. Names may stand twice, numbers be out of
/// range, escapes be half of a surrogate pair, text be no UTF-8, and values be nested deeper than ``JSON`` allows: so
/// one value that cannot be read does not hide those beside it. What is open stands as one bit on a stack of its own.
package struct JSONSkimmer {
  private let bytes: [UInt8]
  private let end: Int
  private var position: Int

  private init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  /// The members of the object that fills `bytes`: where each name stands, with its quotation marks, and each value.
  ///
  /// - Returns: nil when the bytes are no object by the grammar, or more than ``Limits/jsonBytes``.
  /// - Complexity: O(n) in the bytes.
  package static func members(
    of bytes: [UInt8], in range: Range<Int>? = nil
  ) -> [(name: Range<Int>, value: Range<Int>)]? {
    guard bytes.count <= Limits.jsonBytes else { return nil }
    var skimmer = JSONSkimmer(bytes, in: range ?? bytes.indices)
    if range == nil, bytes.starts(with: [0xef, 0xbb, 0xbf]) { skimmer.position = 3 }
    var members: [(name: Range<Int>, value: Range<Int>)] = []
    let isWhole = skimmer.skipContainer("{", "}") { skimmer in
      guard let name = skimmer.skipName(), let value = skimmer.skipValue() else { return false }
      members.append((name, value))
      return true
    }
    return isWhole ? members : nil
  }

  /// Where the elements of the array stand that fills `range` of `bytes`.
  ///
  /// - Returns: nil when the bytes are no array by the grammar, or more than ``Limits/jsonBytes``.
  /// - Complexity: O(n) in the bytes.
  package static func elements(of bytes: [UInt8], in range: Range<Int>) -> [Range<Int>]? {
    guard range.count <= Limits.jsonBytes else { return nil }
    var skimmer = JSONSkimmer(bytes, in: range)
    var elements: [Range<Int>] = []
    let isWhole = skimmer.skipContainer("[", "]") { skimmer in
      guard let value = skimmer.skipValue() else { return false }
      elements.append(value)
      return true
    }
    return isWhole ? elements : nil
  }

  /// Skips the container that fills the text; false where there is none, or something behind it.
  private mutating func skipContainer(
    _ first: Unicode.Scalar, _ last: Unicode.Scalar, _ skipItem: (inout JSONSkimmer) -> Bool
  ) -> Bool {
    skipWhitespace()
    guard skip(first) else { return false }
    skipWhitespace()
    if !skip(last) {
      repeat {
        guard skipItem(&self) else { return false }
        skipWhitespace()
      } while skip(",")
      guard skip(last) else { return false }
    }
    skipWhitespace()
    return position == end
  }

  // MARK: Values

  /// Skips a value; nil where there is none.
  private mutating func skipValue() -> Range<Int>? {
    skipWhitespace()
    let start = position
    var open = OpenContainers()
    while true {
      skipWhitespace()
      let isObject = byte == UInt8(ascii: "{")
      if isObject || byte == UInt8(ascii: "[") {
        position += 1
        skipWhitespace()
        if !skip(isObject ? "}" : "]") {
          open.append(isObject: isObject)
          guard !isObject || skipName() != nil else { return nil }
          continue
        }
      } else {
        guard skipScalar() else { return nil }
      }
      guard let goesOn = skipEnds(of: &open) else { return nil }
      if !goesOn { return start..<position }
    }
  }

  /// Skips the ends of containers behind a value up to the next value; false once nothing is open any more, nil where
  /// neither a comma nor an end comes.
  private mutating func skipEnds(of open: inout OpenContainers) -> Bool? {
    while let isObject = open.last {
      skipWhitespace()
      if skip(",") { return isObject && skipName() == nil ? nil : true }
      guard skip(isObject ? "}" : "]") else { return nil }
      open.removeLast()
    }
    return false
  }

  private mutating func skipScalar() -> Bool {
    switch byte {
    case UInt8(ascii: "\""): skipString()
    case UInt8(ascii: "t"): skip(word: "true")
    case UInt8(ascii: "f"): skip(word: "false")
    case UInt8(ascii: "n"): skip(word: "null")
    default: skipNumber()
    }
  }

  /// Skips a member's name and the colon behind it.
  private mutating func skipName() -> Range<Int>? {
    skipWhitespace()
    let start = position
    guard byte == UInt8(ascii: "\""), skipString() else { return nil }
    let name = start..<position
    skipWhitespace()
    return skip(":") ? name : nil
  }

  private mutating func skipString() -> Bool {
    position += 1
    while let next = byte {
      position += 1
      switch next {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"): guard skipEscape() else { return false }
      case 0..<0x20: return false
      default: break
      }
    }
    return false
  }

  /// Skips what stands behind a backslash.
  private mutating func skipEscape() -> Bool {
    guard let kind = byte else { return false }
    position += 1
    guard kind == UInt8(ascii: "u") else { return #""\/bfnrt"#.utf8.contains(kind) }
    for _ in 0..<4 {
      guard byte?.hexadecimalDigit != nil else { return false }
      position += 1
    }
    return true
  }

  private mutating func skipNumber() -> Bool {
    _ = skip("-")
    guard skip("0") || skipDigits() else { return false }
    if skip("."), !skipDigits() { return false }
    guard skip("e") || skip("E") else { return true }
    _ = skip("+") || skip("-")
    return skipDigits()
  }

  /// Skips digits; false where there is none.
  private mutating func skipDigits() -> Bool {
    let start = position
    while let next = byte, next &- UInt8(ascii: "0") <= 9 { position += 1 }
    return position > start
  }

  private mutating func skip(word: String) -> Bool {
    for expected in word.utf8 {
      guard byte == expected else { return false }
      position += 1
    }
    return true
  }

  private mutating func skip(_ mark: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  private mutating func skipWhitespace() {
    while let next = byte, next == 0x20 || next == 0x0a || next == 0x0d || next == 0x09 { position += 1 }
  }

  /// The byte that comes next; nil at the end.
  private var byte: UInt8? { position < end ? bytes[position] : nil }
}

/// Arrays and objects whose ends were not met yet, a bit each.
private struct OpenContainers {
  private var words: [UInt64] = []
  private var count = 0

  /// Whether the innermost is an object; nil when nothing is open.
  var last: Bool? {
    guard count > 0 else { return nil }
    return words[(count - 1) / 64] >> UInt64((count - 1) % 64) & 1 == 1
  }

  mutating func append(isObject: Bool) {
    if count % 64 == 0 { words.append(0) }
    let bit = 1 << UInt64(count % 64) as UInt64
    if isObject { words[count / 64] |= bit } else { words[count / 64] &= ~bit }
    count += 1
  }

  mutating func removeLast() {
    count -= 1
    if count % 64 == 0 { words.removeLast() }
  }
}
