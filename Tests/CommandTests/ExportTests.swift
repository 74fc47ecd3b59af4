import RejoinCore
import Testing

/// Records as JSON files.
struct ExportTests {
  private static let first = "00000000-0000-7000-8000-000000000001"
  private static let second = "f0000000-0000-7000-8000-000000000002"

  @Test func `records stand in order of their ids, names in order of their bytes`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("set", "a", "c", Self.second, "z=1", "Z=2", "é=3", "e\u{301}=4")
      try await workspace.succeed("set", "a", "c", Self.first, "x=9007199254740993")
      try await workspace.succeed("set", "a", "c", "new", "gone=1")
      let expected = """
        [
          {
            "id": "\(Self.first)",
            "x": {
              "$int": "9007199254740993"
            }
          },
          {
            "Z": 2,
            "e\u{301}": 4,
            "id": "\(Self.second)",
            "z": 1,
            "é": 3
          }
        ]

        """
      for line in try await workspace.succeed("list", "a", "c").output.split(separator: "\n")
      where line.contains("gone") {
        try await workspace.succeed("delete", "a", "c", String(line.prefix(36)))
      }
      let printed = try await workspace.succeed("export", "a", "c", "-").output
      #expect(Array(printed.utf8) == Array(expected.utf8))
      let json = try await workspace.succeed("export", "a", "c", "out", "--json").json
      #expect(json["count"] == 2 && json["output"] == "out" && json["records"] == nil)
      #expect(try workspace.bytes(of: "out") == Array(expected.utf8))
      let inObject = try await workspace.succeed("export", "a", "c", "-", "--json").json
      #expect(inObject["records"] == (try JSON(parsing: expected)))
    }
  }

  @Test func `what was exported imports elsewhere to the same records`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("init", "b", "--dataset", "elsewhere")
      let double = #"{"$double":"3ff0000000000000"}"#
      try await workspace.succeed("set", "a", "c", "new", "x=1", "y=\(double)", #"z="""#, "m={}", "l=[null]")
      try await workspace.succeed("set", "a", "c", "new", #"o={"$map":{"$int":"5"}}"#, #"t={"$time":5}"#)
      try await workspace.succeed("export", "a", "c", "out")
      try await workspace.succeed("import", "b", "c", "out")
      try await workspace.succeed("export", "b", "c", "back")
      #expect(try workspace.bytes(of: "back") == workspace.bytes(of: "out"))
    }
  }

  @Test func `a collection that nobody wrote to is an empty array, and ids can be left out`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      #expect(try await workspace.succeed("export", "a", "c", "-").output == "[]\n")
      try await workspace.succeed("set", "a", "c", "new", "x=1")
      let printed = try await workspace.succeed("export", "a", "c", "-", "--without-id").output
      #expect(try JSON(parsing: printed) == [["x": 1]])
    }
  }
}
