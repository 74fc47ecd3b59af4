import RejoinCore
import Testing

struct JSONReaderTests {
  @Test func `a text is read with its members in order`() throws {
    let text = #" { "b" : [ 1 , -2.5 , "x" , true , false , null , { } , [ ] ] , "a" : { "c" : 0 } } "#
    let expected: JSON = ["b": [1, -2.5, "x", true, false, nil, [:], []], "a": ["c": 0]]
    #expect(try JSON(parsing: text) == expected)
  }

  @Test func `a byte order mark and any white space around the value are skipped`() throws {
    #expect(try JSON(parsing: [0xef, 0xbb, 0xbf] + Array("\r\n\t [1]\n".utf8)) == [1])
  }

  @Test func `escapes stand for their characters`() throws {
    let text = #""\"\\\/\b\f\n\r\t\u0041\u00e9\u00E9\u20ac\ud83d\ude00\u0000""#
    #expect(try JSON(parsing: text) == .string("\"\\/\u{8}\u{c}\n\r\tAéé€😀\u{0}"))
  }

  @Test(
    arguments: [
      (#""\ud83d""#, .loneSurrogate), (#""\ud83dx""#, .loneSurrogate), (#""\ud83d\n""#, .loneSurrogate),
      (#""\ud83d\u0041""#, .loneSurrogate), (#""\ude00""#, .loneSurrogate),
      (#""\ud83d\ud83d""#, .loneSurrogate),
      (#""\x""#, .malformedEscape), (#""\u12g4""#, .malformedEscape), (#""\u+123""#, .malformedEscape),
      ("\"a\nb\"", .controlCharacter), ("\"\u{0}\"", .controlCharacter),
    ] as [(String, JSONError.Problem)])
  func `strings that JSON does not know are refused`(text: String, problem expected: JSONError.Problem) {
    #expect(problem(reading: text) == expected)
  }

  @Test(
    arguments: [
      [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xc3, 0x22],
      [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x5c, 0x6e, 0x80, 0x22], [0xff, 0xfe, 0x31, 0x00],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
    #expect(problem(reading: bytes) == .notUTF8)
  }

  @Test(arguments: [
    "]", "}", ",", ":", "[1,]", "[,1]", "[1 2]", "[1}", #"{"a":1,}"#, #"{"a" 1}"#, "{1:2}", "{a:1}",
    "{'a':1}",
    #"{"a":1]"#, "+1", ".5", "NaN", "Infinity", "tru_", "nul!", "True", "// 1", "\u{a0}1",
  ])
  func `texts that are not JSON are refused`(text: String) {
    guard case .expected = problem(reading: text) else {
      Issue.record("read, or refused for another reason: \(text)")
      return
    }
  }

  @Test(arguments: ["1 2", "[] []", "{}x", "null,", "1\u{0}", "\"\"\"", "0x10", "truefalse"])
  func `nothing may follow the value`(text: String) {
    #expect(problem(reading: text) == .trailingText)
  }

  @Test func `every truncation of a text is told as such`() {
    let corpus = [
      #"{"a":[1,-2.5e-3,"x\n\ud83d\ude00é",true,false,null,{},[]],"é":{"$int":"9007199254740993"}}"#,
      #"["\\","\u00e9",[[[]]],{"a":{"b":{}}}, -0.0 ]"#, #""😀\"€""#, "[ 1 , 2 ]",
    ]
    for bytes in corpus.map({ Array($0.utf8) }) {
      #expect(problem(reading: bytes) == nil)
      for count in bytes.indices { #expect(problem(reading: Array(bytes.prefix(count))) == .endsEarly) }
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `damaged texts are read or refused and never trap`(seed: UInt64) {
    var generator = RandomValues(seed: seed)
    let text = generator.value().json.bytes()
    for _ in 0..<50 {
      var damaged = text
      for _ in 0...Int.random(in: 0...3, using: &generator) {
        guard let index = damaged.indices.randomElement(using: &generator) else { break }
        let byte = UInt8.random(in: .min ... .max, using: &generator)
        damaged[index] = Bool.random(using: &generator) ? byte : UInt8(ascii: "\\")
      }
      guard let json = try? JSON(parsing: damaged) else { continue }
      #expect((try? JSON(parsing: json.bytes())) != nil)
      _ = try? Value(json: json)
    }
  }

  @Test func `a name stands once in an object, and normal forms are different names`() throws {
    #expect(problem(reading: #"{"a":1,"b":2,"a":3}"#) == .duplicateName)
    #expect(problem(reading: #"{"a":1,"\u0061":2}"#) == .duplicateName)
    #expect(problem(reading: #"{"a":1,"b":{"a":2}}"#) == nil)
    let json = try JSON(parsing: "{\"\u{e9}\":1,\"e\u{301}\":2}")
    #expect(json["\u{e9}"] == 1)
    #expect(json["e\u{301}"] == 2)
    let members = (0..<1_000).map { "\"\($0)\":0" }.joined(separator: ",")
    #expect(problem(reading: "{\(members)}") == nil)
    #expect(problem(reading: "{\(members),\"3\":0}") == .duplicateName)
    #expect(problem(reading: "{\(members),\"998\":0}") == .duplicateName)
  }

  @Test(arguments: ["[", #"{"a":"#, #"[{"a":"#])
  func `nesting without end is a typed error`(opening: String) {
    let expected = JSONError.Problem.overLimit("depth of the text", limit: Limits.jsonDepth)
    #expect(problem(reading: String(repeating: opening, count: 100_000)) == expected)
  }

  @Test func `nesting is read up to the limit and not further`() {
    let limit = Limits.jsonDepth
    let deepest = String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
    #expect(problem(reading: deepest) == nil)
    #expect(problem(reading: "[\(deepest)]") == .overLimit("depth of the text", limit: limit))
  }

  @Test func `errors name line and column in code points, say what to do, and repeat nothing of the text`() {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: "{\n  \"é\": 1,\n  \"ü😀\": secret\n}") }
    #expect(error?.position?.line == 3)
    #expect(error?.position?.column == 9)
    #expect(error?.description == "JSON, line 3, column 9: expected a value; correct the text.")
  }
}
