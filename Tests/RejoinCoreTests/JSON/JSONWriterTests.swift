import RejoinCore
import Testing

struct JSONWriterTests {
  @Test func `compact text has no white space`() {
    let json: JSON = ["b": [1, -2.5, "x", true, false, nil, [:], []], "a": ["c": 0]]
    #expect(json.text() == #"{"b":[1,-2.5,"x",true,false,null,{},[]],"a":{"c":0}}"#)
  }

  @Test func `pretty text has a line for each element and member`() {
    let json: JSON = ["b": [1, [:], []], "a": ["c": 0]]
    let expected = """
      {
        "b": [
          1,
          {},
          []
        ],
        "a": {
          "c": 0
        }
      }
      """
    #expect(json.text(pretty: true) == expected)
  }

  @Test func `sorted names stand in the order of their bytes`() throws {
    let json: JSON = ["é": 1, "z": 2, "e\u{301}": 3, "😀": 4, "\u{ffff}": 5, "": ["b": 1, "a": 2]]
    let expected = "{\"\":{\"a\":2,\"b\":1},\"e\u{301}\":3,\"z\":2,\"é\":1,\"\u{ffff}\":5,\"😀\":4}"
    #expect(json.text(sortedNames: true).utf8.elementsEqual(expected.utf8))
  }

  @Test func `only what JSON demands is escaped`() throws {
    let text = "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é\u{2028}😀"
    let expected = #""\"\\/\b\f\n\r\t\u0000\u001f"# + "\u{7f}é\u{2028}😀\""
    #expect(JSON.string(text).text().utf8.elementsEqual(expected.utf8))
    #expect(try JSON(parsing: expected) == .string(text))
  }

  @Test func `numbers have the shortest text that is theirs`() {
    let json: JSON = [
      0.1, -0.0, .double(.leastNonzeroMagnitude), 1.7976931348623157e308, 1e20, .int(.min), .int(.max),
    ]
    #expect(
      json.text()
        == "[0.1,-0.0,5e-324,1.7976931348623157e+308,1e+20,-9223372036854775808,9223372036854775807]")
  }

  @Test func `numbers that JSON lacks become null`() {
    let json = JSON.array([.double(.nan), .double(.infinity), .double(-.infinity)])
    #expect(json.text() == "[null,null,null]")
  }

  @Test func `trees are compared by bytes, in order`() {
    #expect(JSON.string("é") != .string("e\u{301}"))
    #expect(JSON.object([.init("é", 1)]) != .object([.init("e\u{301}", 1)]))
    #expect(["a": 1, "b": 2] as JSON != ["b": 2, "a": 1])
    #expect(JSON.int(1) != .double(1))
    #expect(JSON.double(0) != .double(-0.0))
    #expect(JSON.double(.nan) == .double(-.nan))
    #expect(Set<JSON>(["é", "e\u{301}", "é", 1, 1.5, 1.5, nil, [], [:], true]).count == 8)
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `what is written is read as the same tree, in either layout`(seed: UInt64) throws {
    var generator = RandomValues(seed: seed)
    let json = generator.value().json
    #expect(try JSON(parsing: json.bytes()) == json)
    #expect(try JSON(parsing: json.text(pretty: true)) == json)
    #expect(json.text().utf8.elementsEqual(json.bytes()))
  }
}
