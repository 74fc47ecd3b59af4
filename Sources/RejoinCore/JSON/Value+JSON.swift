/// The names of objects that stand for values JSON lacks.
private enum JSONTag: String, CaseIterable {
  case int = "$int"
  case double = "$double"
  case data = "$data"
  case time = "$time"
  case record = "$ref"
  case map = "$map"
  case unknown = "$unknown"

  init?(name: String) {
    let sought = JSONText(name)
    guard let tag = JSONTag.allCases.first(where: { JSONText($0.rawValue) == sought }) else { return nil }
    self = tag
  }

  /// Whether a name is kept for tags, where it is an object's only one.
  static func reserves(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "$") }

  /// The object of this tag.
  func json(_ content: JSON) -> JSON { .object([JSON.Member(rawValue, content)]) }

  var malformed: JSONError { JSONError(.malformedTag(rawValue)) }
}

extension Value {
  /// The JSON form of this value: what JSON has as it is, everything else as an object with one reserved name.
  ///
  /// | value | form |
  /// |---|---|
  /// | whole number within ±2⁵³ | number; beyond: `{"$int": "9007199254740993"}` |
  /// | double with a fraction | number; NaN and infinity: `{"$double": "NaN"}`, `"Infinity"`, `"-Infinity"` |
  /// | double without a fraction | `{"$double": "3ff0000000000000"}`: 16 digits of the bit pattern |
  /// | data | `{"$data": "AAEC"}`: base64 of the standard alphabet, padded |
  /// | time | `{"$time": 1700000000000}`: milliseconds; beyond ±2⁵³ as text |
  /// | record | `{"$ref": "01890a5d-ac96-774b-bcce-b302099a8057"}` |
  /// | kind of a newer version | `{"$unknown": [16, "AAEC"]}`: kind and base64 |
  /// | map with one name only, which starts with `$` | `{"$map": {"$int": …}}`: the map wrapped once more |
  /// | any other map | object |
  ///
  /// All doubles without a fraction are tagged, also those that this library would read back from `1e+20`:
  /// many programs and databases write them as whole numbers when they pass them on.
  ///
  /// An object whose only name starts with `$` is always a tag, known or not, and every other object is a map,
  /// whatever its names are. In the object within `$map` names are names; its values are read as everywhere.
  /// Equal values have equal texts, and reading the text gives the value with the same canonical bytes.
  public var json: JSON {
    switch self {
    case .array(let elements): Value.json(of: elements)
    case .map(let map): Value.json(of: map)
    case .null, .bool, .int, .double, .string, .data, .time, .record, .unknown: scalarJSON
    }
  }

  private static func json(of elements: [Value]) -> JSON {
    var list: [JSON] = []
    list.reserveCapacity(elements.count)
    for element in elements { list.append(element.json) }
    return .array(list)
  }

  private static func json(of map: ValueMap) -> JSON {
    var members: [JSON.Member] = []
    members.reserveCapacity(map.entries.count)
    for entry in map.entries { members.append(JSON.Member(entry.name, entry.value.json)) }
    let isLikeTag = members.count == 1 && JSONTag.reserves(members[0].name)
    return isLikeTag ? JSONTag.map.json(.object(members)) : .object(members)
  }

  /// The form of everything that holds no other values.
  private var scalarJSON: JSON {
    switch self {
    case .bool(let flag): .bool(flag)
    case .int(let number):
      JSON.interoperableIntegers ~= number ? .int(number) : JSONTag.int.json(.string(String(number)))
    case .double(let number): Value.json(of: number)
    case .string(let text): .string(text)
    case .data(let bytes): JSONTag.data.json(.string(Base64.encode(bytes)))
    case .time(let milliseconds):
      JSONTag.time.json(
        JSON.interoperableIntegers ~= milliseconds ? .int(milliseconds) : .string(String(milliseconds)))
    case .record(let id): JSONTag.record.json(.string(id.description))
    case .unknown(let kind, let bytes):
      JSONTag.unknown.json(.array([.int(Int64(kind)), .string(Base64.encode(bytes))]))
    case .null, .array, .map: .null
    }
  }

  private static func json(of number: Double) -> JSON {
    if number.isNaN { return JSONTag.double.json("NaN") }
    if number.isInfinite { return JSONTag.double.json(number < 0 ? "-Infinity" : "Infinity") }
    guard number.isWhole else { return .double(number) }
    return JSONTag.double.json(.string(number.bitPattern.hexadecimal))
  }
}

extension Value {
  /// Reads the JSON form; see ``json`` for the forms.
  ///
  /// Also understood are tags that were not necessary, such as `{"$int": "1"}` or `{"$map": {"a": 1}}`. Throws a
  /// `JSONError` for a tag that is unknown (a newer version may have written it) or does not fit its content, for
  /// a name that stands twice in one object, and where `Limits.valueDepth` or `Limits.valueElements` is exceeded.
  public init(json: JSON) throws(JSONError) {
    self = try Value.read(json, depth: 0)
  }

  private static func read(_ json: JSON, depth: Int) throws(JSONError) -> Value {
    switch json {
    case .null: return .null
    case .bool(let flag): return .bool(flag)
    case .int(let number): return .int(number)
    case .double(let number): return .double(number.isNaN ? .nan : number)
    case .string(let text): return .string(text)
    case .array(let elements): return try read(elements: elements, depth: depth)
    case .object(let members):
      guard members.count == 1, JSONTag.reserves(members[0].name) else {
        return try read(members: members, depth: depth)
      }
      guard let tag = JSONTag(name: members[0].name) else { throw JSONError(.unknownTag) }
      guard tag == .map else { return try readScalar(members[0].value, tag: tag) }
      guard case .object(let inner) = members[0].value else { throw tag.malformed }
      return try read(members: inner, depth: depth)
    }
  }

  private static func read(elements: [JSON], depth: Int) throws(JSONError) -> Value {
    try check(depth: depth, count: elements.count)
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for element in elements { values.append(try read(element, depth: depth + 1)) }
    return .array(values)
  }

  private static func read(members: [JSON.Member], depth: Int) throws(JSONError) -> Value {
    try check(depth: depth, count: members.count)
    var entries: [(name: String, value: Value)] = []
    entries.reserveCapacity(members.count)
    for member in members.sortedByName() {
      guard entries.last.map({ JSONText($0.name) != JSONText(member.name) }) ?? true else {
        throw JSONError(.duplicateName)
      }
      entries.append((member.name, try read(member.value, depth: depth + 1)))
    }
    return .map(ValueMap(sorted: entries))
  }

  private static func check(depth: Int, count: Int) throws(JSONError) {
    guard depth < Limits.valueDepth else {
      throw JSONError(.overLimit("depth of a value", limit: Limits.valueDepth))
    }
    guard count <= Limits.valueElements else {
      throw JSONError(.overLimit("elements of a value", limit: Limits.valueElements))
    }
  }

  /// Reads the content of every tag but `$map`.
  private static func readScalar(_ content: JSON, tag: JSONTag) throws(JSONError) -> Value {
    switch (tag, content) {
    case (.int, .string(let text)): return .int(try integer(text, tag: tag))
    case (.double, .string(let text)):
      switch text {
      case "NaN": return .double(.nan)
      case "Infinity": return .double(.infinity)
      case "-Infinity": return .double(-.infinity)
      default:
        guard let bits = UInt64(hexadecimal: text) else { throw tag.malformed }
        let number = Double(bitPattern: bits)
        return .double(number.isNaN ? .nan : number)
      }
    case (.data, .string(let text)):
      guard let bytes = Base64.decode(text) else { throw tag.malformed }
      return .data(bytes)
    case (.time, .int(let milliseconds)): return .time(milliseconds)
    case (.time, .string(let text)): return .time(try integer(text, tag: tag))
    case (.record, .string(let text)):
      guard let id = RecordID(text) else { throw tag.malformed }
      return .record(id)
    case (.unknown, .array(let parts)): return try readUnknown(parts)
    default: throw tag.malformed
    }
  }

  private static func readUnknown(_ parts: [JSON]) throws(JSONError) -> Value {
    guard parts.count == 2, case .int(let number) = parts[0], case .string(let text) = parts[1],
      let kind = UInt8(exactly: number), ValueTag.unknown ~= kind, let bytes = Base64.decode(text)
    else { throw JSONTag.unknown.malformed }
    return .unknown(kind: kind, bytes: bytes)
  }

  /// A whole number as it is written: no plus, no leading zeros.
  private static func integer(_ text: String, tag: JSONTag) throws(JSONError) -> Int64 {
    guard let number = Int64(text), String(number).utf8.elementsEqual(text.utf8) else { throw tag.malformed }
    return number
  }
}
