import RejoinCore
import Testing

/// Status, doctor and explain: what a replica says about itself.
struct StatusTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func `status counts what is visible, deleted, logged and waiting`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      let empty = try await workspace.succeed("status", "a", "--json").json
      #expect(empty["vector"] == [:] && empty["servers"] == [])
      #expect(empty["digest"] == "00000000000000000000000000000000")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1", "--now", "1000")
      try await workspace.succeed("set", "a", "c", "new", "x=1", "--now", "1000")
      try await workspace.succeed("delete", "a", "c", Self.id, "--now", "1000")
      try await workspace.succeed("append", "a", "activity", "{}", "--now", "1000")
      try await workspace.succeed("set", "b", "d", "new", "x=1", "--now", "10000000")
      try await workspace.succeed("sync", "a", "b", "--now", "1000")
      let status = try await workspace.succeed("status", "a", "--json", "--now", "1000").json
      #expect(status["collections"]?["c"] == nil)
      #expect(
        status["collections"] == [
          ["name": "c", "visible": 1, "deleted": 1], ["name": "d", "visible": 1, "deleted": 0],
        ])
      #expect(status["logs"] == [["name": "activity", "entries": 1]])
      #expect(status["waiting"]?.elements.map { $0["collection"] } == ["d"])
      #expect(status["vector"]?.names.count == 2)
      #expect(HybridTime(status["last_time"]?.text ?? "")?.milliseconds == 1000)
      let text = try await workspace.succeed("status", "a", "--now", "1000").output
      #expect(text.contains("collection \"c\": 1 visible, 1 deleted\n"))
      #expect(text.contains("waits: d "))
      let later = try await workspace.succeed("status", "a", "--json", "--now", "10000000").json
      #expect(later["waiting"] == [])
    }
  }

  @Test func `a fixed clock makes the same timestamps again`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("set", "a", "c", "new", "x=1", "--now", "1700000000000")
      let time = try await workspace.succeed("status", "a", "--json").json["last_time"]?.text ?? ""
      #expect(HybridTime(time) == HybridTime(milliseconds: 1_700_000_000_000))
    }
  }

  @Test func `doctor finds nothing in a sound replica, also with deletions and waiting registers`()
    async throws
  {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1", "--now", "1000")
      try await workspace.succeed("delete", "a", "c", Self.id, "--now", "1000")
      try await workspace.succeed("append", "a", "log", "{}", "--now", "1000")
      try await workspace.succeed("set", "b", "c", Self.id, "x=2", "--now", "99000000")
      try await workspace.succeed("sync", "a", "b", "--now", "1000")
      for now in ["1000", "99000000", "199000000"] {
        let json = try await workspace.succeed("doctor", "a", "--json", "--now", now).json
        #expect(json["findings"] == [])
        #expect(json["records"] == 1 && json["entries"] == 1)
        #expect(json["digest"] == (try await workspace.succeed("status", "a", "--json").json["digest"]))
      }
    }
  }

  @Test(arguments: [
    ("DELETE FROM rejoin_change", "change index"),
    ("UPDATE rejoin_vector SET time = time - 1", "vector"),
    ("UPDATE c SET rejoin_state = x'ff'", "cannot be read"),
    ("UPDATE rejoin_log SET entry = 'no JSON'", "cannot be read"),
  ])
  func `doctor finds what somebody damaged and ends with code 1`(sql: String, finding: String) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1")
      try await workspace.succeed("set", "a", "c", "new", "x=1")
      try await workspace.succeed("append", "a", "log", "{}")
      try workspace.execute(sql, in: "a")
      let outcome = try await workspace.run("doctor", "a")
      #expect(outcome.code == 1)
      #expect(outcome.output.contains("finding: "))
      #expect(outcome.output.contains(finding))
      #expect(outcome.errors.contains("a breaks rules"))
      let json = try await workspace.run("doctor", "a", "--json").json
      #expect(json["findings"]?.elements.isEmpty == false)
    }
  }

  @Test func `explain names the write that shows, and the one that waits`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1", "y=1", "--now", "1000")
      try await workspace.succeed("sync", "a", "b", "--now", "1000")
      try await workspace.succeed("set", "b", "c", Self.id, "x=2", "--now", "99000000")
      try await workspace.succeed("sync", "a", "b", "--now", "1000")
      let json = try await workspace.succeed("explain", "a", "c", Self.id, "x", "--json", "--now", "1000")
        .json
      #expect(json["life"] == .null)
      #expect(json["slots"]?.elements.map { $0["value"] } == [1, 2])
      #expect(json["slots"]?.elements.map { $0["shown"] } == [true, false])
      #expect(json["slots"]?.elements.map { $0["future"] } == [false, true])
      let later = try await workspace.succeed(
        "explain", "a", "c", Self.id, "x", "--json", "--now", "99000000")
      #expect(try later.json["slots"]?.elements.map { $0["shown"] } == [false, true])
      #expect(try await workspace.succeed("explain", "a", "c", Self.id, "z").output.contains("never written"))
      try await workspace.succeed("delete", "a", "c", Self.id, "--now", "2000")
      let deleted = try await workspace.succeed("explain", "a", "c", Self.id, "y", "--json").json
      #expect(deleted["life"]?["count"] == 2)
      try await workspace.fail(1, "explain", "a", "d", Self.id, "x")
    }
  }
}
