import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// What somebody decides about a record that goes on no more by itself.
struct DecidingTests {
  private let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
  private let server = ScriptedServer()

  private func outbox(_ configuration: OutboxConfiguration = OutboxConfiguration()) -> Outbox {
    Outbox(
      Replica(configuration: ReplicaConfiguration(environment: environment.environment)),
      configuration: configuration)
  }

  /// Answers every entry with this outcome.
  private func answer(_ outcome: JSON) {
    server.override = { request in
      guard request.method == "POST", let json = try? JSON(parsing: request.body),
        case .array(let entries)? = json["mutations"]
      else { return nil }
      let results = entries.map {
        ["op_id": $0["op_id"] ?? .null, "outcome": outcome, "reason": "no"] as JSON
      }
      let body: JSON = ["results": .array(results)]
      return HTTPResponse(status: 200, body: body.bytes())
    }
  }

  /// Makes a record of which an edit is in conflict.
  private func conflict(_ outbox: Outbox, _ write: (RecordID) throws -> Void) throws -> RecordID {
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1, "b": 1], id: id, in: "jobs")
    _ = try server.run(outbox)
    environment.pass(milliseconds: 1_000)
    try write(id)
    try exhaust(outbox, id)
    return id
  }

  private func exhaust(_ outbox: Outbox, _ id: RecordID) throws {
    answer("conflict")
    var rounds = 0
    while try outbox.state(of: id, in: "jobs") != .conflict, rounds < 20 {
      environment.pass(milliseconds: 120_000)
      rounds += try server.run(outbox).push.conflicts.count
    }
    #expect(rounds == 6)
    server.override = { _ in nil }
    #expect(try server.run(outbox).push.requests == 0, "it does not go on by itself")
  }

  private var keys: [JSON?] { server.pushes.joined().map { $0["op_id"] } }

  // MARK: Conflicts

  @Test func `a record in conflict is sent again, under a new key, and with as many rounds as at first`()
    throws
  {
    let outbox = outbox()
    let id = try conflict(outbox) { try outbox.replica.set(["a": 2], id: $0, in: "jobs") }
    try outbox.retry(id, in: "jobs")
    try exhaust(outbox, id)
    try outbox.retry(id, in: "jobs")
    #expect(try server.run(outbox).push.applied.count == 1)
    #expect(server.model.rows["jobs"]?[id.description]?.fields == ["a": 2, "b": 1])
    #expect(Set(keys).count == keys.count)
    #expect(try outbox.status().isSynced)
  }

  @Test func `a gateway does not use a key again when it sends a record in conflict once more`() throws {
    var configuration = OutboxConfiguration()
    configuration.relays = true
    let (gateway, author) = (outbox(configuration), outbox())
    let id = author.replica.newID()
    try author.replica.insert(["a": 1], id: id, in: "jobs")
    try gateway.replica.sync(with: author.replica)
    try exhaust(gateway, id)
    try gateway.retry(id, in: "jobs")
    try exhaust(gateway, id)
    #expect(keys.count == 12 && Set(keys).count == 12)
  }

  @Test func `what is unsent of a record in conflict is taken back`() throws {
    let outbox = outbox()
    let id = try conflict(outbox) { try outbox.replica.set(["a": 2], id: $0, in: "jobs") }
    server.model.edit("jobs", id.description, ["b": 5])
    _ = try server.run(outbox)
    try outbox.discard(id, in: "jobs")
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": 1, "b": 5])
    #expect(try outbox.status().isSynced)
    #expect(try server.run(outbox).push.requests == 0)
  }

  @Test func `a deletion in conflict is taken back`() throws {
    let outbox = outbox()
    let id = try conflict(outbox) { try outbox.replica.delete($0, in: "jobs") }
    try outbox.discard(id, in: "jobs")
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": 1, "b": 1])
    #expect(try outbox.status().isSynced)
  }

  @Test func `an insert in conflict that is taken back deletes the record`() throws {
    let outbox = outbox()
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1], id: id, in: "jobs")
    try exhaust(outbox, id)
    try outbox.discard(id, in: "jobs")
    #expect(try outbox.replica.fields(of: id, in: "jobs") == nil)
    #expect(try outbox.status().isSynced)
  }

  // MARK: Refusals

  @Test func `a refused record is sent again, or taken back with what was written since`() throws {
    let outbox = outbox()
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1], id: id, in: "jobs")
    _ = try server.run(outbox)
    environment.pass(milliseconds: 1_000)
    try outbox.replica.set(["a": 2], id: id, in: "jobs")
    answer("rejected")
    _ = try server.run(outbox)
    try outbox.retry(id, in: "jobs")
    _ = try server.run(outbox)
    #expect(Set(keys).count == 3)
    try outbox.replica.set(["b": 2], id: id, in: "jobs")
    try outbox.discard(id, in: "jobs")
    #expect(try outbox.replica.fields(of: id, in: "jobs")?["a"] == 1)
    #expect(try outbox.deadLetters().isEmpty)
    server.override = { _ in nil }
    #expect(try server.run(outbox).push.applied.isEmpty, "nothing of it is left to send")
  }

  @Test func `what was only put off too often keeps its key`() throws {
    let outbox = outbox(OutboxConfiguration(attemptLimit: 1))
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1], id: id, in: "jobs")
    answer("retry_later")
    _ = try server.run(outbox)
    server.override = { _ in nil }
    try outbox.retry(id, in: "jobs")
    #expect(try server.run(outbox).push.applied.count == 1)
    #expect(keys.count == 2 && Set(keys).count == 1)
  }

  @Test func `there is nothing to decide about a record that is on its way, or that nobody knows`() throws {
    let outbox = outbox()
    let id = outbox.replica.newID()
    for step in ["nobody knows it", "it is written", "it is on its way"] {
      if step == "it is written" { try outbox.replica.insert(["a": 1], id: id, in: "jobs") }
      server.override = { _ in .some(nil) }
      if step == "it is on its way" { _ = try server.run(outbox) }
      server.override = { _ in nil }
      #expect(throws: OutboxError.notStopped(RecordKey("jobs", id))) { try outbox.retry(id, in: "jobs") }
      #expect(throws: OutboxError.notStopped(RecordKey("jobs", id))) { try outbox.discard(id, in: "jobs") }
    }
    #expect(try server.run(outbox).push.applied.count == 1)
  }
}
