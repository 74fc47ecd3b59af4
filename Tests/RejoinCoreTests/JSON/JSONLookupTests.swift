import RejoinCore
import Testing

struct JSONLookupTests {
  /// The example of RFC 6901, section 5.
  private static let example: JSON = [
    "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7,
    "m~n": 8,
  ]

  @Test(
    arguments: [
      ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/foo/1", "baz"), ("/", 0), ("/a~1b", 1), ("/c%d", 2),
      ("/e^f", 3), ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8), ("", example),
    ] as [(String, JSON)])
  func `pointers lead where RFC 6901 says`(pointer: String, expected: JSON) throws {
    #expect(try JSONLookupTests.example.at(pointer: pointer) == expected)
  }

  @Test(arguments: ["foo", "foo/0", "/a~b", "/a~", "/~2", "#/foo"])
  func `what is no pointer is refused`(pointer: String) {
    #expect(throws: JSONError(.malformedPointer)) { try JSONLookupTests.example.at(pointer: pointer) }
  }

  @Test(arguments: [
    ("/bar", 1), ("/foo/2", 2), ("/foo/-", 2), ("/foo/00", 2), ("/foo/+1", 2), ("/foo/-0", 2), ("/foo/", 2),
    ("/foo/0/x", 3), ("/a~1b/0", 2), ("/foo/99999999999999999999", 2), ("//x", 2),
  ])
  func `a pointer that leads nowhere says which part of it`(pointer: String, step: Int) {
    #expect(throws: JSONError(.nothingAtPointer(step: step))) {
      try JSONLookupTests.example.at(pointer: pointer)
    }
  }

  @Test func `names are found by their bytes`() throws {
    let json: JSON = ["é": 1, "e\u{301}": 2, "\u{301}": 3, "~1": 4]
    #expect(try json.at(pointer: "/e\u{301}") == 2)
    #expect(try json.at(pointer: "/\u{301}") == 3)
    #expect(try json.at(pointer: "/~01") == 4)
    #expect(json["é"] == 1)
    #expect(json["x"] == nil)
    #expect(([1] as JSON)["0"] == nil)
  }
}
