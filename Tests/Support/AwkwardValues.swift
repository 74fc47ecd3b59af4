package import RejoinCore

/// Values that programs like to change on their way: each must arrive on every path without a bit changed.
package struct AwkwardValue: Sendable, CustomStringConvertible {
  /// What is awkward about it; also the name of its field, so some names are awkward too.
  package let name: FieldName

  /// What is written.
  package let written: Value

  /// What is read from then on: what was written, but for the NaNs, which are one.
  package let read: Value

  /// Its name.
  package var description: String { name.text }

  private init(_ name: FieldName, _ written: Value, read: Value? = nil) {
    self.name = name
    self.written = written
    self.read = read ?? written
  }

  /// All of them.
  package static let all: [AwkwardValue] = scalars + texts + nests

  private static let scalars: [AwkwardValue] = [
    AwkwardValue("null", nil),
    AwkwardValue("false", false),
    AwkwardValue("true", true),
    AwkwardValue("NaN", .double(.nan)),
    AwkwardValue("NaN below zero", .double(-.nan), read: .double(.nan)),
    AwkwardValue("signalling NaN", .double(.signalingNaN), read: .double(.nan)),
    AwkwardValue("NaN with a payload", .double(Double(nan: 0x1234, signaling: false)), read: .double(.nan)),
    AwkwardValue("infinity", .double(.infinity)),
    AwkwardValue("-infinity", .double(-.infinity)),
    AwkwardValue("0", 0),
    AwkwardValue("0.0", 0.0),
    AwkwardValue("-0.0", .double(-0.0)),
    AwkwardValue("5e-324", .double(.leastNonzeroMagnitude)),
    AwkwardValue("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
    AwkwardValue("0.1", 0.1),
    AwkwardValue("1", 1),
    AwkwardValue("1.0", 1.0),
    AwkwardValue("time 1", .time(1)),
    AwkwardValue("Int64.min", .int(.min)),
    AwkwardValue("Int64.max", .int(.max)),
    AwkwardValue("2^53+1", .int((1 << 53) + 1)),
    AwkwardValue("-2^53-1", .int(-(1 << 53) - 1)),
    AwkwardValue("2^53 as a double", .double(0x1p53)),
    AwkwardValue("2^63 as a double", .double(0x1p63)),
    AwkwardValue("last time", .time(.max)),
    AwkwardValue("record", .record(RecordID(high: 0, low: .max))),
    AwkwardValue("newer kind", .unknown(kind: 0x3f, bytes: [0, 1])),
  ]

  private static let texts: [AwkwardValue] = [
    AwkwardValue("é", "é"),
    AwkwardValue("e\u{301}", "e\u{301}"),
    AwkwardValue("empty text", ""),
    AwkwardValue("zero byte", "a\u{0}b"),
    AwkwardValue("digits", "1.0"),
    AwkwardValue("text of a record", .string(RecordID(high: 0, low: 1).description)),
    AwkwardValue("text of JSON", "{\"$int\":\"1\"}"),
    AwkwardValue("last code point", "\u{10ffff}\u{feff}"),
    AwkwardValue("1 MB of text", .string(String(repeating: "0123456789abcde\u{e9}", count: 61_681))),
    AwkwardValue("no data", .data([])),
    AwkwardValue("data", .data([0, 0x80, 0xff])),
    AwkwardValue("data that is text", .data(Array("text".utf8))),
  ]

  private static let nests: [AwkwardValue] = [
    AwkwardValue("empty array", []),
    AwkwardValue("empty map", [:]),
    AwkwardValue("map like a tag", ["$int": "1"]),
    AwkwardValue("map of both é", ["é": "e\u{301}", "e\u{301}": "é", "": nil]),
    AwkwardValue(
      "scalars in an array", .array(scalars.map(\.written)), read: .array(scalars.map(\.read))),
    AwkwardValue(
      "scalars in a map", .map(ValueMap(scalars.map { ($0.name.text, $0.written) })),
      read: .map(ValueMap(scalars.map { ($0.name.text, $0.read) }))),
    AwkwardValue("arrays 64 deep", nested(levels: Limits.valueDepth)),
    AwkwardValue("maps 64 deep", (0..<Limits.valueDepth).reduce(nil) { inner, _ in ["": inner] }),
  ]

  /// Minus zero in arrays.
  package static func nested(levels: Int) -> Value {
    (0..<levels).reduce(Value.double(-0.0)) { inner, _ in [inner] }
  }

  /// Whether `value` is what was to be read, with every bit of every number.
  package func isExactly(_ value: Value?) -> Bool {
    guard let value else { return false }
    return value.canonicalBytes == read.canonicalBytes && value.patterns == read.patterns
  }
}

extension Value {
  /// The bits of the doubles, which canonical bytes have in a canonical form.
  fileprivate var patterns: [UInt64] {
    switch self {
    case .double(let number): [number.bitPattern]
    case .array(let elements): elements.flatMap(\.patterns)
    case .map(let map): map.entries.flatMap(\.value.patterns)
    case .null, .bool, .int, .string, .data, .time, .record, .unknown: []
    }
  }
}
