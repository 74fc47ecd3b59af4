import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Exchanges that go one way only, and what is written while one is under way.
struct DirectionTests {
  private static let start: Int64 = 1_700_000_000_000
  private let environment = SimulatedEnvironment(wallMilliseconds: Self.start, seed: 11)

  private func outbox() -> Outbox {
    Outbox(Replica(configuration: ReplicaConfiguration(environment: environment.environment)))
  }

  private func run(_ cycle: SyncCycle, _ server: ScriptedServer) throws -> CycleReport {
    var cycle = cycle
    while let request = try cycle.next() { try cycle.receive(server.answer(request)) }
    return cycle.report
  }

  /// Makes a record here that the server has and has changed since, which nobody knows here.
  private func editedThere(_ outbox: Outbox, _ server: ScriptedServer) throws -> RecordID {
    let id = outbox.replica.newID()
    try outbox.replica.insert(["a": 1], id: id, in: "jobs")
    _ = try server.run(outbox)
    server.model.wallMilliseconds += 10
    server.model.edit("jobs", id.description, ["a": 2])
    environment.pass(milliseconds: 20)
    return id
  }

  @Test func `a push sends and fetches nothing`() throws {
    let (outbox, server) = (outbox(), ScriptedServer())
    server.model.edit("jobs", outbox.replica.newID().description, ["a": 1])
    try outbox.replica.insert(["a": 2], id: outbox.replica.newID(), in: "jobs")
    let report = try run(outbox.cycle(.push), server)
    #expect(report.push.applied.count == 1)
    #expect(report.pull == PullReport())
    #expect(server.requests == 1)
    #expect(try outbox.replica.records(in: "jobs").count == 1)
  }

  @Test func `a pull fetches and sends nothing`() throws {
    let (outbox, server) = (outbox(), ScriptedServer())
    server.model.edit("jobs", outbox.replica.newID().description, ["a": 1])
    try outbox.replica.insert(["a": 2], id: outbox.replica.newID(), in: "jobs")
    let report = try run(outbox.cycle(.pull), server)
    #expect(report.push == DrainReport())
    #expect(report.pull.rows == 1)
    #expect(server.pushes.isEmpty)
    #expect(try outbox.replica.records(in: "jobs").count == 2)
    #expect(try outbox.status().waiting == 1)
  }

  @Test(arguments: FieldPolicy.Pulling.allCases)
  func `what no push ever knew goes by its policy when a pull meets it`(_ policy: FieldPolicy.Pulling) throws
  {
    let (outbox, server) = (outbox(), ScriptedServer())
    outbox.replica.declare([FieldPolicy("a", server: policy)], in: "jobs")
    let id = try editedThere(outbox, server)
    try outbox.replica.set(["a": 3], id: id, in: "jobs")
    _ = try run(outbox.cycle(.pull), server)
    let kept: Value = policy == .serverWins ? 2 : 3
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": kept])
    #expect(try outbox.replica.conflicts().map(\.losingValue) == [policy == .serverWins ? 3 : 2])
    _ = try server.run(outbox)
    #expect(server.model.rows["jobs"]?[id.description]?.fields == ["a": policy == .serverWins ? 2 : 3])
  }

  @Test func `an edit that is made while a page is under way is not taken for one that the server had seen`()
    throws
  {
    let (outbox, server) = (outbox(), ScriptedServer())
    let id = try editedThere(outbox, server)
    var cycle = outbox.cycle()
    while let request = try cycle.next() {
      let answer = server.answer(request)
      if request.method == "GET" { try outbox.replica.set(["a": 3], id: id, in: "jobs") }
      try cycle.receive(answer)
    }
    #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": 3], "the later of both counts")
    _ = try server.run(outbox)
    #expect(server.model.rows["jobs"]?[id.description]?.fields == ["a": 3])
  }
}
