import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// What goes out, in which order, and what one refusal does to the others.
struct DrainTests {
  private let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)

  private func outbox(_ configuration: OutboxConfiguration = OutboxConfiguration()) -> Outbox {
    Outbox(
      Replica(configuration: ReplicaConfiguration(environment: environment.environment)),
      configuration: configuration)
  }

  @Test func `1200 offline edits of 200 records are 200 entries with the changed fields only`() throws {
    let outbox = outbox()
    let server = ScriptedServer()
    let ids = (0..<200).map { _ in outbox.replica.newID() }
    for id in ids { try outbox.replica.insert(["title": "new", "kept": 1], id: id, in: "jobs") }
    _ = try server.run(outbox)
    let before = server.pushes.count
    for round in 0..<6 {
      for id in ids {
        environment.pass(milliseconds: 1)
        try outbox.replica.set(["title": .int(Int64(round))], id: id, in: "jobs")
      }
    }
    let report = try server.run(outbox)
    let pushes = server.pushes[before...]
    #expect(pushes.map(\.count) == [50, 50, 50, 50])
    #expect(report.push.applied.count == 200)
    for entry in pushes.joined() {
      #expect(entry["op"] == "update")
      #expect(entry["payload"] == ["title": 5])
      #expect(entry["base_version"] == 1)
    }
    #expect(Set(pushes.joined().map { $0["entity_id"]?.text() }).count == 200)
    #expect(try outbox.status().isSynced)
  }

  @Test func `a refused entry delays nobody else and is listed with its reason`() throws {
    let outbox = outbox()
    let server = ScriptedServer()
    for number in 0..<9 {
      let value: Value = number == 4 ? "refused" : .int(Int64(number))
      try outbox.replica.insert(["a": value], id: outbox.replica.newID(), in: "jobs")
    }
    let report = try server.run(outbox)
    #expect(report.push.applied.count == 8)
    #expect(report.push.rejected.count == 1)
    let letters = try outbox.deadLetters()
    #expect(letters.map(\.reason) == ["a value is refused"])
    #expect(try outbox.status() == status(waiting: 0, needsAttention: 1))
    // Nothing goes out again by itself.
    let pushes = server.pushes.count
    _ = try server.run(outbox)
    #expect(server.pushes.count == pushes)
  }

  private func status(waiting: Int, needsAttention: Int) -> OutboxStatus {
    OutboxStatus(waiting: waiting, needsAttention: needsAttention)
  }

  @Test func `an edit of a refused record goes out with what was refused, under a new key`() throws {
    let outbox = outbox()
    let server = ScriptedServer()
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": "refused", "b": 1], id: id, in: "jobs")
    _ = try server.run(outbox)
    let first = try #require(try outbox.deadLetters().first)
    try outbox.replica.set(["a": "better"], id: id, in: "jobs")
    _ = try server.run(outbox)
    let entry = try #require(server.pushes.last?.first)
    #expect(entry["payload"] == ["a": "better", "b": 1])
    #expect(entry["op_id"] != .string(first.id.description))
    #expect(try outbox.status().isSynced)
  }

  @Test func `a discarded update gives the server's value back, and an insert goes`() throws {
    let outbox = outbox()
    let server = ScriptedServer()
    let (kept, gone) = (outbox.replica.newID(), outbox.replica.newID())
    try outbox.replica.insert(["a": 1], id: kept, in: "jobs")
    _ = try server.run(outbox)
    try outbox.replica.set(["a": "refused"], id: kept, in: "jobs")
    try outbox.replica.insert(["a": "refused"], id: gone, in: "jobs")
    _ = try server.run(outbox)
    for letter in try outbox.deadLetters() { try outbox.discard(letter.id) }
    #expect(try outbox.replica.fields(of: kept, in: "jobs") == ["a": 1])
    #expect(try outbox.replica.fields(of: gone, in: "jobs") == nil)
    let pushes = server.pushes.count
    _ = try server.run(outbox)
    #expect(server.pushes.count == pushes, "what comes from the server is never pushed to it")
    #expect(try outbox.status().isSynced)
  }

  @Test func `a second exchange with nothing to do makes one request and writes nothing`() throws {
    let outbox = outbox()
    let server = ScriptedServer()
    try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
    _ = try server.run(outbox)
    _ = try server.run(outbox)
    let (requests, trace) = (server.requests, try outbox.replica.trace())
    let report = try server.run(outbox)
    #expect(server.requests == requests + 1)
    #expect(report.pull.rows == 0)
    #expect(try outbox.replica.trace() == trace)
  }

  @Test func `a child goes out behind its parent, and waits while the parent is refused`() throws {
    let outbox = outbox(OutboxConfiguration(batchLimit: 1))
    let server = ScriptedServer()
    try outbox.replica.declare([Reference("parent", to: "parents")], in: "children")
    let (parent, child) = (outbox.replica.newID(), outbox.replica.newID())
    try outbox.replica.insert(["a": "refused"], id: parent, in: "parents")
    try outbox.replica.insert(["parent": .record(parent)], id: child, in: "children")
    _ = try server.run(outbox)
    #expect(server.pushes.joined().map { $0["entity"] } == ["parents"])
    try outbox.replica.set(["a": 1], id: parent, in: "parents")
    _ = try server.run(outbox)
    #expect(server.pushes.joined().map { $0["entity"] } == ["parents", "parents", "children"])
  }

  @Test func `labels become intents, and a frozen entry never changes`() throws {
    let outbox = outbox()
    let server = ScriptedServer()
    let id = outbox.replica.newID()
    try outbox.replica.write("note a visit") { try $0.insert(["a": 1], id: id, in: "jobs") }
    server.override = { request in request.method == "POST" ? .some(nil) : nil }
    _ = try server.run(outbox)
    try outbox.replica.set(["a": 2], id: id, in: "jobs")
    _ = try server.run(outbox)
    #expect(server.pushes.count == 2)
    #expect(server.pushes[0] == server.pushes[1])
    #expect(server.pushes[0][0]["intent"] == "note a visit")
    server.override = { _ in nil }
    _ = try server.run(outbox)
    #expect(server.pushes[2] == server.pushes[0])
    #expect(server.pushes[3][0]["payload"] == ["a": 2])
    #expect(server.pushes[3][0]["base_version"] == 1)
  }

  @Test func `other replicas' writes are theirs to send`() throws {
    let outbox = outbox()
    let server = ScriptedServer()
    let other = Replica(
      configuration: ReplicaConfiguration(
        dataset: outbox.replica.dataset,
        environment: SimulatedEnvironment(wallMilliseconds: 1, seed: 8).environment))
    try other.insert(["a": 1], id: other.newID(), in: "jobs")
    try outbox.replica.sync(with: other)
    _ = try server.run(outbox)
    #expect(server.pushes.isEmpty)
    #expect(try outbox.status().isSynced)
  }

  @Test func `a batch that is refused as a whole is halved until the culprit stands alone`() throws {
    let outbox = outbox()
    let server = ScriptedServer()
    for number in 0..<8 {
      try outbox.replica.insert(["a": .int(number == 5 ? -1 : 1)], id: outbox.replica.newID(), in: "jobs")
    }
    server.override = { request in
      guard request.method == "POST", String(decoding: request.body, as: UTF8.self).contains("\"a\":-1")
      else {
        return nil
      }
      return HTTPResponse(status: 422, body: Array(#"{"error":"too negative"}"#.utf8))
    }
    let report = try server.run(outbox)
    #expect(report.push.applied.count == 7)
    #expect(report.push.rejected.map(\.reason) == ["too negative"])
  }

  @Test func `a batch that is too large is halved, and the good size is remembered`() throws {
    let outbox = outbox(OutboxConfiguration(batchLimit: 8))
    let server = ScriptedServer()
    server.override = { request in
      guard request.method == "POST", let json = try? JSON(parsing: request.body),
        case .array(let entries)? = json["mutations"], entries.count > 2
      else { return nil }
      return HTTPResponse(status: 413)
    }
    for _ in 0..<8 { try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs") }
    _ = try server.run(outbox)
    #expect(server.pushes.map(\.count) == [8, 4, 2, 2, 2, 2])
    for _ in 0..<4 { try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs") }
    _ = try server.run(outbox)
    #expect(server.pushes.map(\.count).suffix(2) == [2, 2])
  }
}
