import Foundation
import RejoinCore
import RejoinSQLite
import Testing

/// A replica's file is read by programs that know nothing of replicas.
struct ReadableTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func `what is merged stands in columns`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("set", "a", "accounts", Self.id, #"email="ada@example.com""#, "age=36")
      try await workspace.succeed("set", "a", "others", "new", "x=1")
      try await workspace.succeed("delta", "a", "--since", "empty", "-o", "out")
      try await workspace.succeed("merge", "b", "out")
      let all = "SELECT id || ' ' || email || ' ' || age FROM accounts"
      #expect(try text(all, workspace) == "\(Self.id) ada@example.com 36")
      #expect(try text("SELECT CAST(x AS TEXT) FROM others", workspace) == "1")

      try await workspace.succeed("set", "a", "accounts", Self.id, #"nickname="Work""#)
      try await workspace.succeed("delta", "a", "--since", "b", "-o", "out")
      try await workspace.succeed("merge", "b", "out")
      #expect(try text("SELECT email || ' ' || nickname FROM accounts", workspace) == "ada@example.com Work")
    }
  }

  @Test func `a delta that is refused leaves no columns behind`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await workspace.succeed("init", "other", "--dataset", "other")
      try await workspace.succeed("set", "other", "c", "new", "x=1")
      try await workspace.succeed("set", "a", "d", "new", "x=1")
      try await workspace.succeed("delta", "a", "--since", "empty", "-o", "first")
      try await workspace.succeed("sync", "a", "b")
      try await workspace.succeed("set", "a", "d", "new", "y=1")
      try await workspace.succeed("delta", "a", "--since", "b", "-o", "second")
      try await workspace.makeReplicas("c")
      for (file, input) in [("other", "first"), ("c", "second")] {
        let before = try await workspace.succeed("status", file, "--json").json
        try await workspace.fail(1, "merge", file, input)
        #expect(try await workspace.succeed("status", file, "--json").json == before)
      }
    }
  }

  /// The text in the first row that a query of `b` returns; empty when there is none.
  private func text(_ sql: String, _ workspace: Workspace) throws -> String {
    let path = workspace.folder.appendingPathComponent("b").path
    let statement = try SQLiteConnection(path: path, access: .read).prepare(sql)
    return try statement.step() ? statement.text(at: 0) : ""
  }
}
