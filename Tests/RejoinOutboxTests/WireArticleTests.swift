import Foundation
import RejoinCore
import RejoinOutbox
import Testing

/// The article about the protocol shows what the default dialect sends and understands.
struct WireArticleTests {
  private static let article = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/RejoinOutbox/RejoinOutbox.docc/WireProtocol.md")

  /// The examples in JSON, in their order.
  private static func examples() throws -> [JSON] {
    let text = try String(contentsOf: article, encoding: .utf8)
    return try text.components(separatedBy: "```json\n").dropFirst().map { rest in
      try JSON(parsing: rest.components(separatedBy: "\n```")[0])
    }
  }

  @Test func `its request is one, and its answer is understood`() throws {
    let examples = try Self.examples()
    let id = try #require(OperationID("0f3a9100-0000-4000-8000-000000000011"))
    let record = try #require(RecordID("01939f5e-0000-7000-8000-00000000000a"))
    let entry = OutboxEntry(
      id: id, subject: .record(RecordKey("task", record)), serverID: nil, operation: .insert,
      payload: [JSON.Member("title", "Buy tea"), JSON.Member("done", false)], baseVersion: 0,
      createdAt: 1_764_590_391_000, intent: "Add to the list")
    let request = MutationsDialect().push([entry], OutboxConfiguration())
    #expect(try JSON(parsing: request.body) == examples[0])
    let answers = try MutationsDialect().answers(
      to: [entry], in: HTTPResponse(status: 200, body: examples[1].bytes()))
    #expect(answers == [.applied(version: 1, updatedAt: 1_764_590_400_000, serverID: nil, row: nil)])
  }

  @Test func `its page is understood`() throws {
    let page = try MutationsDialect().page(
      in: HTTPResponse(status: 200, body: try Self.examples()[2].bytes()), from: nil)
    #expect(page.unreadable.isEmpty)
    #expect(page.rows.map(\.id) == ["42"])
    #expect(page.rows.first?.version == 3)
    #expect(page.rows.first?.updatedAt == 1_764_590_300_000)
    #expect(page.epoch == "1")
    let request = try #require(MutationsDialect().pull(from: page.cursor, OutboxConfiguration()))
    #expect(request.path == "/sync")
    #expect(request.query.map(\.name) == ["since", "limit", "schema_version"])
  }
}
