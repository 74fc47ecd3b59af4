import RejoinCore
import Testing

/// What the tool says when it is not used as it should be, and when it is asked how.
struct UsageTests {
  @Test(arguments: [
    ["set", "a", "c"], ["set", "a", "c", "new"], ["get", "a", "c"], ["list", "a"], ["append", "a", "log"],
    ["sync", "a"], ["merge", "a"], ["init"], ["status"], ["status", "a", "b"],
    ["delta", "a", "--since", "b"],
    ["delta", "a", "-o", "b"], ["get", "a", "c", "not-an-id"], ["list", "a", "c", "--unknown"],
    ["list", "a", "c", "--deleted", "--deleted"], ["status", "a", "--now"], ["status", "a", "--now", "soon"],
    ["status", "a", "--now", "-1"], ["list", "a", ""], ["set", "a", "c", "new", "name"],
    ["set", "a", "c", "new", "=1"], ["set", "a", "c", "new", "id=1"], ["set", "a", "c", "new", "x=1", "x=2"],
    ["set", "a", "c", "new", #"x={"$no":1}"#], ["append", "a", "log", "[1]"], ["append", "a", "log", "{"],
    ["append", "a", "log", #"{"$int":"5"}"#], ["init", "a", "--dataset", ""],
  ])
  func `wrong usage ends with code 2 and shows the usage of the verb`(words: [String]) async throws {
    try await Workspace.with { workspace in
      let outcome = try await Tool.run(words, in: workspace.folder)
      #expect(outcome.code == 2)
      #expect(outcome.output.isEmpty)
      let lines = outcome.errors.split(separator: "\n")
      #expect(lines.first?.hasPrefix("rejoin: ") == true)
      #expect(lines.last?.hasPrefix("Usage: rejoin \(words[0]) ") == true)
      let error = try await Tool.run(words + ["--json"], in: workspace.folder).json["error"]
      // A trailing option without its value takes the flag as one.
      #expect(error?["exit"] == 2)
      #expect(!workspace.has("a"))
    }
  }

  @Test func `a verb that is missing or unknown ends with code 2`() async throws {
    try await Workspace.with { workspace in
      try await workspace.fail(2)
      let outcome = try await workspace.fail(2, "frobnicate", "a")
      #expect(outcome.errors.contains("frobnicate"))
      #expect(outcome.errors.contains("explain"))
      try await workspace.fail(2, "help", "frobnicate")
      try await workspace.fail(2, "é")
    }
  }

  @Test func `a bare word says how to quote text`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let outcome = try await workspace.fail(2, "set", "a", "people", "new", "name=Ada")
      #expect(outcome.errors.contains(#"'name="text"'"#))
      #expect(try await workspace.succeed("list", "a", "people").output.isEmpty)
    }
  }

  @Test func `help lists every verb, and of each its usage, options and keys`() async throws {
    try await Workspace.with { workspace in
      let overview = try await workspace.succeed("help")
      #expect(try await workspace.succeed("--help").output == overview.output)
      let verbs = try await workspace.succeed("help", "--json").json["verbs"]?.elements ?? []
      let names = verbs.compactMap { $0["name"]?.text }
      let promised = [
        "init", "set", "get", "list", "delete", "restore", "append", "log", "status", "sync", "delta",
        "merge",
        "import", "export", "doctor", "explain", "push", "pull", "cycle", "outbox",
      ]
      #expect(Set(names).isSuperset(of: promised))
      for verb in verbs {
        let name = verb["name"]?.text ?? ""
        #expect(overview.output.contains("rejoin \(name) "))
        let help = try await workspace.succeed("help", name)
        #expect(try await workspace.succeed(name, "--help").output == help.output)
        #expect(help.output.hasPrefix("Usage: \(verb["usage"]?.text ?? "")\n"))
        #expect(help.output.contains("--json") && help.output.contains("--now"))
        #expect(verb["abstract"]?.text.hasSuffix(".") == true)
        #expect(verb["keys"]?.names.isEmpty == false)
      }
    }
  }

  @Test func `arguments behind two hyphens are no options`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.fail(2, "set", "a", "c", "new", "-x=1")
      let id = try await workspace.succeed("set", "a", "c", "new", "--", "-x=1", "--json=2").line
      let fields = try await workspace.succeed("get", "a", "c", id, "--json").json["fields"]
      #expect(fields == ["--json": 2, "-x": 1])
    }
  }
  @Test(arguments: [
    ["set", "a", "\u{fffd}", "new", "x=1"], ["set", "a", "c", "new", "x\u{fffd}=1"],
    ["set", "a", "c", "new", "x=\"\u{fffd}\""], ["list", "a", "\u{fffd}"], ["log", "a", "\u{fffd}"],
    ["append", "a", "log", "{\"\u{fffd}\":1}"], ["init", "b", "--dataset", "\u{fffd}"],
    ["import", "a", "c", "-", "--id", "\u{fffd}"], ["import", "a", "c", "-", "--at", "/\u{fffd}"],
  ])
  func `text that is no UTF-8 is wrong usage`(words: [String]) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let before = try await workspace.succeed("status", "a", "--json").json
      let outcome = try await Tool.run(words, in: workspace.folder)
      #expect(outcome.code == 2)
      #expect(outcome.errors.contains("is no valid UTF-8, or holds the character U+FFFD"))
      #expect(try await workspace.succeed("status", "a", "--json").json == before && !workspace.has("b"))
    }
  }

  @Test func `two names of bytes that are no UTF-8 do not become one`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let outcome = try await Tool.runScript(
        #"rejoin set a "$(printf 'caf\351')" new x=1"#, in: workspace.folder)
      #expect(outcome.code == 2 && outcome.errors.contains("COLLECTION is no valid UTF-8"))
      let id = try await workspace.succeed("set", "a", "c", "new", #"x="\ufffd""#).line
      #expect(try await workspace.succeed("get", "a", "c", id).output == "x=\"\u{fffd}\"\n")
    }
  }
}
