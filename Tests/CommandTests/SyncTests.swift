import Foundation
import RejoinCore
import TestSupport
import Testing

/// Two replica files that meet.
struct SyncTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func `both sides end with one state, and the output says what moved`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "c", "new", "x=1", "y=2")
      try await workspace.succeed("append", "b", "log", "{}")
      let json = try await workspace.succeed("sync", "a", "b", "--json").json
      #expect(json["file"]?["registers_received"] == 0 && json["file"]?["entries_applied"] == 1)
      #expect(json["peer"]?["registers_applied"] == 2 && json["peer"]?["records_inserted"] == 1)
      #expect(json["vectors_equal"] == true && json["digests_equal"] == true)
      #expect(json["digest"] == json["peer_digest"])
      let again = try await workspace.succeed("sync", "b", "a", "--json").json
      #expect(again["file"]?["registers_received"] == 0 && again["peer"]?["entries_received"] == 0)
      #expect(try await workspace.succeed("sync", "a", "b").output.contains("digests equal: "))
      let lists = try await (workspace.succeed("list", "a", "c"), workspace.succeed("list", "b", "c"))
      #expect(lists.0.output == lists.1.output)
    }
  }

  @Test func `concurrent writes are told as a conflict with winner and loser`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "c", Self.id, "x=0", "--now", "1000")
      try await workspace.succeed("sync", "a", "b", "--now", "1000")
      try await workspace.succeed("set", "a", "c", Self.id, #"x="early""#, "--now", "2000")
      try await workspace.succeed("set", "b", "c", Self.id, #"x="late""#, "--now", "3000")
      let json = try await workspace.succeed("sync", "a", "b", "--now", "3000", "--json").json
      let conflict = json["file"]?["conflicts"]?.elements.first
      #expect(conflict?["collection"] == "c" && conflict?["id"] == .string(Self.id))
      #expect(conflict?["field"] == "x")
      #expect(conflict?["winner"]?["value"] == "late" && conflict?["loser"]?["value"] == "early")
      #expect(json["peer"]?["conflicts"] == [])
      #expect(try await workspace.succeed("get", "a", "c", Self.id).output == "x=\"late\"\n")
    }
  }

  @Test func `what is stamped in the future waits, and the output says whose it is`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "c", Self.id, "x=0", "--now", "1000")
      try await workspace.succeed("sync", "a", "b", "--now", "1000")
      let ahead = try await workspace.succeed("status", "b", "--json").json["replica"]
      try await workspace.succeed("set", "b", "c", Self.id, "x=1", "--now", "3600000")
      let json = try await workspace.succeed("sync", "a", "b", "--now", "1000", "--json").json
      let waiting = json["file"]?["waiting"]?.elements.first
      #expect(waiting?["origin"] == ahead && waiting?["count"] == 1)
      #expect(waiting?["offset_milliseconds"] == .int(3_600_000 - 1000 - Limits.maxDriftMilliseconds))
      #expect(try await workspace.succeed("get", "a", "c", Self.id, "--now", "1000").output == "x=0\n")
      #expect(try await workspace.succeed("get", "a", "c", Self.id, "--now", "3600000").output == "x=1\n")
    }
  }

  @Test func `a file with itself, its copy and another data set are refused and left as they are`()
    async throws
  {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("init", "other", "--dataset", "other")
      try await workspace.succeed("set", "a", "c", "new", "x=1")
      try await workspace.succeed("set", "other", "d", "new", "y=1")
      let copy = workspace.folder.appendingPathComponent("copy")
      try FileManager.default.copyItem(at: workspace.folder.appendingPathComponent("a"), to: copy)
      let before = try await workspace.succeed("status", "a", "--json").json
      try await workspace.fail(2, "sync", "a", "./a")
      try await workspace.fail(1, "sync", "a", "copy")
      try await workspace.fail(1, "sync", "a", "other")
      #expect(try await workspace.succeed("status", "a", "--json").json == before)
    }
  }

  @Test func `an empty replica takes the data set of its first peer`() async throws {
    try await Workspace.with { workspace in
      try await workspace.succeed("init", "a")
      try await workspace.succeed("init", "b")
      try await workspace.succeed("set", "a", "c", "new", "x=1")
      try await workspace.succeed("sync", "b", "a")
      let datasets = try await (
        workspace.succeed("status", "a", "--json").json["dataset"],
        workspace.succeed("status", "b", "--json").json["dataset"]
      )
      #expect(datasets.0 == datasets.1)
    }
  }

  @Test func `equal vectors with unequal states end with code 1 and point to doctor`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "c", Self.id, "x=1")
      try await workspace.succeed("sync", "a", "b")
      try workspace.execute("UPDATE c SET x = 2", in: "b")
      let outcome = try await workspace.run("sync", "a", "b")
      #expect(outcome.code == 1)
      #expect(outcome.output.contains("digests differ: "))
      #expect(outcome.errors.contains("rejoin doctor"))
      let json = try await workspace.run("sync", "a", "b", "--json").json
      #expect(json["vectors_equal"] == true && json["digests_equal"] == false)
      #expect(json["digest"] != json["peer_digest"])
    }
  }
}

/// A replica file and a server that is a replica.
struct SyncWithServerTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func `two files meet through a server, and the output says what moved`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await TestServer.with(fidelity: "full") { server in
        let url = try server.url.absoluteString
        try await workspace.succeed("set", "a", "c", Self.id, "x=1", "y=2")
        try await workspace.succeed("append", "b", "log", "{}")
        let first = try await workspace.succeed("sync", "a", url, "--json").json
        #expect(first["sent"]?["registers"] == 2 && first["stopped"] == .null)
        let second = try await workspace.succeed("sync", "b", url, "--json").json
        #expect(second["file"]?["registers_applied"] == 2 && second["sent"]?["entries"] == 1)
        let third = try await workspace.succeed("sync", "a", url)
        #expect(third.output.hasPrefix("a -> server: 0 registers and 0 log entries\n"))
        #expect(try await workspace.succeed("sync", "a", "b", "--json").json["digests_equal"] == true)
        try await server.control(["settings": ["token": "secret"]])
        let refused = try await workspace.run("sync", "a", url)
        #expect(refused.code == 4 && refused.errors.contains("wants a token"))
        try await workspace.succeed("sync", "a", url, "--token", "secret")
      }
    }
  }
}

/// The example of a server that is a replica.
struct ReplicaServerExampleTests {
  @Test func `the example runs, and both devices hold the same`() async throws {
    try await Workspace.with { workspace in
      let outcome = try await Tool.runExample("ReplicaServer", [], in: workspace.folder)
      #expect(outcome.output == "2 registers sent\nthe same on both: true\n")
    }
  }
}
