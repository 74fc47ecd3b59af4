import Foundation
import RejoinCore
import RejoinOutbox
import Testing

/// The default dialect against the requests and answers that were written from the documents before it was.
struct GoldenTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Golden/004")

  private static func files(_ prefix: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(prefix) }.sorted()
  }

  private static func golden(_ file: String) throws -> JSON {
    try JSON(parsing: Array(Data(contentsOf: folder.appendingPathComponent(file))))
  }

  private static func response(_ golden: JSON) throws -> HTTPResponse {
    guard case .int(let status)? = golden["response"]?["status"] else { throw Malformed() }
    return HTTPResponse(status: Int(status), body: golden["response"]?["body"]?.bytes() ?? [])
  }

  private struct Malformed: Error {}

  /// The entries that a request holds.
  private static func entries(_ body: JSON) throws -> [OutboxEntry] {
    guard case .array(let mutations)? = body["mutations"] else { throw Malformed() }
    return try mutations.map { mutation in
      guard case .string(let id)? = mutation["op_id"], let id = OperationID(id),
        case .string(let entity)? = mutation["entity"], case .string(let name)? = mutation["entity_id"],
        case .string(let word)? = mutation["op"], let operation = OutboxEntry.Operation(rawValue: word),
        case .object(let payload)? = mutation["payload"], case .int(let base)? = mutation["base_version"],
        case .int(let time)? = mutation["created_at"]
      else { throw Malformed() }
      var intent: String?
      if case .string(let text)? = mutation["intent"] { intent = text }
      let record = RecordID(name) ?? .derived(from: name, in: entity)
      return OutboxEntry(
        id: id, subject: .record(RecordKey(Collection(entity), record)),
        serverID: RecordID(name) == nil ? name : nil, operation: operation, payload: payload,
        baseVersion: base,
        createdAt: time, intent: intent)
    }
  }

  @Test(arguments: try files("push-"))
  func `what goes over the wire is the golden request`(_ file: String) throws {
    let golden = try Self.golden(file)
    let body = try #require(golden["request"]?["body"])
    let entries = try Self.entries(body)
    let request = MutationsDialect().push(entries, OutboxConfiguration())
    #expect(request.method == "POST")
    #expect(request.path == "/mutations")
    let sent = try JSON(parsing: request.body).text(sortedNames: true)
    var expected = body
    if case .int(let version)? = body["schema_version"], version != 1,
      case .object(let members) = body
    {
      expected = .object(members.map { $0.name == "schema_version" ? JSON.Member($0.name, 1) : $0 })
    }
    #expect(sent == expected.text(sortedNames: true))
    let key = golden["request"]?["headers"]?["Idempotency-Key"]
    let header = request.headers.first { $0.name == "Idempotency-Key" }?.value
    if let key { #expect(key == header.map { JSON.string($0) }) }
  }

  @Test(arguments: try files("push-"))
  func `what comes back is understood`(_ file: String) throws {
    let golden = try Self.golden(file)
    let response = try Self.response(golden)
    let entries = try Self.entries(try #require(golden["request"]?["body"]))
    guard case .object? = golden["response"]?["body"],
      golden["response"]?["body"]?["results"] != nil || golden["response"]?["body"]?["outcome"] != nil
    else {
      #expect(throws: ForeignAnswer.self) { try MutationsDialect().answers(to: entries, in: response) }
      return
    }
    let answers = try MutationsDialect().answers(to: entries, in: response)
    #expect(answers.count == entries.count)
    for (entry, answer) in zip(entries, answers) {
      let isGone = response.status == 404 || response.status == 410
      let said = isGone ? "gone" : try #require(Self.outcome(of: entry, in: golden))
      #expect(Self.word(for: try #require(answer)) == said)
    }
  }

  private static func outcome(of entry: OutboxEntry, in golden: JSON) -> String? {
    guard let body = golden["response"]?["body"] else { return nil }
    var results = [body]
    if case .array(let list)? = body["results"] { results = list }
    let result = results.first { $0["op_id"] == .string(entry.id.description) }
    guard case .string(let word)? = result?["outcome"] else { return nil }
    return word
  }

  private static func word(for answer: EntryAnswer) -> String {
    switch answer {
    case .applied, .begun: "applied"
    case .conflict: "conflict"
    case .gone: "gone"
    case .rejected: "rejected"
    case .retryLater: "retry_later"
    }
  }

  @Test(arguments: try files("pull-"))
  func `a page is understood row by row`(_ file: String) throws {
    let golden = try Self.golden(file)
    let response = try Self.response(golden)
    guard response.status == 200 else {
      #expect(MutationsDialect().saysUnknownCursor(response) == (response.status == 410))
      return
    }
    let page = try MutationsDialect().page(in: response, from: nil)
    #expect(page.unreadable.isEmpty)
    guard case .array(let changes)? = golden["response"]?["body"]?["changes"] else { throw Malformed() }
    #expect(page.rows.count == changes.count)
    for (row, change) in zip(page.rows, changes) {
      #expect(change["id"] == .string(row.id))
      #expect(row.isDeleted == (change["deleted_at"] != .null))
      #expect(change["version"] == row.version.map { .int($0) })
    }
  }
}
