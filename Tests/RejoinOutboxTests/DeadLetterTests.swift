import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// What becomes of dead letters and of those behind them, also when other devices have a say.
struct DeadLetterTests {
  private let dataset = DatasetID(name: "letters")
  private let server = ScriptedServer()

  private func device(
    _ number: UInt64, _ configuration: OutboxConfiguration = OutboxConfiguration()
  ) -> (outbox: Outbox, environment: SimulatedEnvironment) {
    let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: number)
    let replica = Replica(
      configuration: ReplicaConfiguration(dataset: dataset, environment: environment.environment))
    return (Outbox(replica, configuration: configuration), environment)
  }

  /// What a push whose entries are all refused is answered.
  private func refusal(of request: HTTPRequest, _ outcome: JSON = "rejected") throws -> HTTPResponse? {
    guard request.method == "POST",
      case .array(let entries)? = try JSON(parsing: request.body)["mutations"]
    else { return nil }
    let results = entries.map { ["op_id": $0["op_id"] ?? .null, "outcome": outcome] as JSON }
    let body: JSON = ["results": .array(results)]
    return HTTPResponse(status: 200, body: body.bytes())
  }

  private func sendRefused(_ outbox: Outbox, _ outcome: JSON = "rejected") throws {
    server.override = { request in
      guard let refusal = try? refusal(of: request, outcome) else { return nil }
      return .some(refusal)
    }
    _ = try server.run(outbox)
    server.override = { _ in nil }
  }

  // MARK: Discarding

  @Test(arguments: [true, false])
  func `a discarded insert stays where somebody else has sent the record`(_ isKnown: Bool) throws {
    let ((one, first), (two, second)) = (device(1), device(2))
    let id = one.replica.newID()
    try one.replica.insert(["a": "refused"], id: id, in: "jobs")
    // What one has heard last is later than what two is about to send: the server's clock is set back.
    first.pass(milliseconds: 60_000)
    server.model.wallMilliseconds += 60_000
    server.model.edit("jobs", "another", ["a": 1])
    _ = try server.run(one)
    try two.replica.sync(with: one.replica)
    second.pass(milliseconds: 1_000)
    server.model.wallMilliseconds -= 59_000
    try two.replica.set(["a": 1], id: id, in: "jobs")
    _ = try server.run(two)
    if isKnown { _ = try server.run(one) }
    try one.discard(try #require(try one.deadLetters().first).id)
    _ = try server.run(one)
    #expect(try one.replica.fields(of: id, in: "jobs") == ["a": 1])
    #expect(try one.status().isSynced)
  }

  @Test func `a discarded insert that was edited since goes out as a whole`() throws {
    let (outbox, _) = device(1)
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": "refused", "b": 1], id: id, in: "jobs")
    _ = try server.run(outbox)
    try outbox.replica.set(["a": "fine"], id: id, in: "jobs")
    try outbox.discard(try #require(try outbox.deadLetters().first).id)
    // Somebody else has made the record meanwhile, so that the insert becomes an update.
    server.model.edit("jobs", id.description, ["d": 7])
    _ = try server.run(outbox)
    #expect(server.model.rows["jobs"]?[id.description]?.fields == ["a": "fine", "b": 1, "d": 7])
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": "fine", "b": 1, "d": 7])
    #expect(try outbox.status().isSynced)
  }

  @Test func `a discarded deletion leaves alone what somebody has written since`() throws {
    let ((one, _), (two, second)) = (device(1), device(2))
    let id = one.replica.newID()
    try one.replica.insert(["a": 1], id: id, in: "jobs")
    _ = try server.run(one)
    try one.replica.delete(id, in: "jobs")
    try sendRefused(one)
    try two.replica.sync(with: one.replica)
    second.pass(milliseconds: 1_000)
    try two.replica.restore(id, in: "jobs")
    try two.replica.set(["a": 17], id: id, in: "jobs")
    try two.replica.sync(with: one.replica)
    try one.discard(try #require(try one.deadLetters().first).id)
    #expect(try one.replica.fields(of: id, in: "jobs") == ["a": 17])
  }

  // MARK: What decides by itself

  @Test func `a refused log entry that the server shows after all is no dead letter`() throws {
    let (outbox, _) = device(1, OutboxConfiguration(logs: ["visits"]))
    try outbox.replica.append(["number": 1], to: "visits")
    server.override = { [server] request in
      guard request.method == "POST" else { return nil }
      _ = server.model.answer(request, fault: .none)
      return HTTPResponse(status: 413)
    }
    let report = try server.run(outbox)
    #expect(report.push.rejected.count == 1)
    #expect(try outbox.deadLetters().isEmpty)
    #expect(try outbox.status().isSynced)
  }

  @Test func `a log entry that meets conflicts again and again arrives in the end`() throws {
    let (outbox, environment) = device(1, OutboxConfiguration(logs: ["visits"]))
    try outbox.replica.append(["number": 1], to: "visits")
    for _ in 0..<8 {
      try sendRefused(outbox, "conflict")
      environment.pass(milliseconds: 120_000)
    }
    _ = try server.run(outbox)
    #expect(server.model.rows["visits"]?.count == 1)
    #expect(try outbox.status().isSynced)
  }

  @Test func `an answer is about its entry's record, also where another device told the server's id`() throws
  {
    let ((one, _), (two, second)) = (device(1), device(2))
    server.model.traits.givesIDs = true
    let id = one.replica.newID()
    try one.replica.insert(["a": 1], id: id, in: "jobs")
    _ = try server.run(one)
    try two.replica.sync(with: one.replica)
    server.model.edit("jobs", "r0", nil)
    second.pass(milliseconds: 1_000)
    try two.replica.set(["a": 2], id: id, in: "jobs")
    var cycle = two.cycle()
    for _ in 0..<6 {
      if let request = try cycle.next() { try cycle.receive(server.answer(request)) }
    }
    #expect(server.pushes.count == 2, "an update of what is gone is not sent again")
    #expect(try two.replica.fields(of: id, in: "jobs") == nil)
    #expect(try two.replica.conflicts().count == 1)
    #expect(try two.status().isSynced)
  }

  // MARK: Those behind

  @Test func `children that wait for a refused parent hold up nobody else`() throws {
    let (outbox, _) = device(1, OutboxConfiguration(batchLimit: 1))
    try outbox.replica.declare([Reference("parent", to: "parents")], in: "children")
    let parent = outbox.replica.newID()
    try outbox.replica.insert(["a": "refused"], id: parent, in: "parents")
    for _ in 0..<5 {
      try outbox.replica.insert(["parent": .record(parent)], id: outbox.replica.newID(), in: "children")
    }
    try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
    _ = try server.run(outbox)
    #expect(server.pushes.joined().map { $0["entity"] } == ["parents", "jobs"])
  }

  @Test func `a child waits for a parent that was deleted there and is made anew here`() throws {
    let (outbox, environment) = device(1, OutboxConfiguration(batchLimit: 1))
    try outbox.replica.declare([Reference("parent", to: "parents")], in: "children")
    let parent = outbox.replica.newID()
    try outbox.replica.insert(["a": 1], id: parent, in: "parents")
    _ = try server.run(outbox)
    try outbox.replica.delete(parent, in: "parents")
    _ = try server.run(outbox)
    environment.pass(milliseconds: 1_000)
    try outbox.replica.restore(parent, in: "parents")
    try outbox.replica.set(["a": "refused"], id: parent, in: "parents")
    try outbox.replica.insert(["parent": .record(parent)], id: outbox.replica.newID(), in: "children")
    for _ in 0..<2 { _ = try server.run(outbox) }
    #expect(!server.pushes.joined().contains { $0["entity"] == "children" })
    try outbox.replica.set(["a": 2], id: parent, in: "parents")
    _ = try server.run(outbox)
    #expect(server.model.rows["children"]?.count == 1)
  }

  @Test func `a field that a frozen entry leaves out takes the server's later value`() throws {
    let (outbox, environment) = device(1)
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1, "b": 9], id: id, in: "jobs")
    _ = try server.run(outbox)
    environment.pass(milliseconds: 1_000)
    try outbox.replica.set(["a": 2, "b": 9], id: id, in: "jobs")
    server.model.edit("jobs", id.description, ["b": 26])
    try sendRefused(outbox, "retry_later")
    #expect(server.pushes.last?.first?["payload"] == ["a": 2])
    environment.pass(milliseconds: 120_000)
    _ = try server.run(outbox)
    #expect(server.model.rows["jobs"]?[id.description]?.fields == ["a": 2, "b": 26])
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": 2, "b": 26])
    #expect(try outbox.status().isSynced)
  }

  @Test func `a record that comes back after its deletion was sent goes out, whatever came meanwhile`() throws
  {
    let (outbox, environment) = device(1)
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1], id: id, in: "jobs")
    server.override = { $0.method == "POST" ? .some(nil) : nil }
    _ = try server.run(outbox)
    try outbox.replica.delete(id, in: "jobs")
    // The insert is answered with a corrected row, which finds its record deleted.
    server.override = { [server] in
      $0.method == "POST" ? server.model.answer($0, fault: .correction) : .some(nil)
    }
    _ = try server.run(outbox)
    server.override = { _ in nil }
    #expect(server.model.rows["jobs"]?[id.description]?.isDeleted == true)
    environment.pass(milliseconds: 1_000)
    try outbox.replica.restore(id, in: "jobs")
    _ = try server.run(outbox)
    #expect(server.model.rows["jobs"]?[id.description]?.isDeleted == false)
    #expect(try outbox.status().isSynced)
  }
}
