import RejoinCore
import Testing

/// Records from JSON files.
struct ImportTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func `an array of objects becomes records; a second import changes only what differs`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try workspace.write(#"{"d":{"~/":[{"k":"one","v":1,"n":null},{"k":2,"v":[1]}]}}"#, to: "in")
      let arguments = ["import", "a", "c", "in", "--at", "/d/~0~1", "--id", "k", "--json"]
      let first = try await Tool.run(arguments, in: workspace.folder).json
      #expect(first["inserted"] == 2 && first["updated"] == 0 && first["unchanged"] == 0)
      let id = RecordID.derived(from: "one", in: "c").description
      #expect(try await workspace.succeed("get", "a", "c", id).output == "k=\"one\"\nn=null\nv=1\n")
      let number = RecordID.derived(from: "2", in: "c").description
      #expect(try await workspace.succeed("get", "a", "c", number).output == "k=2\nv=[1]\n")

      let version = try await workspace.succeed("status", "a", "--json").json["vector"]
      #expect(try await Tool.run(arguments, in: workspace.folder).json["unchanged"] == 2)
      #expect(try await workspace.succeed("status", "a", "--json").json["vector"] == version)

      try workspace.write(#"{"d":{"~/":[{"k":"one","v":null},{"k":2,"v":[1]}]}}"#, to: "in")
      let third = try await Tool.run(arguments, in: workspace.folder).json
      #expect(third["inserted"] == 0 && third["updated"] == 1 && third["unchanged"] == 1)
      #expect(try await workspace.succeed("get", "a", "c", id).output == "k=\"one\"\nn=null\nv=null\n")
      #expect(try await Tool.run(arguments, in: workspace.folder).json["unchanged"] == 2)
    }
  }

  @Test func `an object of objects takes its names as keys, unless a member is named for that`() async throws
  {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let input = #"{"x":{"v":1},"\#(Self.id)":{"v":2}}"#
      #expect(try await workspace.run("import", "a", "c", "-", input: input).code == 0)
      let derived = RecordID.derived(from: "x", in: "c").description
      #expect(try await workspace.succeed("get", "a", "c", derived).output == "v=1\n")
      #expect(try await workspace.succeed("get", "a", "c", Self.id).output == "v=2\n")
      try await workspace.succeed("import", "a", "d", "-", "--id", "v", input: input)
      let keyed = RecordID.derived(from: "1", in: "d").description
      #expect(try await workspace.succeed("get", "a", "d", keyed).output == "v=1\n")
    }
  }

  @Test func `a UUID under id is the record's id and never a field`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("import", "a", "c", "-", input: #"[{"id":"\#(Self.id)","v":1},{}]"#)
      #expect(try await workspace.succeed("get", "a", "c", Self.id).output == "v=1\n")
      let records = try await workspace.succeed("list", "a", "c", "--json").json["records"]?.elements ?? []
      #expect(records.map { $0["fields"] } == [["v": 1], [:]])
      try await workspace.succeed("import", "a", "d", "-", "--id", "id", input: #"[{"id":"seven"}]"#)
      let derived = RecordID.derived(from: "seven", in: "d").description
      #expect(try await workspace.succeed("get", "a", "d", derived, "--json").json["fields"] == [:])
    }
  }

  @Test func `an id that is no UUID is replaced, and the tool says so`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let outcome = try await workspace.run("import", "a", "c", "-", "--json", input: #"[{"id":"seven"}]"#)
      #expect(outcome.code == 0)
      #expect(try outcome.json["ids_replaced"] == 1)
      #expect(outcome.errors.contains("--id id"))
    }
  }

  @Test(arguments: [
    (#"[{"v":1},7]"#, "object 1 is no object"), (#"{"x":{"v":1},"y":[]}"#, #"object "y" is no object"#),
    (#"[{"v":1},{"v":{"$no":1}}]"#, "object 1"), (#"[{"v":1},{"":1}]"#, "object 1"),
    (#"[{"id":"\#(id)"},{"id":"\#(id)"}]"#, "object 1"), (#"[{"v":1},{"v":1,"v":2}]"#, "line 1, column 17"),
    (#"[{"v":1}"#, "ends in the middle"), ("7", "an array or an object of objects"), ("", "JSON"),
    ("[{\"v\":1},{\"v\":\"\u{1}\"}]", "control character"), (#"[{"v":1},{"v":1e999}]"#, "out of range"),
  ])
  func `one bad object stops the whole import`(input: String, message: String) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let before = try await workspace.succeed("status", "a", "--json").json
      let outcome = try await workspace.fail(1, "import", "a", "c", "-", input: input)
      #expect(outcome.errors.contains(message))
      #expect(try await workspace.succeed("status", "a", "--json").json == before)
    }
  }

  @Test func `a pointer that leads nowhere and a key that is missing are refused`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try workspace.write(#"[{"k":"one"},{"k":null}]"#, to: "in")
      try await workspace.fail(1, "import", "a", "c", "in", "--at", "/no")
      try await workspace.fail(1, "import", "a", "c", "in", "--at", "no")
      let outcome = try await workspace.fail(1, "import", "a", "c", "in", "--id", "k")
      #expect(outcome.errors.contains("object 1"))
      #expect(try await workspace.succeed("list", "a", "c").output.isEmpty)
    }
  }
}
