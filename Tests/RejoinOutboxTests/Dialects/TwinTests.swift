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
}
