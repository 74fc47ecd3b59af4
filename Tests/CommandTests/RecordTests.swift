import RejoinCore
import Testing

/// Setting, reading, listing, deleting and restoring records.
struct RecordTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func `new makes an id and prints nothing else`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let id = try await workspace.succeed("set", "a", "people", "new", #"name="Ada""#, "age=36").line
      #expect(RecordID(id) != nil)
      #expect(try await workspace.succeed("get", "a", "people", id).output == "age=36\nname=\"Ada\"\n")
      let json = try await workspace.succeed("set", "a", "people", "new", "x=1", "--json").json
      #expect(json["outcome"] == "inserted")
      #expect(RecordID(json["id"]?.text ?? "") != nil)
    }
  }

  @Test func `set inserts what is not visible and otherwise writes only what it names`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let first = try await workspace.succeed("set", "a", "c", Self.id, "x=1", "y=2", "--json").json
      #expect(first["outcome"] == "inserted")
      let second = try await workspace.succeed("set", "a", "c", Self.id, "y=3", "z=null", "--json").json
      #expect(second["outcome"] == "updated")
      let fields = try await workspace.succeed("get", "a", "c", Self.id, "--json").json["fields"]
      #expect(fields == ["x": 1, "y": 3, "z": nil])
    }
  }

  @Test(arguments: [
    ("9007199254740993", #"{"$int":"9007199254740993"}"#), (#"{"$int":"9007199254740993"}"#, nil),
    ("1", nil), ("1.0", "1"), ("1.5", nil), (#"{"$double":"3ff0000000000000"}"#, nil),
    ("-0.0", #"{"$double":"8000000000000000"}"#), (#"{"$double":"NaN"}"#, nil), ("-9223372036854775808", nil),
    (#""""#, nil), (#""e\u0301""#, "\"e\u{301}\""), (#""é""#, nil), ("{}", nil), ("[]", nil), ("false", nil),
    (#"{"$data":"AAEC"}"#, nil), (#"{"$time":1700000000000}"#, nil),
    (#"{"$ref":"01890a5d-ac96-774b-bcce-b302099a8057"}"#, nil), (#"{"$map":{"$int":"5"}}"#, nil),
    (#"{"b":[1,{"c":null}],"a":"="}"#, #"{"a":"=","b":[1,{"c":null}]}"#),
  ])
  func `values come back in their one JSON form`(given: String, form: String?) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("set", "a", "c", Self.id, "x=\(given)")
      let value = try Value(json: JSON(parsing: given))
      let shown = try await workspace.succeed("get", "a", "c", Self.id, "--json").json["fields"]?["x"]
      #expect(shown == value.json)
      if given.utf8.first != UInt8(ascii: "-") { #expect(shown?.text() == form ?? given) }
      #expect(try await workspace.succeed("get", "a", "c", Self.id).output == "x=\(value.json.text())\n")
    }
  }

  @Test func `one and one point nought as a double are two values, and both survive a sync`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      let double = #"{"$double":"3ff0000000000000"}"#
      try await workspace.succeed("set", "a", "c", Self.id, "whole=1", "double=\(double)")
      try await workspace.succeed("sync", "a", "b")
      let output = try await workspace.succeed("get", "b", "c", Self.id).output
      #expect(output == "double=\(double)\nwhole=1\n")
    }
  }

  @Test func `names in two forms are two names, for fields, collections and logs`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      let (composed, decomposed) = ("\u{e9}", "e\u{301}")
      try await workspace.succeed("set", "a", composed, Self.id, "\(composed)=1", "\(decomposed)=2")
      try await workspace.succeed("set", "a", decomposed, Self.id, "x=3")
      try await workspace.succeed("append", "a", composed, "{}")
      try await workspace.succeed("append", "a", decomposed, "{}")
      try await workspace.succeed("sync", "a", "b")
      let fields = try await workspace.succeed("get", "b", composed, Self.id, "--json").json["fields"]
      #expect(fields == .object([JSON.Member(decomposed, 2), JSON.Member(composed, 1)]))
      let status = try await workspace.succeed("status", "b", "--json").json
      #expect(status["collections"]?.elements.map { $0["visible"] } == [1, 1])
      #expect(status["logs"]?.elements.map { $0["entries"] } == [1, 1])
    }
  }

  @Test func `a name that would break a line of output stands in quotes`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("set", "a", "c", Self.id, "x\ny=1", "z=\"\\n\"")
      #expect(try await workspace.succeed("get", "a", "c", Self.id).output == "\"x\\ny\"=1\nz=\"\\n\"\n")
    }
  }

  @Test func `a name ends at the first equals sign, whatever mark follows it`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.fail(2, "set", "a", "c", Self.id, "x=\u{338}")
      try await workspace.succeed("set", "a", "c", Self.id, #"x="=""#, #"y="≠""#)
      #expect(try await workspace.succeed("get", "a", "c", Self.id).output == "x=\"=\"\ny=\"≠\"\n")
    }
  }

  @Test func `what is deleted is refused by get, listed on demand and comes back whole`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.fail(1, "delete", "a", "c", Self.id)
      try await workspace.fail(1, "restore", "a", "c", Self.id)
      try await workspace.succeed("set", "a", "c", Self.id, "x=1")
      try await workspace.fail(1, "restore", "a", "c", Self.id)
      try await workspace.succeed("delete", "a", "c", Self.id)
      try await workspace.fail(1, "get", "a", "c", Self.id)
      try await workspace.fail(1, "delete", "a", "c", Self.id)
      #expect(try await workspace.succeed("list", "a", "c").output.isEmpty)
      let deleted = try await workspace.succeed("list", "a", "c", "--deleted").output
      #expect(deleted == "\(Self.id) deleted {\"x\":1}\n")
      let restored = try await workspace.succeed("restore", "a", "c", Self.id, "--json").json
      #expect(restored["fields"] == ["x": 1])
      #expect(try await workspace.succeed("list", "a", "c").output == "\(Self.id) {\"x\":1}\n")
    }
  }

  @Test func `inserting under the id of a deleted record begins a life with the new fields only`()
    async throws
  {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1", "y=2")
      try await workspace.succeed("delete", "a", "c", Self.id)
      let json = try await workspace.succeed("set", "a", "c", Self.id, "y=3", "--json").json
      #expect(json["outcome"] == "inserted")
      #expect(try await workspace.succeed("get", "a", "c", Self.id).output == "y=3\n")
    }
  }
}
