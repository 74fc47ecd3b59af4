extension JSON {
  /// Reads a text in UTF-8 that holds one value, in time proportional to its length.
  ///
  /// A number without point and exponent is an `.int`; every other is a `.double`, unless its value is whole and
  /// within ±2⁵³: then it is an `.int` too, because peers that know only doubles write `1.0` and `1e0` as `1`.
  /// The exception is `-0.0`, which stays a double. A byte order mark in front is skipped, as RFC 8259 allows.
  ///
  /// Refused are texts that are not exactly JSON, names that stand twice in one object (by their bytes), lone
  /// surrogates, numbers out of range, nesting deeper than ``Limits/jsonDepth``, and texts of more bytes than
  /// ``Limits/jsonBytes``. Reading takes at most 64 KiB and 48 times the bytes of memory.
  public init(parsing bytes: [UInt8]) throws(JSONError) {
    guard bytes.count <= Limits.jsonBytes else {
      throw JSONError(.overLimit("bytes of the text", limit: Limits.jsonBytes))
    }
    var reader = JSONReader(bytes)
    self = try reader.readDocument()
  }

  /// Reads a text that holds one value.
  public init(parsing text: String) throws(JSONError) {
    try self.init(parsing: Array(text.utf8))
  }
}

/// Reads one value from bytes; containers that are still open stand on a stack of its own, not on the thread's.
struct JSONReader {
  let bytes: [UInt8]
  var position = 0
  private var open: [Container] = []

  /// An array or object whose end was not read yet.
  private struct Container {
    let isObject: Bool
    var elements: [JSON] = []
    var members: [JSON.Member] = []
    /// The name whose value comes next.
    var name = ""
    /// All names, once they are too many to be compared one by one.
    var names: Set<JSONText> = []

    init(isObject: Bool) {
      self.isObject = isObject
    }

    var end: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

    var json: JSON { isObject ? .object(members) : .array(elements) }

    mutating func append(_ value: JSON) {
      if isObject { members.append(JSON.Member(name, value)) } else { elements.append(value) }
    }

    /// Takes the next name; false if it stands in the object already.
    mutating func take(name text: String) -> Bool {
      let taken = JSONText(text)
      name = text
      guard members.count >= 12 else { return !members.contains { JSONText($0.name) == taken } }
      if names.isEmpty { names = Set(members.map { JSONText($0.name) }) }
      return names.insert(taken).inserted
    }
  }

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads the only value of the text.
  mutating func readDocument() throws(JSONError) -> JSON {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    while true {
      guard let value = try readScalarOrOpen() else { continue }
      if let document = try close(with: value) { return document }
    }
  }

  /// Reads a scalar or an empty container; opens any other container and returns nil.
  private mutating func readScalarOrOpen() throws(JSONError) -> JSON? {
    skipWhitespace()
    switch byte {
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "["): return try openContainer(isObject: false)
    case UInt8(ascii: "{"): return try openContainer(isObject: true)
    case UInt8(ascii: "t"): return try readWord("true", as: .bool(true))
    case UInt8(ascii: "f"): return try readWord("false", as: .bool(false))
    case UInt8(ascii: "n"): return try readWord("null", as: .null)
    case let next? where next == UInt8(ascii: "-") || isDigit(next): return try readNumber()
    default: throw unexpected("a value")
    }
  }

  private mutating func openContainer(isObject: Bool) throws(JSONError) -> JSON? {
    guard open.count < Limits.jsonDepth else {
      throw error(.overLimit("depth of the text", limit: Limits.jsonDepth))
    }
    let container = Container(isObject: isObject)
    position += 1
    skipWhitespace()
    if byte == container.end {
      position += 1
      return container.json
    }
    open.append(container)
    if isObject { try readName() }
    return nil
  }

  /// Puts `value` into the innermost open container and reads on to where the next value begins; returns the
  /// value of the text once nothing is open.
  private mutating func close(with value: JSON) throws(JSONError) -> JSON? {
    var value = value
    while let last = open.indices.last {
      open[last].append(value)
      skipWhitespace()
      if byte == UInt8(ascii: ",") {
        position += 1
        if open[last].isObject { try readName() }
        return nil
      }
      guard byte == open[last].end else {
        throw unexpected(open[last].isObject ? "a comma or the object's end" : "a comma or the array's end")
      }
      position += 1
      value = open.removeLast().json
    }
    skipWhitespace()
    guard position == bytes.count else { throw error(.trailingText) }
    return value
  }

  /// Reads a member's name and the colon behind it.
  private mutating func readName() throws(JSONError) {
    skipWhitespace()
    guard byte == UInt8(ascii: "\"") else { throw unexpected("a name in quotation marks") }
    let start = position
    let name = try readString()
    guard open[open.count - 1].take(name: name) else { throw error(.duplicateName, at: start) }
    skipWhitespace()
    guard byte == UInt8(ascii: ":") else { throw unexpected("a colon") }
    position += 1
  }

  private mutating func readWord(_ word: String, as value: JSON) throws(JSONError) -> JSON {
    for expected in word.utf8 {
      guard byte == expected else { throw unexpected("true, false or null") }
      position += 1
    }
    return value
  }

  private mutating func skipWhitespace() {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
      default: return
      }
    }
  }

  /// The byte that comes next; nil at the end.
  @inline(__always)
  var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The error that something else than `what` comes next.
  func unexpected(_ what: String) -> JSONError {
    guard let byte else { return error(.endsEarly) }
    return error(byte > 0xf4 ? .notUTF8 : .expected(what))
  }

  /// An error at `offset`, or at what comes next.
  func error(_ problem: JSONError.Problem, at offset: Int? = nil) -> JSONError {
    JSONError(problem, at: offset ?? position, of: bytes)
  }
}
