import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Synchronization
import TestSupport
import Testing

/// A server that is busy is left alone for a while, and no entry is blamed for it.
struct ServerWaitTests {
  private let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
  private let server = ScriptedServer()

  private func outbox(_ count: Int, _ configuration: OutboxConfiguration = OutboxConfiguration()) throws
    -> Outbox
  {
    try Outbox.holding(count, configuration, in: environment)
  }

  private func waiting(_ report: CycleReport) -> Int64? {
    guard case .waiting(let milliseconds) = report.push.stopped else { return nil }
    return milliseconds
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504], [1, 2])
  func `no request is made before the time that a busy server wishes is over`(_ status: Int, _ count: Int)
    throws
  {
    let outbox = try outbox(count)
    server.override = { _ in
      HTTPResponse(status: status, headers: [HTTPRequest.Parameter("Retry-After", "120")])
    }
    #expect(try server.run(outbox).push.stopped == .busy(status: status))
    let requests = server.requests
    server.override = { _ in nil }
    #expect(try waiting(server.run(outbox)) == 120_000)
    environment.pass(milliseconds: 119_999)
    let report = try server.run(outbox)
    #expect(waiting(report) == 1)
    #expect(report.push.requests == 0 && report.pull.requests == 0)
    #expect(server.requests == requests)
    environment.pass(milliseconds: 1)
    #expect(try server.run(outbox).push.applied.count == count)
    #expect(try waiting(server.run(outbox)) == nil, "an answer ends it")
  }

  @Test func `a busy answer to a pull makes everything wait, too`() throws {
    let outbox = try outbox(0)
    server.override = { _ in HTTPResponse(status: 503, headers: [HTTPRequest.Parameter("Retry-After", "9")]) }
    #expect(try server.run(outbox).pull.stopped == .busy(status: 503))
    try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
    #expect(try waiting(server.run(outbox)) == 9_000)
    #expect(server.requests == 1)
    #expect(try outbox.status() == OutboxStatus(waiting: 1))
  }

  @Test func `without a wish the wait is random, its bound doubles, and an answer begins anew`() throws {
    let outbox = try outbox(2)
    var longest: [Int64] = []
    for _ in 0..<40 {
      var waits: [Int64] = []
      server.override = { _ in HTTPResponse(status: 503) }
      for _ in 0..<9 {
        let report = try server.run(outbox)
        #expect((report.push.stopped ?? report.pull.stopped) == .busy(status: 503))
        waits.append(try waiting(server.run(outbox)) ?? 0)
        environment.pass(milliseconds: 60_000)
      }
      for (number, wait) in waits.enumerated() {
        #expect(wait <= min(60_000, 2_000 << Int64(number)))
        if longest.count <= number { longest.append(0) }
        longest[number] = max(longest[number], wait)
      }
      server.override = { _ in nil }
      _ = try server.run(outbox)
    }
    #expect(longest[0] > 1_000)
    #expect(longest[8] > 30_000)
  }

  @Test func `a wish for longer than an hour is an hour, and none is shorter than nothing`() throws {
    let outbox = try outbox(1)
    server.override = { _ in
      HTTPResponse(status: 429, headers: [HTTPRequest.Parameter("Retry-After", "9223372036854775807")])
    }
    _ = try server.run(outbox)
    #expect(try waiting(server.run(outbox)) == 3_600_000)
  }

  @Test func `a wall clock that steps back does not make anybody wait for ever`() throws {
    let outbox = try outbox(1)
    server.override = { _ in
      HTTPResponse(status: 429, headers: [HTTPRequest.Parameter("Retry-After", "60")])
    }
    _ = try server.run(outbox)
    server.override = { _ in nil }
    environment.wallMilliseconds -= 86_400_000
    #expect(try server.run(outbox).push.applied.count == 1)
  }

  @Test func `a server that is busy or fails at everything is nobody's fault, however often`() throws {
    let outbox = try outbox(1, OutboxConfiguration(attemptLimit: 3))
    for status in [503, 429, 502, 504, 408, 425, 500, 500, 500] {
      server.override = { _ in HTTPResponse(status: status) }
      _ = try server.run(outbox)
      environment.pass(milliseconds: 60_000)
    }
    #expect(try outbox.status() == OutboxStatus(waiting: 1))
  }

  @Test func `what cannot be reached makes nobody wait`() throws {
    let outbox = try outbox(1)
    server.override = { _ in .some(nil) }
    for _ in 0..<3 { #expect(try server.run(outbox).push.stopped == .unreachable) }
    #expect(server.requests == 3)
  }

  @Test func `while it waits, an exchange writes nothing`() throws {
    let outbox = try outbox(2)
    server.override = { _ in HTTPResponse(status: 503, headers: [HTTPRequest.Parameter("Retry-After", "9")]) }
    _ = try server.run(outbox)
    let trace = try outbox.replica.trace()
    _ = try server.run(outbox)
    #expect(try outbox.replica.trace() == trace)
  }

  // MARK: Ignoring

  /// A way to a server that answers what it is told, in order, and waits where it is told to.
  private final class Line: ServerConnection {
    private let answers: Mutex<[HTTPResponse]>
    let requests = Mutex(0)

    init(_ answers: [HTTPResponse]) { self.answers = Mutex(answers) }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse? {
      requests.withLock { $0 += 1 }
      return answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
  }

  private static let busy = HTTPResponse(status: 503, headers: [HTTPRequest.Parameter("Retry-After", "60")])
  private static let page = HTTPResponse(
    status: 200, body: Array(#"{"changes":[],"cursor":"1","has_more":false}"#.utf8))

  @Test func `who asks for it gets an exchange in spite of the wait`() async throws {
    let line = Line([Self.busy, Self.busy, Self.page, Self.page])
    let driver = OutboxDriver(try outbox(0), over: line)
    #expect(try await driver.exchange().pull.stopped == .busy(status: 503))
    #expect(try await waiting(driver.exchange()) == 60_000)
    #expect(line.requests.withLock { $0 } == 1)
    #expect(try await driver.exchange(ignoringWaits: true).pull.stopped == .busy(status: 503))
    #expect(try await waiting(driver.exchange()) != nil)
    #expect(try await driver.exchange(ignoringWaits: true).pull.stopped == nil)
    #expect(try await driver.exchange().pull.pages == 1, "an answer ends the wait for everybody")
    #expect(line.requests.withLock { $0 } == 4)
  }

  @Test func `who joins an exchange that only waits gets one of its own`() async throws {
    let line = Line([Self.busy] + Array(repeating: Self.page, count: 8))
    let driver = OutboxDriver(try outbox(0), over: line)
    try await driver.exchange()
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        let isAsked = number % 2 == 1
        group.addTask {
          guard let report = try? await driver.exchange(ignoringWaits: isAsked) else { return false }
          return !isAsked || report.pull.pages == 1
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test func `an entry that was put off goes out when somebody asks, once for each asking`() throws {
    let outbox = try outbox(3)
    server.override = { request in
      guard let json = try? JSON(parsing: request.body), case .array(let entries)? = json["mutations"] else {
        return nil
      }
      let results = entries.map { entry -> JSON in
        ["op_id": entry["op_id"] ?? .null, "outcome": "retry_later", "retry_after": .int(.max)]
      }
      return HTTPResponse(status: 200, body: (["results": .array(results)] as JSON).bytes())
    }
    #expect(try server.run(outbox).push.putOff == 3)
    #expect(try server.run(outbox).push.requests == 0)
    var cycle = outbox.cycle(ignoringWaits: true)
    while cycle.report.push.requests < 5, let request = try cycle.next() {
      try cycle.receive(server.answer(request))
    }
    #expect(cycle.report.push.requests == 1)
    #expect(cycle.report.push.putOff == 3)
  }
}
