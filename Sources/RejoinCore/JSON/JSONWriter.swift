extension JSON {
  /// The tree as text: compact, or with a line for each element and member, indented by two spaces.
  ///
  /// With `sortedNames`, members stand in the order of their names' UTF-8 bytes. Text is escaped only where JSON
  /// demands it, doubles have the fewest digits that read back as the same number, and NaN and infinity, which
  /// JSON lacks, become `null`, as in JavaScript (``Value/json`` tags them instead).
  public func text(pretty: Bool = false, sortedNames: Bool = false) -> String {
    String(decoding: bytes(pretty: pretty, sortedNames: sortedNames), as: UTF8.self)
  }

  /// The text of ``text(pretty:sortedNames:)`` in UTF-8.
  public func bytes(pretty: Bool = false, sortedNames: Bool = false) -> [UInt8] {
    var writer = JSONWriter(isPretty: pretty, sortsNames: sortedNames)
    writer.write(self, indentation: 0)
    return writer.bytes
  }
}

/// Appends values to an array of bytes; recurses as deep as the tree is.
private struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  let isPretty: Bool
  let sortsNames: Bool

  init(isPretty: Bool, sortsNames: Bool) {
    self.isPretty = isPretty
    self.sortsNames = sortsNames
  }

  mutating func write(_ json: JSON, indentation: Int) {
    switch json {
    case .array(let elements): write(elements: elements, indentation: indentation)
    case .object(let members): write(members: members, indentation: indentation)
    case .null, .bool, .int, .double, .string: write(scalar: json)
    }
  }

  private mutating func write(scalar json: JSON) {
    switch json {
    case .bool(let flag): write(ascii: flag ? "true" : "false")
    case .int(let number): write(ascii: String(number))
    case .double(let number): write(ascii: number.isFinite ? number.description : "null")
    case .string(let text): write(text: text)
    case .null, .array, .object: write(ascii: "null")
    }
  }

  private mutating func write(elements: [JSON], indentation: Int) {
    bytes.append(UInt8(ascii: "["))
    var isFirst = true
    for element in elements {
      beginItem(isFirst: isFirst, indentation: indentation + 1)
      isFirst = false
      write(element, indentation: indentation + 1)
    }
    if !isFirst { beginLine(indentation: indentation) }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func write(members: [JSON.Member], indentation: Int) {
    bytes.append(UInt8(ascii: "{"))
    var isFirst = true
    for member in sortsNames ? members.sortedByName() : members {
      beginItem(isFirst: isFirst, indentation: indentation + 1)
      isFirst = false
      write(text: member.name)
      write(ascii: isPretty ? ": " : ":")
      write(member.value, indentation: indentation + 1)
    }
    if !isFirst { beginLine(indentation: indentation) }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func beginItem(isFirst: Bool, indentation: Int) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    beginLine(indentation: indentation)
  }

  private mutating func beginLine(indentation: Int) {
    guard isPretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    for _ in 0..<indentation { write(ascii: "  ") }
  }

  private mutating func write(ascii text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func write(text: String) {
    bytes.append(UInt8(ascii: "\""))
    if text.utf8.allSatisfy({ !needsEscape($0) }) {
      bytes.append(contentsOf: text.utf8)
    } else {
      for byte in text.utf8 {
        if needsEscape(byte) { write(escaped: byte) } else { bytes.append(byte) }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  @inline(__always)
  private func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func write(escaped byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): write(ascii: #"\""#)
    case UInt8(ascii: "\\"): write(ascii: #"\\"#)
    case 0x08: write(ascii: #"\b"#)
    case 0x09: write(ascii: #"\t"#)
    case 0x0a: write(ascii: #"\n"#)
    case 0x0c: write(ascii: #"\f"#)
    case 0x0d: write(ascii: #"\r"#)
    default:
      write(ascii: byte < 0x10 ? #"\u000"# : #"\u00"#)
      write(ascii: String(byte, radix: 16))
    }
  }
}

extension [JSON.Member] {
  /// The members in the order of their names' UTF-8 bytes.
  func sortedByName() -> [JSON.Member] {
    sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}
