import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Whatever a server says again and again, an exchange comes to an end.
struct EndlessExchangeTests {
  private let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
  private let server = ScriptedServer()

  private func outbox(
    _ configuration: OutboxConfiguration = OutboxConfiguration(logs: ["visits"]),
    dialect: any Dialect = MutationsDialect()
  ) -> Outbox {
    Outbox(
      Replica(configuration: ReplicaConfiguration(environment: environment.environment)),
      configuration: configuration, dialect: dialect)
  }

  /// Drives an exchange, and fails where it does not end within so many requests.
  private func run(_ outbox: Outbox, within requests: Int) throws -> CycleReport {
    var cycle = outbox.cycle()
    for _ in 0..<requests {
      guard let request = try cycle.next() else { return cycle.report }
      try cycle.receive(server.answer(request))
    }
    Issue.record("the exchange makes more than \(requests) requests")
    return cycle.report
  }

  // MARK: Pushing

  @Test(arguments: [true, false])
  func `a log entry that meets a conflict again and again waits each time`(_ isDeleted: Bool) throws {
    let outbox = outbox()
    let entry = try outbox.replica.append(["a": 1], to: "visits")
    var version: Int64 = 0
    server.override = { request in
      guard request.method == "POST", let json = try? JSON(parsing: request.body),
        case .array(let entries)? = json["mutations"]
      else { return nil }
      let results = entries.map { sent -> JSON in
        version += 1
        return [
          "op_id": sent["op_id"] ?? .null, "outcome": "conflict",
          "server": [
            "entity": isDeleted ? "visits" : "jobs", "id": .string(entry.description),
            "version": .int(version), "deleted_at": isDeleted ? 1 : .null, "fields": ["a": 2],
          ],
        ]
      }
      let body: JSON = ["results": .array(results)]
      return HTTPResponse(status: 200, body: body.bytes())
    }
    for _ in 0..<9 {
      #expect(try run(outbox, within: 6).push.conflicts.count <= 2)
      environment.pass(milliseconds: 120_000)
    }
    server.override = { _ in nil }
    #expect(try run(outbox, within: 4).push.applied.count == 1, "it goes on by itself")
  }

  /// A dialect that has lost the answers to some entries, or has more than it was asked for.
  private struct CountingDialect: Dialect {
    var count: Int

    func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest {
      MutationsDialect().push(entries, configuration)
    }
    func answers(to entries: [OutboxEntry], in response: HTTPResponse) throws(ForeignAnswer) -> [EntryAnswer?]
    {
      Array(repeating: .applied(version: 1, updatedAt: nil, serverID: nil, row: nil), count: count)
    }
    func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest? {
      MutationsDialect().pull(from: cursor, configuration)
    }
    func page(in response: HTTPResponse, from cursor: String?) throws(ForeignAnswer) -> PullPage {
      PullPage(rows: [], cursor: nil, hasMore: false)
    }
    func saysUnknownCursor(_ response: HTTPResponse) -> Bool { false }
  }

  @Test func `an entry for which a dialect has no answer is put off and charged an attempt`() throws {
    let outbox = outbox(OutboxConfiguration(attemptLimit: 2), dialect: CountingDialect(count: 1))
    for number in 0..<3 as Range<Int64> {
      try outbox.replica.insert(["a": .int(number)], id: outbox.replica.newID(), in: "jobs")
    }
    let report = try run(outbox, within: 8)
    #expect(report.push.applied.count == 1)
    #expect(report.push.putOff == 2)
    environment.pass(milliseconds: 120_000)
    #expect(try run(outbox, within: 8).push.rejected.map(\.reason) == ["no answer"])
    #expect(try outbox.deadLetters().map(\.isUndecided) == [true])
  }

  @Test func `more answers than entries say nothing`() throws {
    let outbox = outbox(dialect: CountingDialect(count: 5))
    try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
    #expect(try run(outbox, within: 4).push.applied.count == 1)
    #expect(try outbox.status().isSynced)
  }

  // MARK: Pulling

  private func page(_ cursor: String, row: String? = nil) -> HTTPResponse {
    let rows: [JSON] =
      row.map { [["entity": "jobs", "id": .string($0), "version": 1, "fields": ["a": 1]]] } ?? []
    let body: JSON = ["changes": .array(rows), "cursor": .string(cursor), "has_more": true]
    return HTTPResponse(status: 200, body: body.bytes())
  }

  @Test func `a thousand pages in a row without any row are a typed error, whatever their cursors`() throws {
    var count = 0
    server.override = { _ in
      count += 1
      return page("c\(count)", row: count == 600 ? "s1" : nil)
    }
    #expect(throws: OutboxError.pullDoesNotMove) { try run(outbox(), within: 1_700) }
    #expect(count == 1_600, "a page with rows begins anew")
  }

  @Test(arguments: [1, 2, 3, 10, 700])
  func `a circle of cursors is found whatever its length, and though it brings rows`(_ length: Int) throws {
    var count = 0
    server.override = { _ in
      count += 1
      return page("c\(count < 20 ? count : 20 + count % length)", row: "s1")
    }
    #expect(throws: OutboxError.pullDoesNotMove) { try run(outbox(), within: 3_000) }
    #expect(count <= 3 * max(20, length) + 3)
  }

  @Test func `cursors that come again after everything began anew are no circle`() throws {
    var count = 0
    server.override = { request in
      count += 1
      switch count {
      case 1...3, 5...8: return page("c\(count % 5)", row: "s\(count)")
      case 4: return HTTPResponse(status: 410, body: Array(#"{"error":"unknown_cursor"}"#.utf8))
      default:
        let body: JSON = ["changes": [], "cursor": "end", "has_more": false]
        return HTTPResponse(status: 200, body: body.bytes())
      }
    }
    let report = try run(outbox(), within: 12)
    #expect(report.pull.hasStartedAgain && report.pull.stopped == nil)
    #expect(report.pull.pages == 8)
  }

  @Test(arguments: [410, 422])
  func `a cursor that is refused twice is reported with the status that the server gave`(_ status: Int) throws
  {
    server.override = { _ in HTTPResponse(status: status, body: Array(#"{"error":"unknown cursor"}"#.utf8)) }
    #expect(try run(outbox(), within: 4).pull.stopped == .foreignAnswer(status: status))
  }
}
