import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// What every dialect keeps, each before its own kind of server; an example of a user's is one of them.
struct DialectContractTests {
  /// A device and its server.
  private final class Pair {
    let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
    let server: SpokenServer
    let outbox: Outbox
    var replica: Replica { outbox.replica }

    init(_ tongue: Tongue) throws {
      server = SpokenServer(tongue)
      let replica = Replica(configuration: environment.configuration())
      try replica.declare([Reference("note", to: "notes")], in: "parts")
      let configuration = OutboxConfiguration(kinds: ["parts": ["note": .record]])
      outbox = Outbox(replica, configuration: configuration, dialect: server.dialect)
      // Document 000's server always does.
      server.model.traits.givesIDs = tongue == .accounts
    }

    @discardableResult
    func exchange(_ fault: ModelServer.Fault = .none) throws -> CycleReport {
      environment.pass(milliseconds: 120_000)
      server.model.wallMilliseconds += 120_000
      return try server.run(outbox, fault: fault)
    }

    func insert(_ fields: [FieldName: Value], in collection: Collection = "notes") throws -> RecordID {
      let id = replica.newID()
      try replica.insert(fields, id: id, in: collection)
      return id
    }

    /// The server's only row of a collection.
    func row(_ collection: String = "notes") throws -> ModelServer.Row {
      let rows = server.model.rows[collection] ?? [:]
      #expect(rows.count == 1)
      return try #require(rows.values.first)
    }
  }

  @Test(arguments: Tongue.allCases)
  func `what is written arrives, changed fields only, and is deleted`(_ tongue: Tongue) throws {
    let pair = try Pair(tongue)
    let id = try pair.insert(["a": 1, "b": 2])
    #expect(try pair.exchange().push.applied.count == 1)
    #expect(try pair.row().fields == ["a": 1, "b": 2])
    pair.server.model.edit("notes", try #require(pair.server.model.rows["notes"]?.keys.first), ["b": 3])
    try pair.replica.set(["a": 4], id: id, in: "notes")
    while try !pair.outbox.status().isSynced {
      let report = try pair.exchange()
      // Where nobody decides by itself, somebody does.
      if !report.push.conflicts.isEmpty, try pair.outbox.status().needsAttention > 0 {
        try pair.outbox.retry(id, in: "notes")
      }
    }
    #expect(try pair.row().fields == ["a": 4, "b": 3])
    #expect(try pair.replica.fields(of: id, in: "notes")?["b"] == 3)
    try pair.replica.delete(id, in: "notes")
    try pair.exchange()
    #expect(try pair.row().isDeleted)
    #expect(try pair.outbox.status().isSynced)
  }

  @Test(arguments: Tongue.allCases)
  func `what others write comes in, and nothing goes back`(_ tongue: Tongue) throws {
    let pair = try Pair(tongue)
    pair.server.model.edit("notes", "s1", ["a": 1])
    pair.server.model.edit("notes", "s2", ["a": 2])
    try pair.exchange()
    #expect(Set(try pair.replica.records(in: "notes").compactMap { $0.fields["a"] }) == [1, 2])
    pair.server.model.edit("notes", "s2", nil)
    let report = try pair.exchange()
    #expect(try pair.replica.records(in: "notes").compactMap { $0.fields["a"] } == [1])
    #expect(report.push.requests == 0)
    #expect(try pair.exchange().push.requests == 0)
    #expect(pair.server.pushes.isEmpty)
  }

  @Test(arguments: Tongue.allCases)
  func `a lost answer does nothing twice, and the key stays`(_ tongue: Tongue) throws {
    let pair = try Pair(tongue)
    _ = try pair.insert(["a": 1])
    #expect(try pair.exchange(.lostAnswer).push.stopped == .unreachable)
    try pair.exchange()
    #expect(pair.server.pushes.count == 2)
    #expect(pair.server.pushes[0].body == pair.server.pushes[1].body)
    #expect(pair.server.pushes[0].headers == pair.server.pushes[1].headers)
    #expect(pair.server.model.applied.values.allSatisfy { $0 == 1 })
    #expect(try pair.row().version == 1)
    #expect(try pair.replica.records(in: "notes").count == 1)
    #expect(try pair.outbox.status().isSynced)
  }

  @Test(arguments: Tongue.allCases)
  func `a refused change is a dead letter and holds nobody back`(_ tongue: Tongue) throws {
    let pair = try Pair(tongue)
    _ = try pair.insert(["b": "refused"])
    _ = try pair.insert(["b": 2])
    let report = try pair.exchange()
    #expect(report.push.rejected.map(\.reason) == ["a value is refused"])
    #expect(try pair.row().fields["b"] == 2)
    #expect(try pair.outbox.deadLetters().count == 1)
    #expect(try pair.exchange().push.requests == 0)
    try pair.outbox.discard(try #require(pair.outbox.deadLetters().first).id)
    #expect(try pair.outbox.status().isSynced)
    #expect(try pair.replica.records(in: "notes").count == 1)
  }

  @Test(arguments: Tongue.allCases)
  func `a record that was deleted there gives way, and the edit is in the ledger`(_ tongue: Tongue) throws {
    let pair = try Pair(tongue)
    let id = try pair.insert(["a": 1])
    try pair.exchange()
    try pair.replica.set(["a": 2], id: id, in: "notes")
    pair.server.model.edit("notes", try #require(pair.server.model.rows["notes"]?.keys.first), nil)
    try pair.exchange()
    try pair.exchange()
    #expect(try pair.replica.fields(of: id, in: "notes") == nil)
    #expect(try pair.replica.conflicts(of: id, in: "notes").contains { $0.losingValue == 2 })
    #expect(try pair.outbox.status().isSynced)
  }

  @Test(arguments: Tongue.allCases)
  func `the server's ids are used from the first answer on, and children come behind parents`(
    _ tongue: Tongue
  ) throws {
    let pair = try Pair(tongue)
    pair.server.model.traits.givesIDs = true
    let parent = try pair.insert(["a": 1])
    let child = try pair.insert(["a": 5, "note": .record(parent), "b": 6], in: "parts")
    try pair.exchange()
    try pair.exchange()
    #expect(try pair.outbox.status().isSynced)
    #expect(try pair.row("parts").fields["a"] == 5)
    #expect(try pair.row("parts").fields["b"] == 6)
    #expect(try pair.replica.fields(of: child, in: "parts")?["note"] == .record(parent))
    let before = pair.server.pushes.count
    try pair.replica.set(["a": 7], id: parent, in: "notes")
    try pair.exchange()
    #expect(try pair.row().fields["a"] == 7)
    let request = try #require(pair.server.pushes.dropFirst(before).first)
    let sent = request.path + String(decoding: request.body, as: UTF8.self)
    let name = try #require(pair.server.model.rows["notes"]?.keys.first)
    #expect(sent.contains(name))
    #expect(try pair.replica.records(in: "notes").map(\.id) == [parent])
  }

  @Test(arguments: Tongue.allCases.filter { SpokenServer($0).dialect.rules.refersByServerIDs })
  func `a reference travels as the server's id of what it names`(_ tongue: Tongue) throws {
    let pair = try Pair(tongue)
    pair.server.model.traits.givesIDs = true
    let parent = try pair.insert(["a": 1])
    try pair.exchange()
    _ = try pair.insert(["a": 2, "note": .record(parent)], in: "parts")
    try pair.exchange()
    let sent = String(decoding: try #require(pair.server.pushes.last).body, as: UTF8.self)
    let name = try #require(pair.server.model.rows["notes"]?.keys.first)
    #expect(sent.contains("\"note\":\"\(name)\""))
    #expect(!sent.contains(parent.description))
  }

  @Test(arguments: Tongue.allCases.filter { SpokenServer($0).dialect.rules.onConflict == .stop })
  func `where somebody has to decide, nothing that was not sent is overwritten`(_ tongue: Tongue) throws {
    let pair = try Pair(tongue)
    let id = try pair.insert(["a": 1, "b": 1])
    try pair.exchange()
    try pair.replica.set(["a": 2], id: id, in: "notes")
    pair.environment.pass(milliseconds: 60_000)
    pair.server.model.wallMilliseconds += 600_000
    let name = try #require(pair.server.model.rows["notes"]?.keys.first)
    pair.server.model.edit("notes", name, ["a": 9, "b": 9])
    try pair.server.run(pair.outbox, .pull)
    #expect(try pair.replica.fields(of: id, in: "notes")?["a"] == 2)
    #expect(try pair.replica.fields(of: id, in: "notes")?["b"] == 9)
  }

  /// What stands between devices and servers says.
  private static let foreign: [HTTPResponse] = [
    HTTPResponse(status: 200, body: Array("<html>Sign in</html>".utf8)),
    HTTPResponse(status: 200, body: Array(#"{"results":"#.utf8)), HTTPResponse(status: 202),
    HTTPResponse(status: 302), HTTPResponse(status: 400, body: Array("Bad Request".utf8)),
    HTTPResponse(status: 404), HTTPResponse(status: 404, body: Array("<html>".utf8)),
    HTTPResponse(status: 409), HTTPResponse(status: 410, body: Array("gone".utf8)),
    HTTPResponse(status: 418), HTTPResponse(status: 422), HTTPResponse(status: 500),
    HTTPResponse(status: 502, body: Array("<html>".utf8)), HTTPResponse(status: 599),
  ]

  @Test(arguments: Tongue.allCases, foreign)
  func `a foreign answer is no verdict`(_ tongue: Tongue, _ answer: HTTPResponse) throws {
    let pair = try Pair(tongue)
    let id = try pair.insert(["a": 1])
    pair.server.override = { _ in answer }
    let report = try pair.exchange()
    #expect(report.push.applied.isEmpty && report.push.rejected.isEmpty && report.push.conflicts.isEmpty)
    #expect(report.push.stopped != nil)
    #expect(try pair.replica.fields(of: id, in: "notes") == ["a": 1])
    #expect(try !pair.outbox.status().isSynced)
    pair.server.override = { _ in nil }
    environmentPasses(pair)
    try pair.exchange()
    #expect(try pair.row().fields == ["a": 1])
    #expect(try pair.outbox.status().isSynced)
  }

  /// Longer than any server may ask to be left alone.
  private func environmentPasses(_ pair: Pair) { pair.environment.pass(milliseconds: 3_600_000) }

  @Test(arguments: Tongue.allCases)
  func `pages that are torn or foreign bring nothing and lose nothing`(_ tongue: Tongue) throws {
    let pair = try Pair(tongue)
    pair.server.model.edit("notes", "s1", ["a": 1])
    try pair.exchange()
    for body in ["", "{}", "[", "null", "<html>", #"{"changes":7}"#, #"{"records":[],"hasMore":3}"#] {
      pair.server.override = { _ in HTTPResponse(status: 200, body: Array(body.utf8)) }
      let report = try pair.exchange()
      #expect(report.pull.rows == 0)
      #expect(try pair.replica.records(in: "notes").count == 1)
    }
    pair.server.override = { _ in nil }
    pair.server.model.edit("notes", "s1", ["a": 2])
    try pair.exchange()
    #expect(try pair.replica.records(in: "notes").compactMap { $0.fields["a"] } == [2])
  }

  @Test(arguments: Tongue.allCases)
  func `a queue is shown with one item for each change`(_ tongue: Tongue) throws {
    let pair = try Pair(tongue)
    _ = try pair.insert(["b": "refused"])
    _ = try pair.insert(["a": 2])
    try pair.exchange(.lostRequest)
    let items = try pair.outbox.queue().map { pair.server.dialect.item(of: $0) }
    #expect(items.count == 2)
    for item in items {
      guard case .object(let members) = item else { throw GoldenFile.Malformed() }
      #expect(!members.isEmpty)
    }
  }
}
