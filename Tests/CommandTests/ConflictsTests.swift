import RejoinCore
import Testing

/// Listing conflicts and resolving them.
struct ConflictsTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  /// Two files that are level and hold one open conflict, "early" having given way to "late", and one of equal values.
  private func withConflict(_ body: (Workspace) async throws -> Void) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "c", Self.id, #"x="early""#, "y=1", "--now", "2000")
      try await workspace.succeed("set", "b", "c", Self.id, #"x="late""#, "y=1", "--now", "3000")
      try await workspace.succeed("sync", "a", "b", "--now", "3000")
      try await body(workspace)
    }
  }

  @Test func `what gave way is listed with its number, everything on demand`() async throws {
    try await withConflict { workspace in
      let json = try await workspace.succeed("conflicts", "b", "--json").json
      #expect(json["open"] == 1 && json["held"] == 2)
      let conflict = try #require(json["conflicts"]?.elements.first)
      #expect(conflict["collection"] == "c" && conflict["id"] == .string(Self.id) && conflict["field"] == "x")
      #expect(conflict["loser"]?["value"] == "early" && conflict["winner"]?["kind"] == "register")
      #expect(conflict["resolved"] == .null && conflict["open"] == true && conflict["shown"] == false)
      guard case .int(let number)? = conflict["number"] else {
        Issue.record("no number")
        return
      }
      let text = try await workspace.succeed("conflicts", "b").output
      #expect(text.hasPrefix("\(number): c \(Self.id) x: \"early\" ("))
      #expect(text.contains(" gave way to the write ") && text.split(separator: "\n").count == 1)
      let all = try await workspace.succeed("conflicts", "b", "--all").output
      #expect(all.split(separator: "\n").count == 2 && all.contains(", shows now\n"))
      let status = try await workspace.succeed("status", "a", "--json").json
      #expect(status["conflicts"] == ["open": 1, "held": 2] && status["logs"] == [])
      #expect(
        try await workspace.succeed("status", "a").output.contains("\nconflicts  1 open, 2 in the ledger\n"))
    }
  }

  @Test(arguments: [("winner", "late"), ("loser", "early")])
  func `a conflict is resolved by its number or its id, for both sides`(
    keep: String, shown: String
  ) async throws {
    try await withConflict { workspace in
      let conflict = try await workspace.succeed("conflicts", "a", "--json").json["conflicts"]?.elements.first
      guard case .int(let number)? = conflict?["number"] else {
        Issue.record("no number")
        return
      }
      let name = keep == "winner" ? "\(number)" : conflict?["conflict"]?.text ?? ""
      let json = try await workspace.succeed(
        "conflicts", "a", "--resolve", name, "--keep", keep, "--now", "4000", "--json"
      ).json
      #expect(json["open"] == 0 && json["conflicts"]?.elements.count == 1)
      #expect(json["conflicts"]?.elements.first?["resolved"]?["kept"] == .string(keep))
      try await workspace.succeed("sync", "a", "b", "--now", "4000")
      #expect(try await workspace.succeed("conflicts", "b").output.isEmpty)
      let all = try await workspace.succeed("conflicts", "b", "--all").output
      #expect(all.contains(", resolved: kept the \(keep)\n"))
      #expect(try await workspace.succeed("get", "b", "c", Self.id).output.contains("x=\"\(shown)\"\n"))
    }
  }

  @Test func `what cannot be resolved is refused and changes nothing`() async throws {
    try await withConflict { workspace in
      let before = try await workspace.succeed("status", "a", "--json").json
      try await workspace.fail(1, "conflicts", "a", "--resolve", "7", "--keep", "loser")
      try await workspace.fail(1, "conflicts", "a", "--resolve", "x", "--keep", "loser")
      try await workspace.fail(2, "conflicts", "a", "--resolve", "1")
      try await workspace.fail(2, "conflicts", "a", "--keep", "loser")
      try await workspace.fail(2, "conflicts", "a", "--resolve", "1", "--keep", "both")
      try await workspace.fail(3, "conflicts", "nowhere")
      try await workspace.fail(1, "append", "a", "rejoin.conflicts", "{}")
      #expect(try await workspace.succeed("status", "a", "--json").json == before)
    }
  }
}
