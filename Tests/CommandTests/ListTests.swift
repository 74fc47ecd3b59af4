import RejoinCore
import Testing

/// Listing records by a value, in an order, and only so many.
struct ListTests {
  private func id(_ number: Int) -> String { "01890a5d-ac96-774b-bcce-b3020000000\(number)" }

  private func withRecords(_ body: (Workspace) async throws -> Void) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("set", "a", "c", id(1), #"name="b""#, "size=2")
      try await workspace.succeed("set", "a", "c", id(2), #"name="a""#, "size=10")
      try await workspace.succeed("set", "a", "c", id(3), #"name="a""#)
      try await workspace.succeed("set", "a", "c", id(4), #"name="a""#, "size=1")
      try await workspace.succeed("delete", "a", "c", id(4))
      try await body(workspace)
    }
  }

  private func numbers(_ workspace: Workspace, _ options: [String]) async throws -> [Int] {
    let outcome = try await Tool.run(["list", "a", "c", "--json"] + options, in: workspace.folder, input: "")
    #expect(outcome.code == 0)
    return try outcome.json["records"]?.elements.compactMap { $0["id"]?.text.last?.wholeNumberValue } ?? []
  }

  @Test(arguments: [
    (["--where", #"name="a""#], [2, 3]), (["--where", "size=null"], [3]), (["--where", "size=2.0"], [1]),
    (["--where", "name=1"], []), (["--sort", "size"], [3, 1, 2]),
    (["--sort", "size", "--descending"], [2, 1, 3]), (["--sort", "name", "--limit", "2"], [2, 3]),
    (["--limit", "1"], [1]), (["--limit", "0"], []),
    (["--deleted", "--where", #"name="a""#, "--sort", "size"], [3, 4, 2]),
  ])
  func `list shows the records that are asked for, in the order that is asked for`(
    _ options: [String], _ expected: [Int]
  ) async throws {
    try await withRecords { workspace in
      let found = try await numbers(workspace, options)
      #expect(found == expected)
    }
  }

  @Test func `list refuses what it cannot read`() async throws {
    try await withRecords { workspace in
      try await workspace.fail(2, "list", "a", "c", "--where", "name")
      try await workspace.fail(2, "list", "a", "c", "--where", "name=a")
      try await workspace.fail(2, "list", "a", "c", "--where", "id=1")
      try await workspace.fail(2, "list", "a", "c", "--sort", "")
      try await workspace.fail(2, "list", "a", "c", "--descending")
      try await workspace.fail(2, "list", "a", "c", "--limit", "-1")
      try await workspace.fail(2, "list", "a", "c", "--limit", "many")
    }
  }
}
