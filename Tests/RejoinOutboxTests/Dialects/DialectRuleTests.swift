import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Servers that make a record with values of their own, and take what the device has said of it afterwards.
struct BegunTests {
  /// The default dialect, but for inserts: those only begin a record.
  private struct BeginningDialect: Dialect {
    func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest {
      MutationsDialect().push(entries, configuration)
    }
    func answers(to entries: [OutboxEntry], in response: HTTPResponse) throws(ForeignAnswer) -> [EntryAnswer?]
    {
      entries.map { entry in
        guard entry.operation == .insert else {
          return .applied(version: 2, updatedAt: nil, serverID: nil, row: nil)
        }
        return .begun(
          row: ServerRow(
            entity: entry.subject.entity, id: "r1", version: 1, updatedAt: 1_900_000_000_000,
            fields: [JSON.Member("a", 1), JSON.Member("b", 7), JSON.Member("c", 9)]))
      }
    }
  }

  @Test func `what the server has of its own counts as known, and what differs goes out as a change`() throws
  {
    let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 5)
    let outbox = Outbox(Replica(configuration: environment.configuration()), dialect: BeginningDialect())
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1, "b": 2], id: id, in: "jobs")
    var pushes: [JSON] = []
    var cycle = outbox.cycle()
    while let request = try cycle.next() {
      pushes.append(try JSON(parsing: request.body))
      try cycle.receive(HTTPResponse(status: 200, body: Array("{}".utf8)))
    }
    #expect(pushes.count == 2)
    #expect(try pushes.last?.at(pointer: "/mutations/0/op") == "update")
    #expect(try pushes.last?.at(pointer: "/mutations/0/payload") == ["b": 2])
    #expect(try pushes.last?.at(pointer: "/mutations/0/entity_id") == "r1")
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": 1, "b": 2, "c": 9])
    #expect(try outbox.replica.conflicts(of: id, in: "jobs").isEmpty)
    #expect(try outbox.status().isSynced)
  }
}

/// Which entries share a request.
struct SharedRequestTests {
  private func entry(_ entity: String, _ low: UInt64, _ payload: [JSON.Member]) -> OutboxEntry {
    OutboxEntry(
      id: OperationID(high: 1, low: low),
      subject: .record(RecordKey(Collection(entity), RecordID(high: 2, low: low))),
      serverID: nil, operation: .insert, payload: payload, baseVersion: 0, createdAt: 0, intent: nil)
  }

  @Test func `in document 003's dialect a record goes out behind what it refers to, of its own table, too`() {
    let dialect = TableDialect(tables: ["parts"])
    let first = entry("parts", 1, [JSON.Member("a", 1)])
    let other = entry("parts", 2, [JSON.Member("a", 1)])
    let child = entry("parts", 3, [JSON.Member("part", .string(first.subject.id))])
    #expect(dialect.joins(other, [first]))
    #expect(!dialect.joins(child, [first]))
    #expect(!dialect.joins(entry("jobs", 4, []), [first]))
  }
}

/// Servers that show nothing.
struct PushAloneTests {
  @Test func `where nothing is pulled, one that fails is left alone, and nobody is asked for more`() throws {
    let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 9)
    let outbox = Outbox(Replica(configuration: environment.configuration()), dialect: IntentDialect())
    try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
    var methods: [String] = []
    var cycle = outbox.cycle()
    while let request = try cycle.next() {
      methods.append(request.method)
      try cycle.receive(HTTPResponse(status: 500))
    }
    #expect(methods == ["POST"])
    #expect(cycle.report.push.stopped == .busy(status: 500))
    #expect(cycle.report.pull.requests == 0)
    #expect(try outbox.status().waiting == 1)
  }
}

/// What documents 002 and 003 leave open, servers write in either of two ways.
struct PageFormTests {
  @Test func `pages are understood in both forms`() throws {
    let row: [JSON.Member] = [
      JSON.Member("version", 1), JSON.Member("updatedAt", 1_700_000_000_000), JSON.Member("a", 1),
    ]
    let cursor: JSON = ["at": 1, "id": "x"]
    for more in ["hasMore", "has_more"] {
      let upsert: JSON = .object([
        JSON.Member(
          "changes", [.object([JSON.Member("entity", "notes"), JSON.Member("id", "7")] + row)]),
        JSON.Member("cursor", cursor), JSON.Member(more, true),
      ])
      let page = try UpsertDialect().page(in: HTTPResponse(status: 200, body: upsert.bytes()), from: nil)
      #expect(page.hasMore && page.rows.map(\.id) == ["7"])
      for (list, id) in [("records", "serverId"), ("changes", "id")] {
        let table: JSON = .object([
          JSON.Member(list, [.object([JSON.Member(id, "7")] + row)]), JSON.Member("cursor", "c"),
          JSON.Member(more, true),
        ])
        let page = try TableDialect(tables: ["notes"]).page(
          in: HTTPResponse(status: 200, body: table.bytes()), from: nil)
        #expect(page.hasMore && page.rows.map(\.id) == ["7"])
        #expect(page.rows[0].fields.map(\.name) == ["a"])
      }
    }
    #expect(throws: ForeignAnswer.self) {
      try UpsertDialect().page(
        in: HTTPResponse(status: 200, body: Array(#"{"changes":[],"cursor":null}"#.utf8)), from: nil)
    }
  }
}
