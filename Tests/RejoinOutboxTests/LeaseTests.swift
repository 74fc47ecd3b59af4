import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// One exchange at a time among the processes that have a file open.
struct LeaseTests {
  private let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
  private let server = ScriptedServer()
  private let outbox: Outbox
  /// Two processes that know of each other, and a third that is dead.
  private let one = OutboxProcess(id: 1) { $0 != 3 }
  private let two = OutboxProcess(id: 2) { $0 != 3 }
  private let dead = OutboxProcess(id: 3) { $0 != 3 }

  init() throws {
    outbox = Outbox(Replica(configuration: ReplicaConfiguration(environment: environment.environment)))
    try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
  }

  /// Drives an exchange to its end.
  private func run(as process: OutboxProcess) throws -> CycleReport {
    var cycle = outbox.cycle(as: process)
    while let request = try cycle.next() { try cycle.receive(server.answer(request)) }
    return cycle.report
  }

  /// Damages what the outbox keeps, or lets go of it.
  private func damage(_ text: String?) throws {
    try outbox.replica.exchange(with: "main") {
      try $0.keep(text, under: LocalKey("main/state", Array("scope".utf8)))
    }
  }

  @Test func `an exchange keeps other processes out until it is over`() throws {
    var cycle = outbox.cycle(as: one)
    let request = try #require(try cycle.next())
    let refused = try run(as: two)
    #expect(refused.push.stopped == .runsElsewhere)
    #expect(server.requests == 0)
    try cycle.receive(server.answer(request))
    #expect(try run(as: two).push.stopped == .runsElsewhere, "the pull is part of it")
    while let request = try cycle.next() { try cycle.receive(server.answer(request)) }
    #expect(try run(as: two).push.stopped == nil)
    #expect(server.pushes.joined().count == 1)
  }

  @Test func `an exchange that stops early lets others go on`() throws {
    var cycle = outbox.cycle(as: one)
    _ = try cycle.next()
    try cycle.receive(nil)
    #expect(try run(as: two).push.applied.count == 1)
  }

  @Test func `what a process that died left behind keeps nobody out`() throws {
    var cycle = outbox.cycle(as: dead)
    _ = try cycle.next()
    #expect(try run(as: two).push.applied.count == 1)
  }

  @Test func `an exchange that was dropped keeps its own process out no longer`() throws {
    var cycle = outbox.cycle(as: one)
    _ = try cycle.next()
    #expect(try run(as: one).push.applied.count == 1)
  }

  @Test(arguments: [90_000, -1_000] as [Int64])
  func `a lease ends after a while, and when the wall clock steps back`(_ step: Int64) throws {
    var cycle = outbox.cycle(as: one)
    _ = try cycle.next()
    environment.wallMilliseconds += step
    #expect(try run(as: two).push.applied.count == 1)
  }

  @Test func `the exchange of this process knows which processes run`() throws {
    var cycle = outbox.cycle(as: OutboxProcess(id: Int32.max) { _ in true })
    _ = try cycle.next()
    let report = try server.run(outbox)
    #expect(report.push.applied.count == 1, "there is no such process")
  }

  @Test func `pages of a pull keep others out, too`() throws {
    for number in 0..<8 { server.model.edit("jobs", "s\(number)", ["a": 1]) }
    _ = try run(as: one)
    for number in 0..<8 { server.model.edit("jobs", "s\(number)", ["a": 2]) }
    var cycle = outbox.cycle(as: one)
    try cycle.receive(server.answer(try #require(try cycle.next())))
    #expect(try run(as: two).push.stopped == .runsElsewhere)
  }

  @Test func `an exchange that ends with an error keeps nobody out`() throws {
    var cycle = outbox.cycle(as: one)
    let request = try #require(try cycle.next())
    try cycle.receive(server.answer(request))
    try damage("[]")
    #expect(throws: OutboxError.damagedState("scope")) { try cycle.next() }
    try damage(nil)
    #expect(try run(as: two).push.stopped == nil)
    #expect(try cycle.next() == nil, "it is over")
    #expect(server.requests == 2)
  }

  @Test func `an exchange whose page meets an error keeps nobody out`() throws {
    for number in 0..<8 { server.model.edit("jobs", "s\(number)", ["a": 1]) }
    var cycle = outbox.cycle(as: one)
    for _ in 0..<2 { try cycle.receive(server.answer(try #require(try cycle.next()))) }
    let request = try #require(try cycle.next())
    #expect(try run(as: two).push.stopped == .runsElsewhere)
    try damage("[]")
    #expect(throws: OutboxError.damagedState("scope")) { try cycle.receive(server.answer(request)) }
    try damage(nil)
    #expect(try run(as: two).push.stopped == nil)
  }
}
