import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// What a person or an application can do about what did not go through, and what they are shown.
struct CareTests {
  private let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
  private let server = ScriptedServer()

  private func outbox(_ configuration: OutboxConfiguration = OutboxConfiguration(logs: ["visits"])) -> Outbox
  {
    Outbox(
      Replica(configuration: ReplicaConfiguration(environment: environment.environment)),
      configuration: configuration)
  }

  // MARK: Dead letters

  @Test func `a dead letter is edited in place and goes out whole, under a new key`() throws {
    let outbox = outbox()
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": "refused", "b": 1], id: id, in: "jobs")
    _ = try server.run(outbox)
    let letter = try #require(try outbox.deadLetters().first)
    try outbox.edit(letter.id, ["a": "better"])
    _ = try server.run(outbox)
    #expect(server.pushes.last?.first?["payload"] == ["a": "better", "b": 1])
    #expect(server.pushes.last?.first?["op_id"] != .string(letter.id.description))
    #expect(try outbox.deadLetters().isEmpty)
    #expect(throws: OutboxError.noSuchDeadLetter(letter.id)) { try outbox.edit(letter.id, ["a": 1]) }
  }

  @Test func `what was refused is tried again under a new key, and what was only put off under its own`()
    throws
  {
    var configuration = OutboxConfiguration()
    configuration.attemptLimit = 1
    for word in ["rejected", "retry_later"] {
      let outbox = outbox(configuration)
      try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
      let before = server.pushes.count
      server.override = { request in
        guard request.method == "POST",
          case .array(let entries)? = try? JSON(parsing: request.body)["mutations"]
        else { return nil }
        let results = entries.map { ["op_id": $0["op_id"] ?? .null, "outcome": .string(word)] as JSON }
        let body: JSON = ["results": .array(results)]
        return HTTPResponse(status: 200, body: body.bytes())
      }
      _ = try server.run(outbox)
      let letter = try #require(try outbox.deadLetters().first)
      #expect(letter.isUndecided == (word == "retry_later"))
      server.override = { _ in nil }
      try outbox.retry(letter.id)
      _ = try server.run(outbox)
      let keys = server.pushes[before...].joined().map { $0["op_id"] }
      #expect(keys.count == 2)
      #expect((keys[0] == keys[1]) == letter.isUndecided)
      #expect(try outbox.status().isSynced)
    }
  }

  @Test func `an entry of a log that was refused is not edited`() throws {
    let outbox = outbox()
    try outbox.replica.append(["a": "refused"], to: "visits")
    _ = try server.run(outbox)
    let letter = try #require(try outbox.deadLetters().first)
    #expect(throws: OutboxError.entryOfLog(letter.id)) { try outbox.edit(letter.id, ["a": 1]) }
    #expect(try outbox.deadLetters() == [letter])
  }

  @Test func `a value that is too large is a dead letter without a request, and goes once it is smaller`()
    throws
  {
    var configuration = OutboxConfiguration()
    configuration.valueBytes = 100
    let outbox = outbox(configuration)
    let (large, small) = (outbox.replica.newID(), outbox.replica.newID())
    try outbox.replica.insert(["a": .string(String(repeating: "x", count: 99))], id: large, in: "jobs")
    try outbox.replica.insert(["a": .string(String(repeating: "x", count: 98))], id: small, in: "jobs")
    let report = try server.run(outbox)
    #expect(report.push.rejected.map(\.reason) == [DeadLetter.tooLarge])
    #expect(server.pushes.joined().map { $0["entity_id"] } == [.string(small.description)])
    #expect(try outbox.deadLetters().map(\.entry.subject) == [.record(RecordKey("jobs", large))])
    try outbox.edit(try #require(try outbox.deadLetters().first?.id), ["a": "x"])
    _ = try server.run(outbox)
    #expect(server.model.rows["jobs"]?[large.description]?.fields == ["a": "x"])
  }

  // MARK: What came from the server

  @Test func `forgetting what came from the server loses nothing that is unsent`() throws {
    let outbox = outbox()
    server.model.edit("jobs", "s1", ["a": 1])
    server.model.edit("rooms", "s2", ["a": 1])
    _ = try server.run(outbox)
    let (id, refused) = (
      try #require(try outbox.replica.records(in: "jobs").first?.id), outbox.replica.newID()
    )
    try outbox.replica.insert(["a": "refused"], id: refused, in: "jobs")
    _ = try server.run(outbox)
    environment.pass(milliseconds: 10)
    try outbox.replica.set(["b": 2], id: id, in: "jobs")
    try outbox.replica.append(["number": 1], to: "visits")
    try outbox.resetCache(of: "jobs")
    #expect(try outbox.standing(of: id, in: "jobs").version == 1, "what an unsent edit was made over stays")
    let room = try #require(try outbox.replica.records(in: "rooms").first?.id)
    #expect(
      try outbox.standing(of: room, in: "rooms").version == 1, "of other collections nothing is forgotten")
    #expect(try outbox.replica.records(in: "jobs").count == 2, "records stay until the rows come")
    #expect(try outbox.deadLetters().count == 1)
    let report = try server.run(outbox)
    #expect(report.pull.rows == 3, "everything is fetched again")
    _ = try server.run(outbox)
    #expect(server.model.rows["jobs"]?["s1"]?.fields == ["a": 1, "b": 2])
    #expect(server.model.rows["visits"]?.count == 1)
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": 1, "b": 2])
    #expect(try outbox.standing(of: id, in: "jobs").version == 2)
  }

  @Test func `a row that was not understood is over once a later one of its id is`() throws {
    var deep: JSON = 1
    for _ in 0..<80 { deep = .array([deep]) }
    let outbox = outbox()
    server.model.edit("jobs", "s1", ["a": deep])
    _ = try server.run(outbox)
    #expect(try outbox.quarantined().first?["fields"]?["a"] == deep)
    server.model.edit("jobs", "s1", ["a": 2])
    _ = try server.run(outbox)
    #expect(try outbox.quarantined().isEmpty)
    #expect(try outbox.replica.records(in: "jobs").map(\.fields) == [["a": 2]])
  }

  @Test func `rows that were not understood are tried again after an upgrade of the application`() throws {
    let outbox = outbox()
    let understood: JSON = ["entity": "jobs", "id": "s1", "version": 1, "fields": ["a": 1]]
    let malformed: JSON = ["entity": "jobs", "id": "s2", "version": 1, "fields": 5]
    server.override = { _ in
      let body: JSON = ["changes": [malformed], "cursor": "c", "has_more": false]
      return HTTPResponse(status: 200, body: body.bytes())
    }
    #expect(try server.run(outbox).pull.quarantined == 1)
    // As a version of the library left it that did not understand the row yet.
    try outbox.replica.exchange(with: "main") { transaction in
      let kept: JSON = ["schema": 1, "row": understood]
      try transaction.keep(kept.text(), under: LocalKey("main/quarantine", Array("jobs\0s1".utf8)))
    }
    let trace = try outbox.replica.trace()
    _ = try server.run(outbox)
    #expect(try outbox.replica.trace() == trace, "not before there is another version")
    var configuration = outbox.configuration
    configuration.schemaVersion = 2
    let upgraded = Outbox(outbox.replica, configuration: configuration)
    _ = try server.run(upgraded)
    #expect(try upgraded.replica.records(in: "jobs").map(\.fields) == [["a": 1]])
    #expect(try upgraded.quarantined() == [malformed])
  }

  // MARK: Honest state

  @Test func `a record's standing says what either side holds`() throws {
    let outbox = outbox()
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1], id: id, in: "jobs")
    let before = try outbox.standing(of: id, in: "jobs")
    #expect(before.isDirty)
    #expect(before.version == nil)
    #expect(before.serverID == id.description)
    _ = try server.run(outbox)
    let after = try outbox.standing(of: id, in: "jobs")
    #expect(!after.isDirty)
    #expect(after.version == 1)
    #expect(after.serverUpdatedAt == 1_700_000_000_000)
    #expect(after.clientUpdatedAt == 1_700_000_000_000)
    try outbox.replica.delete(id, in: "jobs")
    let deleted = try outbox.standing(of: id, in: "jobs")
    #expect(deleted.isDeletedHere && !deleted.isDeletedThere && deleted.isDirty)
    _ = try server.run(outbox)
    let gone = try outbox.standing(of: id, in: "jobs")
    #expect(gone.isDeletedHere && gone.isDeletedThere && !gone.isDirty)
  }
}
