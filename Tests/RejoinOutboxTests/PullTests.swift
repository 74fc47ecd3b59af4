import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// What comes in: only what the server changed becomes a write, and nobody's unsent write vanishes.
struct PullTests {
  private static let start: Int64 = 1_700_000_000_000
  private let dataset = DatasetID(name: "pull")

  private func device(
    _ number: UInt64, offset: Int64 = 0, _ configuration: OutboxConfiguration = OutboxConfiguration()
  ) -> (outbox: Outbox, environment: SimulatedEnvironment) {
    let environment = SimulatedEnvironment(wallMilliseconds: Self.start + offset, seed: number)
    let replica = Replica(
      configuration: ReplicaConfiguration(dataset: dataset, environment: environment.environment))
    return (Outbox(replica, configuration: configuration), environment)
  }

  @Test(arguments: [120_000, -120_000] as [Int64])
  func `a newer server value is not hidden by an acknowledged older edit of a device whose clock is off`(
    _ offset: Int64
  ) throws {
    let (outbox, environment) = device(1, offset: offset)
    let server = ScriptedServer()
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1, "b": 1], id: id, in: "jobs")
    _ = try server.run(outbox)
    environment.pass(milliseconds: 10)
    server.model.wallMilliseconds += 10
    try outbox.replica.set(["b": 2], id: id, in: "jobs")
    server.model.edit("jobs", id.description, ["a": 5])
    _ = try server.run(outbox)
    _ = try server.run(outbox)
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": 5, "b": 2])
    #expect(server.model.rows["jobs"]?[id.description]?.fields == ["a": 5, "b": 2])
    #expect(try outbox.status().isSynced)
  }

  @Test func `two devices that start offline and meet both ways end with one state and no ping-pong`() throws
  {
    let (one, first) = device(1)
    let (two, second) = device(2, offset: 60_000)
    let server = ScriptedServer(isStrict: false)
    for number in 0..<5 {
      try one.replica.insert(["a": .int(Int64(number))], id: one.replica.newID(), in: "accounts")
      try two.replica.insert(["a": .int(Int64(number))], id: two.replica.newID(), in: "accounts")
    }
    for _ in 0..<4 {
      for outbox in [one, two] { _ = try server.run(outbox) }
      try one.replica.sync(with: two.replica)
      for environment in [first, second] { environment.pass(milliseconds: 1_000) }
      server.model.wallMilliseconds += 1_000
    }
    #expect(server.pushes.joined().count == 10)
    #expect(try one.replica.records(in: "accounts").count == 10)
    #expect(try one.replica.records(in: "accounts") == two.replica.records(in: "accounts"))
    #expect(server.model.rows["accounts"]?.count == 10)
    // Both edit one field, meet, and push.
    let id = try #require(try one.replica.records(in: "accounts").first?.id)
    try one.replica.set(["a": 100], id: id, in: "accounts")
    try two.replica.set(["a": 200], id: id, in: "accounts")
    let before = server.pushes.joined().count
    for _ in 0..<6 {
      try one.replica.sync(with: two.replica)
      for outbox in [one, two] { _ = try server.run(outbox) }
      for environment in [first, second] { environment.pass(milliseconds: 1_000) }
      server.model.wallMilliseconds += 1_000
    }
    #expect(server.pushes.joined().count - before <= 2, "values are not pushed back and forth")
    #expect(try one.replica.fields(of: id, in: "accounts") == two.replica.fields(of: id, in: "accounts"))
    #expect(try one.replica.fields(of: id, in: "accounts") == ["a": 200])
  }

  @Test func `two devices that meet one server row end with one record, and write to the row`() throws {
    let (one, _) = device(1)
    let (two, second) = device(2)
    let server = ScriptedServer()
    server.model.edit("jobs", "row-17", ["a": 1])
    for outbox in [one, two] { _ = try server.run(outbox) }
    try one.replica.sync(with: two.replica)
    let records = try one.replica.records(in: "jobs")
    #expect(records.count == 1)
    second.pass(milliseconds: 1_000)
    try two.replica.set(["a": 2], id: try #require(records.first?.id), in: "jobs")
    _ = try server.run(two)
    #expect(server.pushes.joined().map { $0["entity_id"] } == ["row-17"])
    #expect(server.model.rows["jobs"]?.count == 1)
  }

  @Test func `a device that has a row only from another one writes to the row`() throws {
    let (one, _) = device(1)
    let (two, second) = device(2)
    let server = ScriptedServer()
    server.model.edit("jobs", "row-17", ["a": 1])
    _ = try server.run(one)
    try two.replica.sync(with: one.replica)
    second.pass(milliseconds: 1_000)
    let id = try #require(try two.replica.records(in: "jobs").first?.id)
    try two.replica.set(["a": 2], id: id, in: "jobs")
    _ = try server.run(two)
    #expect(server.pushes.first?.first?["op"] == "update")
    #expect(server.model.rows["jobs"]?["row-17"]?.fields == ["a": 2])
    #expect(server.model.rows["jobs"]?.count == 1)
  }

  @Test(arguments: FieldPolicy.Pulling.allCases)
  func `a field that both changed goes by its policy, and the other side is in the ledger`(
    _ policy: FieldPolicy.Pulling
  ) throws {
    let (outbox, environment) = device(1)
    outbox.replica.declare([FieldPolicy("a", server: policy)], in: "jobs")
    let server = ScriptedServer()
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1], id: id, in: "jobs")
    _ = try server.run(outbox)
    environment.pass(milliseconds: 1_000)
    try outbox.replica.set(["a": 2], id: id, in: "jobs")
    environment.pass(milliseconds: 1_000)
    server.model.wallMilliseconds = environment.wallMilliseconds
    server.model.edit("jobs", id.description, ["a": 3])
    _ = try server.run(outbox)
    let winner: Value = policy == .clientWins ? 2 : 3
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": winner])
    let conflicts = try outbox.replica.conflicts()
    #expect(conflicts.count == 1)
    #expect(conflicts.first?.losingValue == (policy == .clientWins ? 3 : 2))
    environment.pass(milliseconds: 120_000)
    _ = try server.run(outbox)
    #expect(server.model.rows["jobs"]?[id.description]?.fields["a"] == (policy == .clientWins ? 2 : 3))
  }

  @Test func `a tombstone deletes, and what was not sent is in the ledger`() throws {
    let (outbox, environment) = device(1)
    let server = ScriptedServer()
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1], id: id, in: "jobs")
    _ = try server.run(outbox)
    environment.pass(milliseconds: 1_000)
    try outbox.replica.set(["a": 2], id: id, in: "jobs")
    server.model.wallMilliseconds = environment.wallMilliseconds
    server.model.edit("jobs", id.description, nil)
    _ = try server.run(outbox)
    #expect(try outbox.replica.fields(of: id, in: "jobs") == nil)
    #expect(try outbox.replica.conflicts().count == 1)
    #expect(try outbox.status().isSynced)
    #expect(server.model.rows["jobs"]?[id.description]?.isDeleted == true)
  }

  @Test func `rows that two devices learnt leave nothing in the ledger when they meet`() throws {
    let (one, _) = device(1)
    let (two, _) = device(2, offset: 5)
    let server = ScriptedServer()
    for number in 0..<20 { server.model.edit("jobs", "row-\(number)", ["a": .int(Int64(number))]) }
    for outbox in [one, two] { _ = try server.run(outbox) }
    try one.replica.sync(with: two.replica)
    #expect(try one.replica.conflicts(includingSettled: true).isEmpty)
    #expect(try two.replica.conflicts(includingSettled: true).isEmpty)
  }

  @Test func `a server that says there is more and does not move is a typed error`() throws {
    let (outbox, _) = device(1)
    let server = ScriptedServer()
    server.override = { _ in
      HTTPResponse(status: 200, body: Array(#"{"changes":[],"cursor":"x","has_more":true}"#.utf8))
    }
    #expect(throws: OutboxError.pullDoesNotMove) { try server.run(outbox) }
    #expect(server.requests <= 4)
  }

  @Test func `a cursor that goes in circles is a typed error`() throws {
    let (outbox, _) = device(1)
    let server = ScriptedServer()
    var number = 0
    server.override = { _ in
      number += 1
      return HTTPResponse(
        status: 200, body: Array("{\"changes\":[],\"cursor\":\"\(number % 3)\",\"has_more\":true}".utf8))
    }
    #expect(throws: OutboxError.pullDoesNotMove) { try server.run(outbox) }
    #expect(server.requests <= 6)
  }

  @Test func `a row that cannot be understood is kept as it came and does not hold the cursor`() throws {
    let (outbox, _) = device(1)
    let server = ScriptedServer()
    server.override = { _ in
      HTTPResponse(
        status: 200,
        body: Array(
          #"{"changes":[{"what":1},{"entity":"jobs","id":"r","version":1,"fields":{"a":1}}],"cursor":"9","has_more":false}"#
            .utf8))
    }
    let report = try server.run(outbox)
    #expect(report.pull.quarantined == 1)
    #expect(try outbox.replica.records(in: "jobs").count == 1)
    #expect(try outbox.quarantined().map { $0.text() } == [#"{"what":1}"#])
  }

  @Test(arguments: [401, 403, 426, 503, 429, 404])
  func `a status that is no verdict stops the exchange and keeps everything`(_ status: Int) throws {
    let (outbox, environment) = device(1)
    let server = ScriptedServer()
    try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
    try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
    server.override = { _ in HTTPResponse(status: status) }
    let report = try server.run(outbox)
    #expect(server.requests == 1)
    #expect(report.push.stopped != nil)
    #expect(try outbox.status() == OutboxStatus(waiting: 2))
    let key = server.pushes.first?.first?["op_id"]
    environment.pass(milliseconds: 120_000)
    server.override = { _ in nil }
    _ = try server.run(outbox)
    #expect(server.pushes.last?.first?["op_id"] == key, "the same key on every retry")
    #expect(try outbox.status().isSynced)
  }

  @Test func `a server that has begun anew is read from the beginning, and nothing is deleted`() throws {
    let (outbox, _) = device(1)
    let server = ScriptedServer()
    try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
    _ = try server.run(outbox)
    server.model.changeEpoch()
    let report = try server.run(outbox)
    #expect(report.pull.hasStartedAgain)
    #expect(report.pull.rows == 1)
    #expect(try outbox.replica.records(in: "jobs").count == 1)
    #expect(try outbox.replica.conflicts(includingSettled: true).isEmpty)
  }

  @Test func `a row that is older than what is known says nothing`() throws {
    let (outbox, _) = device(1)
    let server = ScriptedServer()
    func page(_ version: Int, _ value: Int) -> HTTPResponse {
      HTTPResponse(
        status: 200,
        body: Array(
          """
          {"changes":[{"entity":"jobs","id":"r","version":\(version),"fields":{"a":\(value)}}],
          "cursor":"\(version)","has_more":false}
          """.utf8))
    }
    for (version, value) in [(3, 30), (2, 20)] {
      server.override = { _ in page(version, value) }
      _ = try server.run(outbox)
    }
    #expect(try outbox.replica.records(in: "jobs").map(\.fields) == [["a": 30]])
  }

  @Test func `where the server took our older value after all, it comes back here`() throws {
    let (outbox, environment) = device(1)
    let server = ScriptedServer(isStrict: false)
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1], id: id, in: "jobs")
    _ = try server.run(outbox)
    environment.pass(milliseconds: 1_000)
    try outbox.replica.set(["a": 2], id: id, in: "jobs")
    // The entry is put off; meanwhile somebody's later value comes in and wins here.
    server.override = { request in
      guard request.method == "POST",
        let key = try? JSON(parsing: request.body).at(pointer: "/mutations/0/op_id")
      else { return nil }
      let body: JSON = ["results": [["op_id": key, "outcome": "retry_later"]]]
      return HTTPResponse(status: 200, body: body.bytes())
    }
    environment.pass(milliseconds: 1_000)
    server.model.wallMilliseconds = environment.wallMilliseconds
    server.model.edit("jobs", id.description, ["a": 3])
    _ = try server.run(outbox)
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": 3])
    // A frozen entry never changes, and this server takes it whatever its version.
    server.override = { _ in nil }
    environment.pass(milliseconds: 120_000)
    _ = try server.run(outbox)
    #expect(server.model.rows["jobs"]?[id.description]?.fields == ["a": 2])
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": 2])
    #expect(try outbox.status().isSynced)
  }

  @Test func `what came while a record was deleted here is taken in when it comes back`() throws {
    let (one, first) = device(1)
    let (two, second) = device(2)
    let server = ScriptedServer()
    let id = one.replica.newID()
    try one.replica.insert(["a": 1], id: id, in: "jobs")
    _ = try server.run(one)
    try two.replica.sync(with: one.replica)
    second.pass(milliseconds: 10)
    try two.replica.delete(id, in: "jobs")
    try one.replica.sync(with: two.replica)
    // The deletion is the other device's to send; meanwhile the row changes there.
    server.model.edit("jobs", id.description, ["b": 7])
    _ = try server.run(one)
    #expect(try one.replica.fields(of: id, in: "jobs") == nil)
    first.pass(milliseconds: 1_000)
    try one.replica.restore(id, in: "jobs")
    _ = try server.run(one)
    #expect(try one.replica.fields(of: id, in: "jobs") == ["a": 1, "b": 7])
    #expect(server.model.rows["jobs"]?[id.description]?.fields == ["a": 1, "b": 7])
  }
}
