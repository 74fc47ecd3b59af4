import RejoinCore
import Testing

/// Counters and sets of records.
struct CountingTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func `increments of two files add up`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1")
      let first = try await workspace.succeed("increment", "a", "c", Self.id, "n", "--json").json
      #expect(first["value"] == 1)
      try await workspace.succeed("sync", "a", "b")
      try await workspace.succeed("increment", "a", "c", Self.id, "n", "--by", "10")
      let other = try await workspace.succeed("increment", "b", "c", Self.id, "n", "--by", "-3")
      #expect(other.line == "n of \(Self.id) is -2.")
      try await workspace.succeed("sync", "a", "b")
      for file in ["a", "b"] {
        let fields = try await workspace.succeed("get", file, "c", Self.id, "--json").json["fields"]
        #expect(fields == ["n": 8, "x": 1])
      }
      try await workspace.succeed("doctor", "a")
      let reason = try await workspace.succeed("explain", "a", "c", Self.id, "n", "--json").json
      #expect(reason["reason"] == "The sum of what 3 openings of replicas added.")
      #expect(reason["contributions"]?.elements.count == 3)
      #expect(try await workspace.succeed("reset", "b", "c", Self.id, "n", "--json").json["value"] == 0)
      try await workspace.succeed("increment", "a", "c", Self.id, "n", "--by", "50")
      try await workspace.succeed("sync", "a", "b")
      #expect(try await workspace.succeed("get", "a", "c", Self.id, "--json").json["fields"]?["n"] == 50)
      try await workspace.succeed("set", "a", "c", Self.id, "n=100")
      #expect(try await workspace.succeed("get", "a", "c", Self.id, "--json").json["fields"]?["n"] == 100)
    }
  }

  @Test func `adding wins over a removal elsewhere`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1")
      try await workspace.succeed("add", "a", "c", Self.id, "s", #""red""#)
      try await workspace.succeed("sync", "a", "b")
      let removed = try await workspace.succeed("remove", "b", "c", Self.id, "s", #""red""#, "--json").json
      #expect(removed["value"]?.elements.isEmpty == true)
      try await workspace.succeed("add", "a", "c", Self.id, "s", #""red""#)
      try await workspace.succeed("add", "b", "c", Self.id, "s", "7")
      try await workspace.succeed("sync", "a", "b")
      let fields = try await workspace.succeed("get", "a", "c", Self.id, "--json").json["fields"]
      #expect(fields?["s"] == [7, "red"])
      let reason = try await workspace.succeed("explain", "a", "c", Self.id, "s").output
      #expect(reason.contains("counted: element \"red\" removed at "))
    }
  }

  @Test func `what cannot be counted is refused`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.fail(1, "increment", "a", "c", Self.id, "n")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1")
      try await workspace.fail(2, "increment", "a", "c", Self.id, "n", "--by", "many")
      try await workspace.fail(2, "add", "a", "c", Self.id, "s", "red")
      try await workspace.succeed("increment", "a", "c", Self.id, "n")
      let refused = try await workspace.fail(1, "set", "a", "c", Self.id, #"n="x""#)
      #expect(refused.errors.contains("is a counter or a set"))
    }
  }
}
