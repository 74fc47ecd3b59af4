import Foundation
import RejoinCore
import TestSupport
import Testing

/// `rejoin push`, `pull` and `cycle` against a server over real HTTP.
struct ServerTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  /// Gives `body` a folder with a replica in it, and a server.
  private static func with(_ body: (Workspace, TestServer, String) async throws -> Void) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await TestServer.with { server in
        try await body(workspace, server, try server.url.absoluteString)
      }
    }
  }

  @Test func `what one file pushes the other one pulls, and a cycle does both`() async throws {
    try await Self.with { workspace, server, url in
      try await workspace.succeed("set", "a", "jobs", Self.id, #"title="Fix the lift""#)
      try await workspace.succeed("append", "a", "photos", #"{"file":"1.jpg"}"#)
      let before = try await workspace.succeed("status", "a").output
      #expect(!before.contains("server"))
      let pushed = try await workspace.succeed("push", "a", "--server", url, "--logs", "photos")
      #expect(pushed.output == "2 sent.\n")
      #expect(try await server.state()["rows"]?.elements.count == 2)

      let pulled = try await workspace.succeed("pull", "b", "--server", url, "--logs", "photos,activity")
      #expect(pulled.output == "2 fetched.\n")
      #expect(try await workspace.succeed("list", "b", "jobs", "--json").output.contains("Fix the lift"))
      #expect(try await workspace.succeed("log", "b", "photos").output.contains("1.jpg"))

      try await workspace.succeed("set", "b", "jobs", Self.id, #"status="done""#)
      let cycle = try await workspace.succeed("cycle", "b", "--server", url, "--json").json
      #expect(
        cycle["sent"] == 1 && cycle["fetched"] == 1 && cycle["waiting"] == 0 && cycle["stopped"] == .null)
      let text = try await workspace.succeed("cycle", "a", "--server", url).output
      #expect(text == "0 sent.\n2 fetched.\n")
      #expect(
        try await workspace.succeed("get", "a", "jobs", Self.id, "--json").json["fields"]
          == ["status": "done", "title": "Fix the lift"])
    }
  }

  @Test func `push fetches nothing and pull sends nothing`() async throws {
    try await Self.with { workspace, server, url in
      try await workspace.succeed("set", "a", "jobs", Self.id, "x=1")
      try await workspace.succeed("pull", "a", "--server", url)
      #expect(try await server.state()["rows"]?.elements.isEmpty == true)
      #expect(try await workspace.succeed("outbox", "a", "--json").json["waiting"]?.elements.count == 1)
      try await server.edit([
        "writes": [["entity": "jobs", "id": "01890a5d-ac96-774b-bcce-b302099a8058", "fields": ["x": 2]]]
      ])
      try await workspace.succeed("push", "a", "--server", url)
      #expect(try await workspace.succeed("list", "a", "jobs").output.split(separator: "\n").count == 1)
    }
  }

  @Test func `only the collections that are named travel, and later calls remember them`() async throws {
    try await Self.with { workspace, server, url in
      for collection in ["jobs", "notes", "drafts"] {
        try await workspace.succeed("set", "a", collection, "new", "x=1")
      }
      try await workspace.succeed(
        "push", "a", "--server", url, "--collections", "jobs,notes", "--logs", "photos")
      try await workspace.succeed("set", "a", "drafts", "new", "x=2")
      try await workspace.succeed("append", "a", "photos", "{}")
      #expect(try await workspace.succeed("outbox", "a").output.hasSuffix("\n1 waiting.\n"))
      let status = try await workspace.succeed("status", "a", "--json").json
      #expect(
        status["servers"] == [
          ["name": "main", "waiting": 1, "needs_attention": 0, "refused": 0, "quarantined": 0]
        ])
      try await workspace.succeed("push", "a", "--server", url)
      let rows = try await server.state()["rows"]?.elements ?? []
      #expect(rows.compactMap { $0["entity"]?.text }.sorted() == ["jobs", "notes", "photos"])
    }
  }

  @Test func `a log that is named later travels from its beginning`() async throws {
    try await Self.with { workspace, server, url in
      try await workspace.succeed("append", "a", "photos", #"{"file":"1.jpg"}"#)
      #expect(try await workspace.succeed("push", "a", "--server", url).output == "0 sent.\n")
      #expect(
        try await workspace.succeed("push", "a", "--server", url, "--logs", "photos").output == "1 sent.\n")
      #expect(try await server.state()["rows"]?.elements.count == 1)
    }
  }

  @Test func `two servers of one file have an outbox each`() async throws {
    try await Self.with { workspace, server, url in
      try await workspace.succeed("set", "a", "jobs", Self.id, "x=1")
      try await workspace.succeed("push", "a", "--server", url)
      #expect(try await workspace.succeed("outbox", "a").output == "The server holds everything.\n")
      #expect(try await workspace.succeed("outbox", "a", "--name", "copy").output.hasSuffix("\n1 waiting.\n"))
      let again = try await workspace.succeed("push", "a", "--server", url, "--name", "copy", "--json").json
      #expect(again["server"] == "copy")
      let servers = try await workspace.succeed("status", "a", "--json").json["servers"]?.elements ?? []
      #expect(servers.compactMap { $0["name"]?.text } == ["copy", "main"])
      #expect(try await server.state()["rows"]?.elements.count == 1)
    }
  }

  @Test func `the token comes from the option or the environment, and a refusal says where to put it`()
    async throws
  {
    try await Self.with { workspace, server, url in
      try await server.control(["settings": ["token": "secret"]])
      try await workspace.succeed("set", "a", "jobs", Self.id, "x=1")
      let refused = try await workspace.run("push", "a", "--server", url)
      #expect(refused.code == 4)
      #expect(refused.output == "0 sent, 1 waiting.\n")
      #expect(refused.errors.contains("wants a token") && refused.errors.contains("REJOIN_TOKEN"))
      let wrong = try await workspace.run("push", "a", "--server", url, "--token", "other", "--json")
      #expect(wrong.code == 4)
      #expect(try wrong.json["stopped"] == ["reason": "signed_out", "status": .null])
      let fromEnvironment = try await Tool.runScript(
        "REJOIN_TOKEN=secret rejoin push a --server \(url)", in: workspace.folder)
      #expect(fromEnvironment.code == 0 && fromEnvironment.output == "1 sent.\n")
      // The option counts before the variable.
      let both = try await Tool.runScript(
        "REJOIN_TOKEN=other rejoin pull a --server \(url) --token secret", in: workspace.folder)
      #expect(both.code == 0)
    }
  }

  @Test func `a version that the server does not serve ends with code 4 and is kept once it is said`()
    async throws
  {
    try await Self.with { workspace, server, url in
      try await server.control(["settings": ["schema_version": 3, "min_schema_version": 2]])
      try await workspace.succeed("set", "a", "jobs", Self.id, "x=1")
      let refused = try await workspace.run("cycle", "a", "--server", url, "--json")
      #expect(refused.code == 4)
      #expect(try refused.json["stopped"]?["reason"] == "upgrade_required")
      #expect(refused.errors.contains("--schema"))
      try await workspace.succeed("cycle", "a", "--server", url, "--schema", "3")
      try await workspace.succeed("set", "a", "jobs", Self.id, "x=2")
      try await workspace.succeed("cycle", "a", "--server", url)
    }
  }

  @Test func `a server that asks to wait or speaks another language ends with code 4`() async throws {
    try await Self.with { workspace, server, url in
      try await workspace.succeed("set", "a", "jobs", Self.id, "x=1")
      let foreign = try await workspace.run("cycle", "a", "--server", url + "/elsewhere", "--json")
      #expect(foreign.code == 4)
      #expect(try foreign.json["stopped"] == ["reason": "foreign_answer", "status": 404])
      try await server.fault("refuse", [JSON.Member("status", 503), JSON.Member("on", "pull")])
      let busy = try await workspace.run("cycle", "a", "--server", url)
      #expect(busy.code == 4)
      #expect(busy.output == "1 sent.\n0 fetched.\n", "what was sent before it stopped is told")
      #expect(busy.errors.contains("status 503"))
    }
  }

  @Test func `a busy server is left alone for as long as it wishes, unless somebody insists`() async throws {
    try await Self.with { workspace, server, url in
      try await workspace.succeed("set", "a", "jobs", Self.id, "x=1")
      try await server.fault(
        "refuse", [JSON.Member("status", 503), JSON.Member("retry_after_s", 600), JSON.Member("next", 1)])
      #expect(try await workspace.run("push", "a", "--server", url).code == 4)
      let waiting = try await workspace.run("push", "a", "--server", url, "--json")
      #expect(waiting.code == 4)
      #expect(try waiting.json["stopped"]?["reason"] == "waiting" && waiting.json["requests"] == 0)
      #expect(waiting.errors.contains("--ignore-waits"))
      #expect(
        try await workspace.succeed("push", "a", "--server", url, "--ignore-waits").output == "1 sent.\n")
    }
  }

  @Test func `a server that cannot be reached ends with code 4, and everything stays`() async throws {
    try await Self.with { workspace, server, url in
      server.stop()
      try await workspace.succeed("set", "a", "jobs", Self.id, "x=1")
      for verb in ["push", "pull", "cycle"] {
        let outcome = try await workspace.run(verb, "a", "--server", url, "--json")
        #expect(outcome.code == 4)
        #expect(try outcome.json["stopped"] == ["reason": "unreachable", "status": .null])
        #expect(outcome.errors.hasPrefix("rejoin: The server could not be reached."))
      }
      #expect(try await workspace.run("push", "a", "--server", url).output == "0 sent, 1 waiting.\n")
      #expect(try await workspace.succeed("outbox", "a").output.hasSuffix("\n1 waiting.\n"))
    }
  }

  @Test func `a server whose pages do not move ends with code 4`() async throws {
    try await Self.with { workspace, server, url in
      try await server.fault("empty_page", [JSON.Member("mode", "still")])
      let outcome = try await workspace.fail(4, "pull", "a", "--server", url)
      #expect(outcome.errors.contains("does not move on"))
    }
  }

  @Test(arguments: [
    ["--server", "example.com"], ["--server", "ftp://example.com"], ["--server", "http://"],
    ["--server", ""],
    ["--server", "http://example.com?x=1"], ["--server", "http://127.0.0.1:1", "--dialect", "7"],
    ["--server", "http://127.0.0.1:1", "--schema", "0"],
    ["--server", "http://127.0.0.1:1", "--logs", "a,,b"],
    ["--server", "http://127.0.0.1:1", "--collections", ""],
    ["--server", "http://127.0.0.1:1", "--name", ""],
    [],
  ])
  func `what cannot be meant is wrong usage, and nothing is touched`(words: [String]) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let outcome = try await Tool.run(["cycle", "a"] + words, in: workspace.folder)
      #expect(outcome.code == 2)
      #expect(outcome.errors.contains("\nUsage: rejoin cycle FILE --server URL"))
      if words.contains("7") { #expect(outcome.errors.contains("the tool knows: 000, 001, 002, 003, 004.")) }
      #expect(try await workspace.succeed("status", "a", "--json").json["servers"] == [])
    }
  }

  @Test func `a file that is not there ends with code 3`() async throws {
    try await Workspace.with { workspace in
      try await workspace.fail(3, "push", "no", "--server", "http://127.0.0.1:1")
      try await workspace.fail(3, "outbox", "no")
    }
  }
}
