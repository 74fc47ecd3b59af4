import Foundation
import RejoinCore
import TestSupport
import Testing

/// `rejoin cycle --dialect` against a server of that dialect over real HTTP.
struct DialectTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @discardableResult
  private func cycle(_ file: String, _ options: [String], _ workspace: Workspace) async throws -> Tool.Outcome
  {
    let outcome = try await Tool.run(["cycle", file] + options, in: workspace.folder)
    #expect(outcome.code == 0, "\(outcome.errors)")
    return outcome
  }

  @Test(arguments: ["002", "003", "004"])
  func `two files exchange in a dialect`(_ dialect: String) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "b")
      try await TestServer.with(dialect: dialect) { server in
        let options = [
          "--server", try server.url.absoluteString, "--dialect", dialect, "--collections", "jobs",
        ]
        try await workspace.succeed("set", "a", "jobs", Self.id, #"title="Fix the lift""#)
        #expect(try await cycle("a", options, workspace).output.hasPrefix("1 sent.\n"))
        #expect(try await cycle("b", options, workspace).output == "0 sent.\n1 fetched.\n")
        try await workspace.succeed("set", "b", "jobs", Self.id, #"status="done""#)
        try await cycle("b", options, workspace)
        try await cycle("a", options, workspace)
        #expect(
          try await workspace.succeed("get", "a", "jobs", Self.id, "--json").json["fields"]
            == ["status": "done", "title": "Fix the lift"])
      }
    }
  }

  @Test func `a server that shows nothing gets what was written`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await TestServer.with(dialect: "001") { server in
        let options = ["--server", try server.url.absoluteString, "--dialect", "001"]
        try await workspace.succeed("set", "a", "jobs", Self.id, #"title="Fix the lift""#)
        #expect(try await cycle("a", options, workspace).output.hasPrefix("1 sent.\n"))
        #expect(try await server.state()["rows"]?.elements.count == 1)
        #expect(try await cycle("a", options, workspace).output.hasPrefix("0 sent.\n"))
      }
    }
  }

  @Test func `accounts come as a list`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await TestServer.with(dialect: "000") { server in
        let fields: JSON = [
          "email": "ada@example.com", "nickname": .null, "createdAt": "2025-12-01T12:00:00.000Z",
        ]
        try await server.edit(["writes": [["entity": "accounts", "id": "1", "fields": fields]]])
        let options = ["--server", try server.url.absoluteString, "--dialect", "000"]
        #expect(try await cycle("a", options, workspace).output == "0 sent.\n1 fetched.\n")
        #expect(try await workspace.succeed("list", "a", "accounts").output.contains("ada@example.com"))
      }
    }
  }

  @Test func `tables have to be named`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      let outcome = try await Tool.run(
        ["cycle", "a", "--server", "http://127.0.0.1:1", "--dialect", "003"], in: workspace.folder)
      #expect(outcome.errors.contains("--collections"))
    }
  }
}
