import Foundation
import RejoinCore
import TestSupport
import Testing

/// `rejoin outbox`: what waits, what was refused, and what a person decides about it.
struct OutboxTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"
  private static let other = "01890a5d-ac96-774b-bcce-b302099a8058"

  /// Gives `body` a replica in whose outbox one of two jobs was refused, the server, and the refused key.
  private static func withRefused(
    _ body: (_ workspace: Workspace, _ server: TestServer, _ url: String, _ key: String) async throws -> Void
  ) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await TestServer.with { server in
        let url = try server.url.absoluteString
        try await workspace.succeed("set", "a", "jobs", Self.id, #"note="a note that is too long""#, "n=1")
        try await workspace.succeed("set", "a", "jobs", Self.other, "n=2")
        try await server.fault(
          "outcome",
          [
            JSON.Member("outcome", "rejected"), JSON.Member("reason", "note is too long"),
            JSON.Member("entity_id", .string(Self.id)), JSON.Member("next", 1),
          ])
        let pushed = try await workspace.run("push", "a", "--server", url, "--json")
        #expect(pushed.code == 1)
        #expect(try pushed.json["sent"] == 1 && pushed.json["needs_attention"] == 1)
        let key = try pushed.json.at(pointer: "/refused/0/operation").text
        try await body(workspace, server, url, key)
      }
    }
  }

  @Test func `a refused change is listed with its key, fields and reason, and without its values`()
    async throws
  {
    try await Self.withRefused { workspace, _, url, key in
      let text = try await workspace.succeed("outbox", "a").output
      #expect(
        text == """
          refused: \(key) (insert of jobs \(Self.id): n, note): note is too long
          0 waiting, 1 needs your attention (1 refused).

          """)
      #expect(try await workspace.succeed("outbox", "a", "list").output == text)
      let json = try await workspace.succeed("outbox", "a", "--json").json
      let letter = try json.at(pointer: "/refused/0")
      #expect(letter["operation"]?.text == key && letter["id"]?.text == Self.id)
      #expect(letter["kind"] == "insert" && letter["fields"] == ["n", "note"])
      #expect(letter["reason"] == "note is too long")
      let waiting = try json.at(pointer: "/waiting/0")
      #expect(waiting["state"] == "refused" && waiting["operation"]?.text == key)
      let status = try await workspace.succeed("status", "a")
      #expect(status.output.contains("0 waiting, 1 needs your attention, 1 refused, 0 rows not understood"))
      let again = try await workspace.run("cycle", "a", "--server", url)
      #expect(again.code == 1)
      #expect(again.output.contains("0 sent, 1 needs your attention.\nSee what to do: rejoin outbox a\n"))
    }
  }

  @Test func `an edit sends it under another key`() async throws {
    try await Self.withRefused { workspace, server, url, key in
      let edited = try await workspace.succeed("outbox", "a", "edit", key, #"note="short""#, "--json").json
      #expect(edited["done"] == ["operation": .string(key), "record": .null, "action": "edited"])
      try await workspace.succeed("push", "a", "--server", url)
      let row = try await server.state()["rows"]?.elements.first { $0["id"]?.text == Self.id }
      #expect(row?["fields"] == ["n": 1, "note": "short"])
      #expect(try await server.state()["operations"]?[key]?["applied"] != 1)
      try await workspace.fail(1, "outbox", "a", "edit", key, "n=3")
    }
  }

  @Test func `a retry sends it as it is, under another key`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await TestServer.with { server in try await Self.retry(workspace, server) }
    }
  }

  private static func retry(_ workspace: Workspace, _ server: TestServer) async throws {
    let url = try server.url.absoluteString
    try await server.fault(
      "refuse",
      [
        JSON.Member("status", 422), JSON.Member("body", #"{"error":"no"}"#), JSON.Member("on", "push"),
        JSON.Member("next", 1),
      ])
    try await workspace.succeed("set", "a", "jobs", Self.id, "n=1")
    let pushed = try await workspace.run("push", "a", "--server", url, "--json")
    let key = try pushed.json.at(pointer: "/refused/0/operation").text
    let retried = try await workspace.succeed("outbox", "a", "retry", key)
    #expect(retried.output == "The next push sends it again.\n")
    try await workspace.succeed("push", "a", "--server", url)
    let state = try await server.state()
    guard case .object(let operations)? = state["operations"] else {
      Issue.record("\(state.text())")
      return
    }
    #expect(operations.filter { $0.value["applied"] == 1 }.count == 1)
    #expect(operations.first { $0.name == key }?.value["applied"] == 0)
    try await workspace.fail(1, "outbox", "a", "retry", key)
  }

  @Test func `a discarded insert is gone here, and the other job stays`() async throws {
    try await Self.withRefused { workspace, _, url, key in
      try await workspace.succeed("outbox", "a", "discard", key)
      #expect(try await workspace.succeed("list", "a", "jobs").output.contains(Self.other))
      try await workspace.fail(1, "get", "a", "jobs", Self.id)
      #expect(try await workspace.succeed("push", "a", "--server", url).output == "0 sent.\n")
      #expect(try await workspace.succeed("outbox", "a").output == "The server holds everything.\n")
      try await workspace.fail(1, "outbox", "a", "discard", key)
    }
  }

  @Test func `a refused log entry cannot be edited`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await TestServer.with { server in
        let url = try server.url.absoluteString
        try await server.fault("outcome", [JSON.Member("outcome", "rejected"), JSON.Member("next", 1)])
        try await workspace.succeed("append", "a", "photos", "{}")
        let pushed = try await workspace.run("push", "a", "--server", url, "--logs", "photos", "--json")
        let key = try pushed.json.at(pointer: "/refused/0/operation").text
        let outcome = try await workspace.fail(1, "outbox", "a", "edit", key, "n=1")
        #expect(outcome.errors.contains("never changes: retry or discard it"))
        try await workspace.succeed("outbox", "a", "discard", key)
      }
    }
  }

  @Test
  func `what waits is listed with attempts, the last answer and since when, and after an hour as stuck`()
    async throws
  {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await TestServer.with { server in
        let url = try server.url.absoluteString
        try await server.fault(
          "outcome", [JSON.Member("outcome", "retry_later"), JSON.Member("reason", "later")])
        try await workspace.succeed("set", "a", "jobs", Self.id, "n=1", "--now", "1700000000000")
        let pushed = try await workspace.run("push", "a", "--server", url, "--now", "1700000000000")
        #expect(pushed.code == 1)
        #expect(pushed.output.hasPrefix("0 sent, 1 waiting.\nThe server put off 1 change"))
        try await workspace.succeed("set", "a", "jobs", Self.other, "n=2", "--now", "1700000000500")
        #expect(
          try await workspace.succeed("outbox", "a", "--now", "1700000001000").output == """
            waits: jobs \(Self.id), since 2023-11-14T22:13:20.000Z, 1 attempt, last answer: later
            waits: jobs \(Self.other)
            2 waiting.

            """)
        let later = try await workspace.succeed("outbox", "a", "--now", "1700003600001", "--json").json
        #expect(
          later["waiting"]?.elements.map { $0["state"] } == ["needs_attention", "waiting"])
        let first = try later.at(pointer: "/waiting/0")
        #expect(first["attempts"] == 1 && first["error"] == "later" && first["since"] == 1_700_000_000_000)
        let text = try await workspace.succeed("outbox", "a", "--now", "1700003600001").output
        #expect(
          text.hasPrefix("stuck: ") && text.hasSuffix("1 waiting, 1 needs your attention (0 refused).\n"))
      }
    }
  }

  @Test func `a record that the server changed again and again is told to be written once more`() async throws
  {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await TestServer.with { server in
        let url = try server.url.absoluteString
        try await server.edit(["writes": [["entity": "jobs", "id": .string(Self.id), "fields": ["n": 0]]]])
        try await workspace.succeed("pull", "a", "--server", url)
        try await workspace.succeed("set", "a", "jobs", Self.id, "n=1", "--now", "1700000000000")
        try await server.fault("outcome", [JSON.Member("outcome", "conflict")])
        for round in 0..<6 {
          let now = "\(1_700_000_000_000 + round * 600_000)"
          let pushed = try await workspace.run("push", "a", "--server", url, "--now", now)
          #expect(pushed.code == 1)
          // A wait is drawn, and may be none at all: then one push tries twice, and a later one has nothing to try.
          #expect(round > 0 || pushed.output.contains(" met others on the server."), "\(pushed.output)")
        }
        let outbox = try await workspace.succeed("outbox", "a")
        #expect(outbox.output.hasPrefix("conflict: jobs \(Self.id), since "))
        #expect(
          outbox.output.contains("write it once more with rejoin set\n0 waiting, 1 needs your attention"))
        let json = try await workspace.succeed("outbox", "a", "--json").json
        #expect(try json.at(pointer: "/waiting/0/state") == "conflict")
        let record = "jobs/\(Self.id)"
        #expect(outbox.output.contains("retry or discard \(record), or"))
        #expect(
          try await workspace.succeed("outbox", "a", "retry", record).output
            == "The next push sends it again.\n")
        let early = try await workspace.fail(1, "outbox", "a", "discard", record)
        #expect(early.errors.contains("neither refused nor in conflict"))
      }
    }
  }

  @Test func `a refused record is taken back by its name`() async throws {
    try await Self.withRefused { workspace, _, _, _ in
      let record = "jobs/\(Self.id)"
      for wrong in ["jobs/1", "/\(Self.id)", "jobs/"] {
        let usage = try await workspace.fail(2, "outbox", "a", "discard", wrong)
        #expect(usage.errors.contains("A record is COLLECTION/ID"))
      }
      let json = try await workspace.succeed("outbox", "a", "discard", record, "--json").json
      #expect(json["done"] == ["operation": .null, "record": .string(record), "action": "discarded"])
      try await workspace.fail(1, "get", "a", "jobs", Self.id)
      #expect(try await workspace.succeed("outbox", "a").output == "The server holds everything.\n")
    }
  }

  @Test func `rows that cannot be understood are counted, and shown on demand`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await TestServer.with { server in
        let url = try server.url.absoluteString
        let deep = (0..<100).reduce(JSON.int(1)) { json, _ in .array([json]) }
        try await server.edit([
          "writes": [
            ["entity": "jobs", "id": .string(Self.id), "fields": ["x": deep]],
            ["entity": "jobs", "id": .string(Self.other), "fields": ["x": 1]],
          ]
        ])
        let pulled = try await workspace.run("pull", "a", "--server", url)
        #expect(pulled.code == 1)
        #expect(
          pulled.output == "2 fetched.\n1 row could not be understood and stays as it came: "
            + "rejoin outbox a --quarantined\n")
        let hidden = try await workspace.succeed("outbox", "a", "--json").json
        #expect(hidden["quarantined"] == 1 && hidden["rows"] == .null)
        let shown = try await workspace.succeed("outbox", "a", "--quarantined", "--json").json
        #expect(try shown.at(pointer: "/rows/0/id").text == Self.id)
        let text = try await workspace.succeed("outbox", "a", "--quarantined").output
        #expect(text.contains("not understood: {") && text.hasSuffix("0 waiting, 1 row not understood.\n"))
      }
    }
  }

  @Test(arguments: [
    ["frobnicate"], ["list", "x"], ["retry"], ["retry", "x"], ["discard"], ["discard", id, "x"],
    ["edit", id],
    ["edit", id, "x"], ["edit", "x", "a=1"],
  ])
  func `what an outbox does not know is wrong usage`(words: [String]) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let outcome = try await Tool.run(["outbox", "a"] + words, in: workspace.folder)
      #expect(outcome.code == 2)
      #expect(
        outcome.errors.contains("\nUsage: rejoin outbox FILE [list | retry WHAT | discard WHAT | edit OP"))
    }
  }
}
