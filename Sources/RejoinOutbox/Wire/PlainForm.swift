import RejoinCore

/// What a field holds where JSON alone does not say it.
public enum FieldKind: String, CaseIterable, Sendable {
  /// A point in time: milliseconds on the wire; ISO 8601 is understood, too.
  case time
  /// A floating-point number, also where the wire has no fraction.
  case double
  /// Bytes: base64 on the wire.
  case data
  /// The id of a record: a UUID on the wire.
  case record
}

/// The plain form of values: what a server without tags understands.
///
/// It says less than a value does: 1 and 1.0 are one, times are numbers, ids and bytes are text. What comes back is read
/// by the kind that the application declared for the field, and else as the kind that the field held here before.
enum PlainForm {
  /// A value as plain JSON; nil for kinds of newer versions, which no plain server would understand.
  static func json(of value: Value) -> JSON? {
    switch value {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .int(let number): .int(number)
    case .double(let number): normal(.double(number))
    case .string(let text): .string(text)
    case .data(let bytes): .string(Base64.encode(bytes))
    case .time(let milliseconds): .int(milliseconds)
    case .record(let id): .string(id.description)
    case .array(let elements): .array(elements.map { json(of: $0) ?? .null })
    case .map(let map): .object(map.entries.map { JSON.Member($0.name, json(of: $0.value) ?? .null) })
    case .unknown: nil
    }
  }

  /// One form for what a server may write in several: numbers without a fraction as whole ones, names in order.
  static func normal(_ json: JSON) -> JSON {
    switch json {
    case .double(let number):
      guard number.isFinite else { return .null }
      return Int64(exactly: number).map { .int($0) } ?? json
    case .array(let elements): return .array(elements.map { normal($0) })
    case .object(let members):
      return .object(
        members.map { JSON.Member($0.name, normal($0.value)) }
          .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    case .null, .bool, .int, .string: return json
    }
  }

  /// Reads a field of a row.
  ///
  /// - Throws: `JSONError` where a value is nested too deep or has too many elements.
  static func value(of json: JSON, as kind: FieldKind?, like old: Value?) throws(JSONError) -> Value {
    switch (kind ?? old.flatMap { PlainForm.kind(of: $0) }, json) {
    case (.time, .int(let milliseconds)): return .time(milliseconds)
    case (.time, .string(let text)):
      if let time = ISO8601.milliseconds(text) { return .time(time) }
    case (.double, .int(let number)): return .double(Double(number))
    case (.data, .string(let text)):
      if let bytes = Base64.decode(text) { return .data(bytes) }
    case (.record, .string(let text)):
      if let id = RecordID(text) { return .record(id) }
    default: break
    }
    return try untagged(json, depth: 0)
  }

  /// The kind of a value, where plain JSON does not say it.
  private static func kind(of value: Value) -> FieldKind? {
    switch value {
    case .time: .time
    case .double: .double
    case .data: .data
    case .record: .record
    default: nil
    }
  }

  /// A value as the JSON says it; tags are names like any others.
  private static func untagged(_ json: JSON, depth: Int) throws(JSONError) -> Value {
    switch json {
    case .null: return .null
    case .bool(let flag): return .bool(flag)
    case .int(let number): return .int(number)
    case .double(let number): return .double(number)
    case .string(let text): return .string(text)
    case .array(let elements):
      try check(depth: depth, count: elements.count)
      var values: [Value] = []
      for element in elements { values.append(try untagged(element, depth: depth + 1)) }
      return .array(values)
    case .object(let members):
      try check(depth: depth, count: members.count)
      var entries: [(String, Value)] = []
      for member in members { entries.append((member.name, try untagged(member.value, depth: depth + 1))) }
      return .map(ValueMap(entries))
    }
  }

  private static func check(depth: Int, count: Int) throws(JSONError) {
    guard depth < Limits.valueDepth else {
      throw JSONError(.overLimit("depth of a value", limit: Limits.valueDepth))
    }
    guard count <= Limits.valueElements else {
      throw JSONError(.overLimit("elements of a value", limit: Limits.valueElements))
    }
  }
}
