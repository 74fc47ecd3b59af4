import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Servers that give records ids of their own and never repeat the devices': one row is one record in the end.
struct TwinTests {
  private let server = SpokenServer(.accounts)
  private let environments = [1, 2].map { seed in
    SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: seed)
  }

  private func device(_ number: Int) throws -> Outbox {
    let replica = Replica(
      configuration: ReplicaConfiguration(
        dataset: DatasetID(name: "twins"), environment: environments[number].environment))
    try replica.declare([Reference("note", to: "notes")], in: "parts")
    server.model.traits.givesIDs = true
    return Outbox(
      replica, configuration: OutboxConfiguration(kinds: ["parts": ["note": .record]]),
      dialect: server.dialect)
  }

  @discardableResult
  private func exchange(_ outbox: Outbox, _ fault: ModelServer.Fault = .none) throws -> CycleReport {
    for environment in environments { environment.pass(milliseconds: 120_000) }
    server.model.wallMilliseconds += 120_000
    return try server.run(outbox, fault: fault)
  }

  private func ids(_ outbox: Outbox, _ collection: Collection = "notes") throws -> [RecordID] {
    try outbox.replica.records(in: collection).map(\.id)
  }

  @Test func `who fetched a row first and met its maker then has one record`() throws {
    let (ada, ben) = (try device(0), try device(1))
    let (note, part) = (ada.replica.newID(), ada.replica.newID())
    try ada.replica.insert(["a": 1], id: note, in: "notes")
    try ada.replica.insert(["a": 2, "note": .record(note)], id: part, in: "parts")
    try exchange(ada)
    try exchange(ben)
    let twin = try #require(try ids(ben).first)
    #expect(twin != note)
    #expect(try ben.replica.records(in: "parts").first?.fields["note"] == .record(twin))
    try ada.replica.sync(with: ben.replica)
    // What the one who fetched it has written goes out first, under the name that it had.
    try ben.replica.set(["b": 3], id: twin, in: "notes")
    for outbox in [ben, ben, ada] { try exchange(outbox) }
    try ada.replica.sync(with: ben.replica)
    for outbox in [ada, ben] { try exchange(outbox) }
    for outbox in [ada, ben] {
      #expect(try ids(outbox) == [note])
      #expect(try ids(outbox, "parts") == [part])
      #expect(try outbox.replica.fields(of: note, in: "notes")?["b"] == 3)
      #expect(try outbox.replica.fields(of: part, in: "parts")?["note"] == .record(note))
      #expect(try outbox.status().isSynced)
    }
    #expect(server.model.rows["notes"]?.count == 1)
    try ben.replica.set(["a": 5], id: note, in: "notes")
    try exchange(ben)
    #expect(server.model.rows["notes"]?.values.first?.fields["a"] == 5)
  }

  @Test func `a row that is fetched before the answer to its insert is no second record`() throws {
    let ada = try device(0)
    let note = ada.replica.newID()
    try ada.replica.insert(["a": 1], id: note, in: "notes")
    try exchange(ada, .lostAnswer)
    var cycle = ada.cycle(.pull)
    while let request = try cycle.next() {
      let list = #"[{"id":"r0","updatedAt":1700000120000,"a":1,"trackers":[]}]"#
      #expect(request.method == "GET")
      try cycle.receive(HTTPResponse(status: 200, body: Array(list.utf8)))
    }
    #expect(try ids(ada).count == 2, "nobody can tell yet")
    try exchange(ada)
    #expect(try ids(ada) == [note])
    #expect(server.model.rows["notes"]?.count == 1)
  }

  @Test func `a record that the server makes anew has its new id`() throws {
    let ada = try device(0)
    let note = ada.replica.newID()
    try ada.replica.insert(["a": 1], id: note, in: "notes")
    try exchange(ada)
    try ada.replica.delete(note, in: "notes")
    try exchange(ada)
    try ada.replica.restore(note, in: "notes")
    server.override = { request in
      guard request.method == "POST" else { return nil }
      return HTTPResponse(
        status: 201, body: Array(#"{"id":"r9","updatedAt":1700000900000,"a":1,"trackers":[]}"#.utf8))
    }
    try exchange(ada)
    server.override = { _ in
      HTTPResponse(
        status: 200, body: Array(#"[{"id":"r9","updatedAt":1700000900000,"a":1,"trackers":[]}]"#.utf8))
    }
    try exchange(ada)
    #expect(try ids(ada) == [note])
    #expect(try ada.standing(of: note, in: "notes").serverID == "r9")
  }

  @Test
  func `what fails three times is a conflict, and goes out under its key before what was written since`()
    throws
  {
    let ada = try device(0)
    let note = ada.replica.newID()
    try ada.replica.insert(["a": 1], id: note, in: "notes")
    server.override = { request in
      request.method == "POST" ? HTTPResponse(status: 500) : HTTPResponse(status: 200, body: Array("[]".utf8))
    }
    for _ in 0..<6 { try exchange(ada) }
    #expect(try ada.state(of: note, in: "notes") == .conflict)
    #expect(server.pushes.count == 3)
    let keys = Set(server.pushes.compactMap { $0.headers.first { $0.name == "Idempotency-Key" }?.value })
    #expect(keys.count == 1)
    server.override = { _ in nil }
    try ada.replica.set(["a": 2], id: note, in: "notes")
    try exchange(ada)
    let last = server.pushes.dropFirst(3)
    #expect(last.map(\.method) == ["POST", "PATCH"])
    #expect(last.first?.headers.first { $0.name == "Idempotency-Key" }?.value == keys.first)
    #expect(server.model.rows["notes"]?.values.map(\.fields) == [["a": 2]])
    #expect(try ada.status().isSynced)
  }

  @Test func `an account and its trackers are refused as one thing, and what is left goes out by itself`()
    throws
  {
    let ada = try device(0)
    let (note, part) = (ada.replica.newID(), ada.replica.newID())
    try ada.replica.insert(["a": 1, "b": "refused"], id: note, in: "notes")
    try ada.replica.insert(["a": 2, "b": 3, "note": .record(note)], id: part, in: "parts")
    #expect(try exchange(ada).push.rejected.map(\.entry.subject) == [.record(RecordKey("notes", note))])
    #expect(try exchange(ada).push.requests == 0)
    try ada.replica.set(["b": 4], id: note, in: "notes")
    try exchange(ada)
    try exchange(ada)
    #expect(server.model.rows["notes"]?.values.map(\.fields) == [["a": 1, "b": 4]])
    #expect(server.model.rows["parts"]?.values.first?.fields["b"] == 3)
    #expect(try ada.status().isSynced)
  }

  private func insertWithPart(_ outbox: Outbox) throws -> (note: RecordID, part: RecordID) {
    let (note, part) = (outbox.replica.newID(), outbox.replica.newID())
    try outbox.replica.insert(["a": 1], id: note, in: "notes")
    try outbox.replica.insert(["a": 2, "note": .record(note)], id: part, in: "parts")
    return (note, part)
  }

  @Test(arguments: [500, 413])
  func `a status is about the whole request, which is never divided`(_ status: Int) throws {
    let ada = try device(0)
    let (note, part) = try insertWithPart(ada)
    server.override = { request in
      guard request.method == "POST" else { return HTTPResponse(status: 200, body: Array("[]".utf8)) }
      return HTTPResponse(status: status, body: Array(#"{"error":"too_large"}"#.utf8))
    }
    for _ in 0..<5 { try exchange(ada) }
    #expect(Set(server.pushes.map(\.body)).count == 1)
    #expect(server.pushes.count == (status == 500 ? 3 : 1))
    #expect(try ada.state(of: note, in: "notes") == (status == 500 ? .conflict : .dead(reason: "tooLarge")))
    guard case .waiting(let attempts, _, _) = try ada.state(of: part, in: "parts") else {
      Issue.record("what was to be made with it waits for it")
      return
    }
    #expect(attempts == 0)
  }

  @Test
  func `a request that is made again holds what it held, though others were refused with its first entry`()
    throws
  {
    let ada = try device(0)
    let (note, part) = try insertWithPart(ada)
    server.override = { request in
      request.method == "POST"
        ? HTTPResponse(status: 422, body: Array(#"{"reason":"no"}"#.utf8))
        : HTTPResponse(status: 200, body: Array("[]".utf8))
    }
    try exchange(ada)
    guard case .waiting(attempts: 0, _, _) = try ada.state(of: part, in: "parts") else {
      Issue.record("it is charged for the other one's refusal")
      return
    }
    server.override = { _ in nil }
    try ada.replica.set(["a": 5], id: note, in: "notes")
    try exchange(ada, .lostAnswer)
    try exchange(ada)
    let bodies = server.pushes.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(bodies.count >= 3 && bodies[1] == bodies[2])
    for _ in 0..<2 { try exchange(ada) }
    #expect(server.model.rows["notes"]?.count == 1)
    #expect(server.model.rows["parts"]?.count == 1)
    #expect(try ada.status().isSynced)
  }

  @Test func `what is made after a request was lost does not change the request`() throws {
    let ada = try device(0)
    let note = ada.replica.newID()
    try ada.replica.insert(["a": 1], id: note, in: "notes")
    try exchange(ada, .lostAnswer)
    try ada.replica.insert(["a": 2, "note": .record(note)], id: ada.replica.newID(), in: "parts")
    for _ in 0..<2 { try exchange(ada) }
    #expect(server.pushes[0].body == server.pushes[1].body)
    #expect(server.pushes.map(\.path).last == "/parts")
    #expect(server.model.rows["parts"]?.count == 1)
    #expect(try ada.status().isSynced)
  }

  @Test func `what only the other record shows is not lost with it, though its row never comes again`() throws
  {
    let fleet = Fleet()
    fleet.server.model.traits.givesIDs = true
    fleet.server.override = { request in
      guard request.method == "GET", let answer = fleet.server.model.answer(request, fault: .none) else {
        return nil
      }
      let text = String(decoding: answer.body, as: UTF8.self)
      return HTTPResponse(status: 200, body: Array(text.replacing(/,"local_id":"[^"]*"/, with: "").utf8))
    }
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    fleet.server.model.edit("jobs", try #require(fleet.server.model.rows["jobs"]?.keys.first), ["b": 2])
    try fleet.exchange(ben)
    #expect(try ben.replica.records(in: "jobs").map(\.id) != [id])
    try ben.replica.sync(with: ada.replica)
    try fleet.exchange(ben)
    #expect(try ben.replica.records(in: "jobs").map(\.id) == [id])
    #expect(try fleet.shown(id, at: ben) == ["a": 1, "b": 2])
    try fleet.set(["a": 3], of: id, at: ben)
    try fleet.exchange(ben)
    #expect(fleet.server.model.rows["jobs"]?.values.map(\.fields) == [["a": 3, "b": 2]])
  }
}
