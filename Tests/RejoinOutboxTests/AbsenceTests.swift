import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Rows that are not there any more, come late, or are wanted back.
struct AbsenceTests {
  private static let wall: Int64 = 1_700_000_000_000
  private let environment = SimulatedEnvironment(wallMilliseconds: wall, seed: 7)
  private let server = ScriptedServer()

  private func outbox(
    _ configuration: OutboxConfiguration = OutboxConfiguration(), dialect: any Dialect = MutationsDialect()
  ) -> Outbox {
    Outbox(
      Replica(configuration: ReplicaConfiguration(environment: environment.environment)),
      configuration: configuration, dialect: dialect)
  }

  /// A dialect that differs from the default one in its pages and cursors.
  private struct ListDialect: Dialect {
    var complete: Set<Collection> = []
    var movesBack = false

    func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest {
      MutationsDialect().push(entries, configuration)
    }
    func answers(to entries: [OutboxEntry], in response: HTTPResponse) throws(ForeignAnswer) -> [EntryAnswer?]
    {
      try MutationsDialect().answers(to: entries, in: response)
    }
    func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest? {
      MutationsDialect().pull(from: cursor, configuration)
    }
    func page(in response: HTTPResponse, from cursor: String?) throws(ForeignAnswer) -> PullPage {
      var page = try MutationsDialect().page(in: response, from: nil)
      page.complete = complete
      return page
    }
    func saysUnknownCursor(_ response: HTTPResponse) -> Bool { false }
    func cursor(_ cursor: String, movedBackBy milliseconds: Int64) -> String? {
      guard movesBack, let time = Int64(cursor) else { return nil }
      return String(time - milliseconds)
    }
  }

  private func page(_ rows: [(id: String, value: Int64)], unreadable: Bool = false) -> HTTPResponse {
    var changes = rows.map { row -> JSON in
      [
        "entity": "jobs", "id": .string(row.id), "version": 1, "updated_at": .int(Self.wall),
        "deleted_at": .null, "fields": ["a": .int(row.value)],
      ]
    }
    if unreadable { changes.append(["entity": "jobs"]) }
    let body: JSON = ["changes": .array(changes), "cursor": "c", "has_more": false]
    return HTTPResponse(status: 200, body: body.bytes())
  }

  private func shown(_ outbox: Outbox) throws -> [Value] {
    try outbox.replica.records(in: "jobs").compactMap { $0.fields["a"] }.sorted { "\($0)" < "\($1)" }
  }

  // MARK: Complete lists

  @Test func `what a complete list lacks is deleted here, unless it holds unsent changes`() throws {
    let outbox = outbox(dialect: ListDialect(complete: ["jobs"]))
    var listed = [(id: "s1", value: Int64(1)), ("s2", 2), ("s3", 3)]
    server.override = { request in request.method == "GET" ? page(listed) : .some(nil) }
    let own = outbox.replica.newID()
    _ = try server.run(outbox)
    let edited = try #require(try outbox.replica.records(in: "jobs").first { $0.fields["a"] == 3 }?.id)
    environment.pass(milliseconds: 1_000)
    try outbox.replica.set(["a": 30], id: edited, in: "jobs")
    try outbox.replica.insert(["a": 9], id: own, in: "jobs")
    server.override = { request in request.method == "GET" ? page(listed) : HTTPResponse(status: 200) }
    listed = [("s1", 1)]
    // The server answers nothing of use to the push; the pull of another device's exchange brings the list.
    var cycle = outbox.cycle()
    _ = try cycle.next()
    try cycle.receive(HTTPResponse(status: 200, body: Array(#"{"results":[]}"#.utf8)))
    while let request = try cycle.next() { try cycle.receive(server.answer(request)) }
    #expect(try shown(outbox) == [1, 30, 9])
  }

  @Test func `a row that is listed again comes back`() throws {
    let outbox = outbox(dialect: ListDialect(complete: ["jobs"]))
    for (list, expected) in [([1, 2], [1, 2]), ([2], [2]), ([1, 2], [1, 2])] as [([Int64], [Int64])] {
      server.override = { _ in page(list.map { (id: "s\($0)", value: $0) }) }
      _ = try server.run(outbox)
      #expect(try shown(outbox) == expected.map { .int($0) })
    }
  }

  @Test func `a list that is not complete, or of which something was not understood, deletes nothing`() throws
  {
    for (complete, unreadable) in [([], false), (["jobs"], true)] as [(Set<Collection>, Bool)] {
      let outbox = outbox(dialect: ListDialect(complete: complete))
      server.override = { _ in page([("s1", 1), ("s2", 2)]) }
      _ = try server.run(outbox)
      server.override = { _ in page([("s1", 1)], unreadable: unreadable) }
      _ = try server.run(outbox)
      #expect(try shown(outbox) == [1, 2])
    }
  }

  // MARK: Looking back

  @Test func `a pull begins a little before its cursor where cursors are times`() throws {
    var cursors: [String] = []
    server.override = { request in
      if request.method == "GET" { cursors.append(request.query.first { $0.name == "since" }?.value ?? "") }
      let body: JSON = ["changes": [], "cursor": "50000", "has_more": .bool(cursors.count == 2)]
      return HTTPResponse(status: 200, body: body.bytes())
    }
    let outbox = outbox(dialect: ListDialect(movesBack: true))
    _ = try server.run(outbox)
    let trace = try outbox.replica.trace()
    #expect(try server.run(outbox).pull.pages == 2, "the page that looks back counts")
    #expect(cursors == ["", "20000", "50000"], "only the first page of an exchange looks back")
    #expect(try outbox.replica.trace() == trace)
  }

  // MARK: Reviving

  @Test(arguments: [true, false])
  func `an edited record that the server deleted is made anew where the application wants that`(
    _ revives: Bool
  ) throws {
    for isHeard in [true, false] {
      var configuration = OutboxConfiguration()
      if revives { configuration.revives = ["jobs"] }
      let outbox = outbox(configuration)
      let server = ScriptedServer()
      let id = outbox.replica.newID()
      try outbox.replica.insert(["a": 1, "b": 1], id: id, in: "jobs")
      _ = try server.run(outbox)
      environment.pass(milliseconds: 10)
      server.model.edit("jobs", id.description, nil)
      try outbox.replica.set(["a": 2], id: id, in: "jobs")
      if isHeard {
        // The deletion comes with a pull, while the push does not get through.
        var cycle = outbox.cycle()
        _ = try cycle.next()
        try cycle.receive(HTTPResponse(status: 200, body: Array(#"{"results":[]}"#.utf8)))
        while let request = try cycle.next() { try cycle.receive(server.answer(request)) }
        environment.pass(milliseconds: 100_000)
      }
      for _ in 0..<3 { _ = try server.run(outbox) }
      #expect(try outbox.replica.fields(of: id, in: "jobs") == (revives ? ["a": 2, "b": 1] : nil))
      let row = try #require(server.model.rows["jobs"]?[id.description])
      #expect(row.isDeleted != revives)
      if revives { #expect(row.fields == ["a": 2, "b": 1]) }
      #expect(try outbox.status().isSynced)
      if !revives {
        #expect(try outbox.replica.conflicts().contains { $0.losingValue == 2 })
      }
    }
  }
}
