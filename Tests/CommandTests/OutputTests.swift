import RejoinCore
import Testing

/// The promise of `--json`: one object, with exactly the keys that the help lists.
struct OutputTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func `every verb prints one object whose keys its help documents`() async throws {
    try await Workspace.with { workspace in
      let commands = [
        ["init", "a"], ["init", "b"], ["set", "a", "c", Self.id, "x=1"], ["get", "a", "c", Self.id],
        ["list", "a", "c"], ["append", "a", "log", "{}"], ["log", "a", "log"], ["status", "a"],
        ["delta", "a", "--since", "b", "-o", "out"], ["merge", "b", "out"], ["sync", "a", "b"],
        ["explain", "a", "c", Self.id, "x"], ["delete", "a", "c", Self.id], ["restore", "a", "c", Self.id],
        ["export", "a", "c", "-"], ["export", "a", "c", "records"], ["import", "a", "c", "records"],
        ["doctor", "a"], ["outbox", "a"],
      ]
      let help = try await workspace.succeed("help", "--json").json
      var documented: [String: Set<String>] = [:]
      for verb in help["verbs"]?.elements ?? [] {
        documented[verb["name"]?.text ?? ""] = Set(verb["keys"]?.names ?? [])
      }
      for command in commands {
        let outcome = try await Tool.run(command + ["--json"], in: workspace.folder)
        #expect(outcome.code == 0, "\(command): \(outcome.errors)")
        #expect(outcome.errors.isEmpty)
        let keys = Set(try outcome.json.names)
        let isExport = command[0] == "export"
        let promised = try #require(documented[command[0]])
        #expect(isExport ? keys.isSubset(of: promised) : keys == promised, "\(command)")
      }
    }
  }

  @Test func `a failure is one object with exit code, kind and message, and the sentence on standard error`()
    async throws
  {
    try await Workspace.with { workspace in
      let missing = try await workspace.run("status", "no", "--json")
      #expect(missing.code == 3)
      #expect(try missing.json.names == ["error"])
      #expect(try missing.json["error"]?.names == ["exit", "kind", "message"])
      #expect(try missing.json["error"]?["kind"] == "storage")
      #expect(missing.errors.hasPrefix("rejoin: There is no file no."))
      let usage = try await workspace.run("status", "--json")
      #expect(try usage.json["error"]?["usage"]?.text.hasPrefix("rejoin status FILE") == true)
      try await workspace.makeReplicas("a")
      let refused = try await workspace.run("get", "a", "c", Self.id, "--json")
      #expect(try refused.json["error"]?["kind"] == "refused")
    }
  }

  @Test func `progress stays off a standard error that is no terminal`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let objects = JSON.array((0..<1_200).map { ["n": .int($0)] })
      try await workspace.succeed("import", "a", "c", "-", input: objects.text())
    }
  }
}
