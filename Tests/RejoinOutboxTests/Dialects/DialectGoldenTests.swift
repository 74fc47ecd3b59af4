import RejoinCore
import RejoinOutbox
import Testing

/// The dialects of documents 000 to 003 against requests, answers and queues that were written before they were.
struct DialectGoldenTests {
  @Test(arguments: try GoldenFile.all("push-"))
  func `what goes over the wire is the golden request`(_ golden: GoldenFile) throws {
    let entries = try golden.entries()
    for place in entries.indices.dropFirst() {
      #expect(golden.dialect.joins(entries[place], Array(entries[..<place])))
    }
    let request = golden.dialect.push(entries, golden.configuration)
    #expect(request.golden == golden.json["request"]?.text(sortedNames: true))
  }

  @Test(arguments: try GoldenFile.all("push-"))
  func `what comes back is understood`(_ golden: GoldenFile) throws {
    let (entries, response) = (try golden.entries(), try golden.response())
    let means = try golden.list("means")
    guard !means.isEmpty else {
      #expect(throws: ForeignAnswer.self) { try golden.dialect.answers(to: entries, in: response) }
      return
    }
    let answers = try golden.dialect.answers(to: entries, in: response)
    #expect(answers.map { $0?.word ?? .null } == means)
    if let id = golden.json["id"]?.wireText {
      guard case .applied(_, _, let serverID, _)? = answers.first.flatMap({ $0 }) else {
        throw GoldenFile.Malformed()
      }
      #expect(serverID == id)
    }
    if let reason = golden.json["reason"]?.wireText { #expect(answers == [.rejected(reason: reason)]) }
    if let row = golden.json["row"] {
      #expect(answers.first??.row?.golden(like: row) == ServerRow.expected(row))
    }
    guard case .array(let rows)? = golden.json["rows"] else { return }
    let begun = answers.dropFirst().compactMap { $0?.row }
    #expect(begun.count == rows.count)
    for (row, expected) in zip(begun, rows) {
      #expect(row.golden(like: expected) == ServerRow.expected(expected))
    }
  }

  @Test(arguments: try GoldenFile.all("pull-"))
  func `what is asked for is the golden request`(_ golden: GoldenFile) throws {
    let request = try #require(
      golden.dialect.pull(from: golden.json["since"]?.wireText, golden.configuration))
    #expect(request.golden == golden.json["request"]?.text(sortedNames: true))
  }

  @Test(arguments: try GoldenFile.all("pull-"))
  func `a page is understood row by row`(_ golden: GoldenFile) throws {
    let response = try golden.response()
    let since = golden.json["since"]?.wireText
    guard response.status == 200 else {
      #expect(golden.dialect.saysUnknownCursor(response) == (response.status == 410))
      #expect(throws: ForeignAnswer.self) { try golden.dialect.page(in: response, from: since) }
      return
    }
    let page = try golden.dialect.page(in: response, from: since)
    #expect(page.unreadable.isEmpty)
    #expect(page.cursor == golden.json["next"]?.wireText)
    let rows = try golden.list("rows")
    #expect(page.rows.count == rows.count)
    for (row, expected) in zip(page.rows, rows) {
      #expect(row.golden(like: expected) == ServerRow.expected(expected))
    }
    let body = golden.json["response"]?["body"]
    if let hasMore = golden.json["has_more"] ?? body?["hasMore"] { #expect(.bool(page.hasMore) == hasMore) }
  }

  @Test(arguments: try GoldenFile.all("item-"))
  func `a queue is shown in the document's words`(_ golden: GoldenFile) throws {
    let state = try #require(golden.json["state"])
    let status = try #require(state["status"]?.wireText.flatMap { QueuedChange.Status(rawValue: $0) })
    let change = QueuedChange(
      try golden.entries()[0], status: status, attempts: Int(state["attempts"]?.wireNumber ?? 0),
      since: state["since"]?.wireNumber ?? 0, lastAttemptAt: state["last_attempt_at"]?.wireNumber,
      lastError: state["error"]?.wireText)
    #expect(
      golden.dialect.item(of: change).text(sortedNames: true) == golden.json["item"]?.text(sortedNames: true))
  }

  @Test func `there are golden files for every dialect`() throws {
    for document in GoldenFile.dialects.keys {
      #expect(try GoldenFile.all("").count { $0.document == document } >= 15)
    }
  }
}
