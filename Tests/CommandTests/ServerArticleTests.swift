import Foundation
import RejoinCore
import TestSupport
import Testing

/// The article about plain servers shows what the tool prints.
struct ServerArticleTests {
  private static let article = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/RejoinOutbox/RejoinOutbox.docc/PlainServers.md")

  @Test func `its commands print what stands below them, but for the ids`() async throws {
    let text = try String(contentsOf: Self.article, encoding: .utf8)
    let script = try #require(Self.block("sh", of: text))
    let shown = try #require(Self.block("text", of: text))
    try await Workspace.with { workspace in
      try await workspace.succeed("init", "phone.sqlite")
      try await TestServer.with { server in
        try await server.fault(
          "outcome",
          [
            JSON.Member("outcome", "rejected"), JSON.Member("reason", "too long"), JSON.Member("skip", 1),
          ])
        let url = try server.url.absoluteString
        // A refusal ends with code 1, and what stands behind it is to run all the same.
        let commands = script.replacing("https://example.com/api", with: url)
          .split(separator: "\n").map { "\($0) || true" }.joined(separator: "\n")
        let outcome = try await Tool.runScript(commands, in: workspace.folder)
        #expect(outcome.errors.isEmpty)
        #expect(Self.masked(outcome.line) == Self.masked(shown))
      }
    }
  }

  private static func block(_ language: String, of text: String) -> String? {
    text.components(separatedBy: "```\(language)\n").dropFirst().first?.components(separatedBy: "\n```").first
  }

  /// The text with an X for every UUID.
  private static func masked(_ text: String) -> String {
    text.replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "X")
  }
}
