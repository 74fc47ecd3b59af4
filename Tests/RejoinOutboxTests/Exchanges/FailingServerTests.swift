import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// A server that fails with 500: at some entries, or at everything.
struct FailingServerTests {
  private let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
  private let server = ScriptedServer()

  private func outbox(_ count: Int, attemptLimit: Int = 3) throws -> Outbox {
    let outbox = Outbox(
      Replica(configuration: ReplicaConfiguration(environment: environment.environment)),
      configuration: OutboxConfiguration(attemptLimit: attemptLimit))
    for number in 0..<count {
      try outbox.replica.insert(["a": .int(Int64(number))], id: outbox.replica.newID(), in: "jobs")
    }
    return outbox
  }

  /// Fails at pushes that hold one of the values, and at pulls where those fail as well.
  private func fail(at values: some Sequence<Int>, andPulls: Bool = false) {
    let texts = values.map { "\"a\":\($0)}" }
    server.override = { request in
      let text = String(decoding: request.body, as: UTF8.self)
      let fails = request.method == "POST" ? texts.contains { text.contains($0) } : andPulls
      guard fails else { return nil }
      return HTTPResponse(status: 500, body: Array("boom".utf8))
    }
  }

  private func drive(_ outbox: Outbox, _ direction: SyncCycle.Direction) throws -> CycleReport {
    var cycle = outbox.cycle(direction)
    while let request = try cycle.next() { try cycle.receive(server.answer(request)) }
    return cycle.report
  }

  @Test(arguments: [[0], [5], [19], [0, 5, 19]])
  func `entries at which it fails hold back neither others nor the pull`(_ bad: [Int]) throws {
    let outbox = try outbox(20)
    fail(at: bad)
    let report = try server.run(outbox)
    #expect(report.push.applied.count == 20 - bad.count)
    #expect(report.push.putOff == bad.count)
    #expect(report.push.stopped == nil && report.pull.stopped == nil)
    #expect(report.pull.rows == 20 - bad.count)
    for _ in 0..<5 {
      environment.pass(milliseconds: 60_000)
      #expect(try server.run(outbox).pull.stopped == nil)
    }
    #expect(try outbox.deadLetters().map(\.reason) == bad.map { _ in "status 500" })
    #expect(try outbox.deadLetters().allSatisfy(\.isUndecided))
  }

  @Test func `a single entry that fails is charged where the pull shows that the server works`() throws {
    let outbox = try outbox(1)
    fail(at: [0])
    for number in 1...3 {
      let report = try server.run(outbox)
      #expect(report.pull.pages == 1 && report.pull.stopped == nil)
      #expect(report.push.putOff == (number < 3 ? 1 : 0))
      environment.pass(milliseconds: 60_000)
    }
    #expect(try outbox.deadLetters().map(\.reason) == ["status 500"])
  }

  @Test func `the next request after an entry failed alone holds one other entry, however many there are`()
    throws
  {
    let outbox = try outbox(1)
    server.override = { [server] request in
      guard server.pushes.count == 1, request.method == "POST" else { return nil }
      for _ in 0..<4 { _ = try? outbox.replica.insert(["a": 7], id: outbox.replica.newID(), in: "jobs") }
      return HTTPResponse(status: 500)
    }
    #expect(try server.run(outbox).push.applied.count == 4)
    #expect(server.pushes.map(\.count) == [1, 1, 3])
  }

  @Test func `a broken server is not asked about each entry, is left alone, and charges none`() throws {
    let outbox = try outbox(50)
    fail(at: 0..<50, andPulls: true)
    for round in 0..<9 {
      let report = try server.run(outbox)
      #expect(report.push.stopped == .busy(status: 500) && report.pull.stopped == .busy(status: 500))
      #expect(report.push.requests == 7 && report.pull.requests == 1, "round \(round)")
      #expect(report.push.putOff == 0)
      environment.pass(milliseconds: 60_000)
    }
    #expect(try outbox.status() == OutboxStatus(waiting: 50))
    for change in try outbox.waiting() {
      guard case .waiting(let attempts, _, _) = change.state else { continue }
      #expect(attempts == 0)
    }
    _ = try server.run(outbox)
    guard case .waiting = try server.run(outbox).push.stopped else {
      Issue.record("it is asked again at once")
      return
    }
  }

  @Test
  func `where it fails at every push but shows pages, two entries are charged and others come first next`()
    throws
  {
    let outbox = try outbox(8)
    fail(at: 0..<8)
    let report = try server.run(outbox)
    #expect(report.push.stopped == .busy(status: 500) && report.pull.stopped == nil)
    #expect(report.push.putOff == 2 && report.pull.pages == 1)
    let tried = server.pushes.suffix(2).joined().map { $0["entity_id"] }
    #expect(tried.count == 2)
    guard case .waiting = try server.run(outbox).push.stopped else {
      Issue.record("it is not left alone")
      return
    }
    environment.pass(milliseconds: 60_000)
    let before = server.pushes.count
    _ = try server.run(outbox)
    let next = server.pushes[before...].filter { $0.count == 1 }.joined().map { $0["entity_id"] }
    #expect(next.count == 2 && !next.contains { tried.contains($0) })
  }

  @Test func `entries next to each other at which it fails delay others by one exchange`() throws {
    let outbox = try outbox(20)
    fail(at: [0, 1])
    #expect(try server.run(outbox).pull.pages == 1)
    // Much later, when what was put off is due again.
    environment.pass(milliseconds: 3_600_000)
    let report = try server.run(outbox)
    #expect(report.push.applied.count == 18)
    for _ in 0..<2 {
      environment.pass(milliseconds: 3_600_000)
      let report = try server.run(outbox)
      #expect(report.pull.stopped == nil)
    }
    #expect(try outbox.deadLetters().count == 2)
  }

  @Test func `a push alone, which can ask nobody else, charges nobody and does not stay behind others`()
    throws
  {
    let outbox = try outbox(1)
    fail(at: [0])
    for _ in 0..<5 {
      let report = try drive(outbox, .push)
      #expect(report.push.stopped == .busy(status: 500) && report.push.putOff == 0)
      environment.pass(milliseconds: 60_000)
    }
    try outbox.replica.insert(["a": 7], id: outbox.replica.newID(), in: "jobs")
    let report = try drive(outbox, .push)
    #expect(report.push.applied.count == 1 && report.push.putOff == 1)
  }

  @Test func `what cannot be reached after an entry failed alone charges nobody`() throws {
    let outbox = try outbox(1)
    server.override = { request in
      request.method == "POST" ? HTTPResponse(status: 500) : .some(nil)
    }
    for _ in 0..<5 {
      let report = try server.run(outbox)
      #expect(report.push.putOff == 0 && report.pull.stopped == .unreachable)
      #expect(report.push.stopped == .busy(status: 500))
    }
    #expect(try outbox.status() == OutboxStatus(waiting: 1))
  }
}

/// A server, or something before it, that says it is busy whenever one entry comes.
struct BusyAtOneEntryTests {
  @Test(arguments: [502, 503, 504])
  func `others get out after a while, and the one that is to blame needs attention`(_ status: Int) throws {
    let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
    let server = ScriptedServer()
    let outbox = Outbox(
      Replica(configuration: ReplicaConfiguration(environment: environment.environment)),
      configuration: OutboxConfiguration(attemptLimit: 3))
    for number in 0..<9 {
      try outbox.replica.insert(["a": .int(Int64(number))], id: outbox.replica.newID(), in: "jobs")
    }
    server.override = { request in
      guard String(decoding: request.body, as: UTF8.self).contains("\"a\":4}") else { return nil }
      return HTTPResponse(status: status, body: Array("busy".utf8))
    }
    var exchanges = 0
    while try outbox.deadLetters().isEmpty, exchanges < 30 {
      exchanges += 1
      _ = try server.run(outbox)
      if exchanges == 4 { #expect(server.model.rows["jobs"]?.count == 8) }
      environment.pass(milliseconds: 120_000)
    }
    #expect(try outbox.deadLetters().map(\.reason) == ["status \(status)"])
    #expect(try server.run(outbox).pull.stopped == nil)
  }

  @Test func `a server that is busy at everything is asked a few times more, and charges nobody`() throws {
    let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
    let server = ScriptedServer()
    let outbox = try Outbox.holding(9, OutboxConfiguration(), in: environment)
    server.override = { _ in HTTPResponse(status: 503) }
    for _ in 0..<30 {
      let before = server.requests
      _ = try server.run(outbox)
      #expect(server.requests - before <= 6)
      environment.pass(milliseconds: 120_000)
    }
    #expect(try outbox.deadLetters().isEmpty)
    server.override = { _ in nil }
    #expect(try server.run(outbox).push.applied.count == 9)
  }
}
