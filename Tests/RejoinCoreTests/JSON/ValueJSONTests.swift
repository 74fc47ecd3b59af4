import Foundation
import RejoinCore
import Synchronization
import Testing

struct ValueJSONTests {
  private static let id = RecordID(high: 0x0189_0a5d_ac96_774b, low: 0xbcce_b302_099a_8057)

  @Test(
    arguments: [
      (.null, "null"), (.bool(true), "true"), (.int(-7), "-7"), (.string("$int"), #""$int""#),
      (.int(1 << 53), "9007199254740992"), (.int(1 << 53 + 1), #"{"$int":"9007199254740993"}"#),
      (.int(-(1 << 53)), "-9007199254740992"), (.int(-(1 << 53) - 1), #"{"$int":"-9007199254740993"}"#),
      (.int(1 << 53 - 1), "9007199254740991"), (.int(.min), #"{"$int":"-9223372036854775808"}"#),
      (.int(.max), #"{"$int":"9223372036854775807"}"#),
      (.double(0.5), "0.5"), (.double(0.1), "0.1"), (.double(.leastNonzeroMagnitude), "5e-324"),
      (.double(1), #"{"$double":"3ff0000000000000"}"#), (.double(-0.0), #"{"$double":"8000000000000000"}"#),
      (.double(1e20), #"{"$double":"4415af1d78b58c40"}"#),
      (.double(1.7976931348623157e308), #"{"$double":"7fefffffffffffff"}"#),
      (.double(.nan), #"{"$double":"NaN"}"#), (.double(.infinity), #"{"$double":"Infinity"}"#),
      (.double(-.infinity), #"{"$double":"-Infinity"}"#),
      (.data([]), #"{"$data":""}"#), (.data([0, 1, 2, 255]), #"{"$data":"AAEC/w=="}"#),
      (.time(1_700_000_000_000), #"{"$time":1700000000000}"#),
      (.time(.max), #"{"$time":"9223372036854775807"}"#),
      (.record(id), #"{"$ref":"01890a5d-ac96-774b-bcce-b302099a8057"}"#),
      (.unknown(kind: 0x10, bytes: [0]), #"{"$unknown":[16,"AA=="]}"#),
      ([1, ["a": [:]]], #"[1,{"a":{}}]"#),
      (["$int": "1"], #"{"$map":{"$int":"1"}}"#), (["$": .null], #"{"$map":{"$":null}}"#),
      (["$map": ["$map": [:]]], #"{"$map":{"$map":{"$map":{"$map":{}}}}}"#),
      (["$int": "1", "a": .null], #"{"$int":"1","a":null}"#),
      (["$int": 1, "$map": 2], #"{"$int":1,"$map":2}"#),
      (["$map": .int(.max)], #"{"$map":{"$map":{"$int":"9223372036854775807"}}}"#),
    ] as [(Value, String)])
  func `a value has one text and comes back from it`(value: Value, text: String) throws {
    #expect(value.json.text().utf8.elementsEqual(text.utf8))
    let read = try Value(json: JSON(parsing: text))
    #expect(read.canonicalBytes == value.canonicalBytes)
  }

  @Test(arguments: 0..<1_000 as Range<UInt64>)
  func `any value comes back with the same canonical bytes`(seed: UInt64) throws {
    var generator = RandomValues(seed: seed)
    let value = generator.value()
    let compact = try Value(json: JSON(parsing: value.json.bytes()))
    #expect(compact.canonicalBytes == value.canonicalBytes)
    let pretty = try Value(json: JSON(parsing: value.json.text(pretty: true, sortedNames: true)))
    #expect(pretty.canonicalBytes == value.canonicalBytes)
  }

  @Test func `equal values have equal text`() {
    let left: Value = ["b": .double(.nan), "é": 1, "e\u{301}": 2]
    let right: Value = ["e\u{301}": 2, "é": 1, "b": .double(Double(nan: 5, signaling: false))]
    #expect(left == right)
    #expect(left.json == right.json)
    #expect(left.json.bytes() == right.json.bytes())
  }

  @Test(
    arguments: [
      (#"{"$int":"1"}"#, 1), (#"{"$map":{"a":1}}"#, ["a": 1]), (#"{"$map":{}}"#, [:]), ("1.0", 1),
      ("1e20", 1e20),
      (#"{"$double":"3FE0000000000000"}"#, 0.5), (#"{"$double":"fff0000000000001"}"#, .double(.nan)),
      (#"{"$time":"5"}"#, .time(5)), ("9007199254740993", .int(1 << 53 + 1)),
      (#"{"b":1,"a":2}"#, ["a": 2, "b": 1]),
    ] as [(String, Value)])
  func `forms that others may write are understood`(text: String, value: Value) throws {
    #expect(try Value(json: JSON(parsing: text)) == value)
  }

  @Test(arguments: [
    #"{"$new":1}"#, #"{"$":1}"#, #"{"$INT":"1"}"#, "{\"$\u{301}\":1}", #"[{"a":{"$set":[]}}]"#,
  ])
  func `tags of newer versions are refused and not taken for maps`(text: String) throws {
    let json = try JSON(parsing: text)
    #expect(throws: JSONError(.unknownTag)) { try Value(json: json) }
  }

  @Test(arguments: [
    ("$int", "1"), ("$int", #""""#), ("$int", #""+1""#), ("$int", #""01""#), ("$int", #""-0""#),
    ("$int", #""9223372036854775808""#), ("$double", "1.5"), ("$double", #""nan""#), ("$double", #""3ff""#),
    ("$data", "[0]"), ("$data", #""AA""#), ("$data", #""AB==""#), ("$time", "1.5"), ("$time", #""x""#),
    ("$time", "null"), ("$ref", #""01890a5d""#), ("$ref", "7"), ("$map", "[]"), ("$map", "null"),
    ("$unknown", "[]"), ("$unknown", #"[15,""]"#), ("$unknown", #"[64,""]"#), ("$unknown", #"[272,""]"#),
    ("$unknown", #"[16,"A"]"#), ("$unknown", #"[16,"",0]"#),
  ])
  func `tags with the wrong content are refused`(tag: String, content: String) throws {
    let json = try JSON(parsing: "{\"\(tag)\":\(content)}")
    #expect(throws: JSONError(.malformedTag(tag))) { try Value(json: json) }
  }

  @Test func `trees that no text gives are refused where they could not be written back`() {
    #expect(throws: JSONError(.duplicateName)) {
      try Value(json: .object([.init("a", 1), .init("b", 2), .init("a", 3)]))
    }
    let many = JSON.array(Array(repeating: .null, count: Limits.valueElements + 1))
    #expect(throws: JSONError(.overLimit("elements of a value", limit: Limits.valueElements))) {
      try Value(json: many)
    }
  }

  @Test func `a map of many names in any order is read in good time`() throws {
    let members = (0..<100_000).reversed().map {
      JSON.Member("name \($0 &* 7919 % 100_000)", .int(Int64($0)))
    }
    guard case .map(let map) = try Value(json: .object(members)) else {
      Issue.record("not a map")
      return
    }
    #expect(map.entries.count == 100_000)
    #expect(map["name 7919"] == 1)
  }

  @Test(arguments: ["a", "$map"])
  func `the deepest value comes back on the stack of a small thread`(name: String) throws {
    let outcome = try onSmallThread {
      var value: Value = .unknown(kind: 0x3f, bytes: [1, 2, 3])
      for level in 0..<Limits.valueDepth { value = level % 8 == 7 ? [value] : [name: value] }
      let text = value.json.text(pretty: true)
      let json = try JSON(parsing: text)
      var hasher = Hasher()
      json.hash(into: &hasher)
      return try Value(json: json).canonicalBytes == value.canonicalBytes && json == value.json
    }
    #expect(outcome)
  }

  @Test func `values that are too deep are refused on the stack of a small thread`() throws {
    let text =
      String(repeating: "[", count: Limits.jsonDepth) + String(repeating: "]", count: Limits.jsonDepth)
    let expected = JSONError(.overLimit("depth of a value", limit: Limits.valueDepth))
    let outcome = try onSmallThread {
      let json = try JSON(parsing: text)
      guard try JSON(parsing: json.text(pretty: true)) == json else { return false }
      do throws(JSONError) {
        _ = try Value(json: json)
        return false
      } catch {
        return error == expected
      }
    }
    #expect(outcome)
  }

  /// Runs `body` on a thread with a stack of 512 KiB, as secondary threads of Apple's systems have.
  private func onSmallThread(_ body: @escaping @Sendable () throws -> Bool) throws -> Bool {
    let result = SmallThreadResult()
    let thread = Thread {
      let outcome = Result { try body() }
      result.outcome.withLock { $0 = outcome }
      result.done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    result.done.wait()
    return try #require(result.outcome.withLock { $0 }).get()
  }
}

private final class SmallThreadResult: Sendable {
  let outcome = Mutex<Result<Bool, any Error>?>(nil)
  let done = DispatchSemaphore(value: 0)
}
