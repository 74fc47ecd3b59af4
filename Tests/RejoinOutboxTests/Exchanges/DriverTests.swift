import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Synchronization
import TestSupport
import Testing

/// Calls of a driver while an exchange is under way.
struct DriverTests {
  /// A way to a server on which every request is held until the test answers it.
  private final class HeldLine: ServerConnection {
    private struct State {
      var held: [(request: HTTPRequest, answer: CheckedContinuation<HTTPResponse?, any Error>)] = []
      var cancelled = 0
      var overlaps = 0
      var requests: [HTTPRequest] = []
    }

    private let state = Mutex(State())
    /// Whether a request that is cancelled ends before it is answered.
    let endsWhenCancelled: Bool

    init(endsWhenCancelled: Bool = true) { self.endsWhenCancelled = endsWhenCancelled }

    /// The requests that came.
    var requests: [HTTPRequest] { state.withLock(\.requests) }
    /// How many were cancelled.
    var cancelled: Int { state.withLock(\.cancelled) }
    /// How many came while another one was held.
    var overlaps: Int { state.withLock(\.overlaps) }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse? {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          state.withLock { state in
            state.requests.append(request)
            if !state.held.isEmpty { state.overlaps += 1 }
            state.held.append((request, continuation))
          }
          // Else the handler may have found nothing to let go.
          if Task.isCancelled, endsWhenCancelled { release(.failure(CancellationError())) }
        }
      } onCancel: {
        state.withLock { $0.cancelled += 1 }
        if endsWhenCancelled { release(.failure(CancellationError())) }
      }
    }

    private func release(_ result: Result<HTTPResponse?, any Error>) {
      let held = state.withLock { state in
        defer { state.held = [] }
        return state.held
      }
      for one in held { one.answer.resume(with: result) }
    }

    /// Waits until so many requests have come in all, and fails where they do not come.
    func arrival(of count: Int) async {
      var patience = 2_000_000
      while requests.count < count, patience > 0 {
        patience -= 1
        await Task.yield()
      }
      #expect(requests.count >= count)
    }

    /// Answers the request that is held.
    func answer(_ response: HTTPResponse?) { release(.success(response)) }

    /// Answers the request that is held as a server does that takes everything and has nothing new.
    func answerWell() {
      guard let request = requests.last else { return }
      guard request.method == "POST" else { return answer(DriverTests.page) }
      guard case .array(let entries)? = (try? JSON(parsing: request.body))?["mutations"] else { return }
      let results = entries.map {
        ["op_id": $0["op_id"] ?? .null, "outcome": "applied", "version": 1] as JSON
      }
      let body: JSON = ["results": .array(results)]
      answer(HTTPResponse(status: 200, body: body.bytes()))
    }
  }

  private static let page = HTTPResponse(
    status: 200, body: Array(#"{"changes":[],"cursor":"1","has_more":false}"#.utf8))

  private let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
  private let line = HeldLine()
  private let outbox: Outbox
  private let driver: OutboxDriver

  init() {
    outbox = Outbox(Replica(configuration: ReplicaConfiguration(environment: environment.environment)))
    driver = OutboxDriver(outbox, over: line)
  }

  private func write() throws {
    try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
  }

  /// Begins a call, and waits until the driver knows of it.
  private func call(
    ignoringWaits: Bool = false, of other: OutboxDriver? = nil
  ) async -> Task<CycleReport, any Error> {
    let driver = other ?? driver
    let before = await driver.waitingCalls
    let task = Task { try await driver.exchange(ignoringWaits: ignoringWaits) }
    while await driver.waitingCalls == before { await Task.yield() }
    return task
  }

  // MARK: Joining

  @Test
  func `what was written before a call that joins too late is sent by one more exchange, shared by all`()
    async throws
  {
    let first = await call()
    await line.arrival(of: 1)
    try write()
    let joined = [await call(), await call(), await call()]
    line.answerWell()
    #expect(try await first.value.push.requests == 0)
    await line.arrival(of: 2)
    line.answerWell()
    await line.arrival(of: 3)
    line.answerWell()
    for call in joined { #expect(try await call.value.push.applied.count == 1) }
    #expect(line.requests.map(\.method) == ["GET", "POST", "GET"])
    #expect(try outbox.status().isSynced)
  }

  @Test func `a call that joins with nothing new to send gets the report of the exchange that it joined`()
    async throws
  {
    try write()
    let first = await call()
    await line.arrival(of: 1)
    let joined = await call()
    line.answerWell()
    await line.arrival(of: 2)
    line.answerWell()
    #expect(try await first.value == joined.value)
    #expect(line.requests.count == 2)
  }

  @Test func `what is written while a push is under way goes out with the same exchange`() async throws {
    try write()
    let first = await call()
    await line.arrival(of: 1)
    try write()
    let joined = await call()
    for count in 1...3 {
      await line.arrival(of: count)
      line.answerWell()
    }
    #expect(try await first.value == joined.value)
    #expect(try await joined.value.push.applied.count == 2)
    #expect(line.requests.map(\.method) == ["POST", "POST", "GET"])
  }

  @Test func `who ignores waits and joins an exchange that does not gets what was put off sent`() async throws
  {
    try write()
    let put = await call()
    await line.arrival(of: 1)
    line.answer(HTTPResponse(status: 200, body: Array(#"{"results":[]}"#.utf8)))
    await line.arrival(of: 2)
    line.answerWell()
    #expect(try await put.value.push.putOff == 1)
    let timer = await call()
    await line.arrival(of: 3)
    let person = await call(ignoringWaits: true)
    line.answerWell()
    #expect(try await timer.value.push.requests == 0)
    for count in 4...5 {
      await line.arrival(of: count)
      line.answerWell()
    }
    #expect(try await person.value.push.applied.count == 1)
  }

  @Test func `an exchange that stopped early is not followed by another one`() async throws {
    let first = await call()
    await line.arrival(of: 1)
    try write()
    let joined = await call()
    line.answer(nil)
    #expect(try await first.value.pull.stopped == .unreachable)
    #expect(try await joined.value.pull.stopped == .unreachable)
    #expect(line.requests.count == 1)
    #expect(try outbox.status() == OutboxStatus(waiting: 1))
  }

  @Test func `an error is everybody's, and the next call begins anew`() async throws {
    let first = await call()
    await line.arrival(of: 1)
    let joined = await call()
    let still = HTTPResponse(
      status: 200, body: Array(#"{"changes":[],"cursor":"1","has_more":true}"#.utf8))
    for count in 1...3 {
      await line.arrival(of: count)
      line.answer(still)
    }
    await #expect(throws: OutboxError.pullDoesNotMove) { try await first.value }
    await #expect(throws: OutboxError.pullDoesNotMove) { try await joined.value }
    let next = await call()
    await line.arrival(of: 4)
    line.answerWell()
    #expect(try await next.value.pull.pages == 1)
  }

  // MARK: Cancelling

  @Test func `a call that is cancelled ends at once, and the exchange goes on for those who joined`()
    async throws
  {
    try write()
    let first = await call()
    await line.arrival(of: 1)
    let joined = await call()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(line.cancelled == 0)
    line.answerWell()
    await line.arrival(of: 2)
    line.answerWell()
    #expect(try await joined.value.push.applied.count == 1)
  }

  @Test func `a joined call that is cancelled ends at once, and the exchange goes on`() async throws {
    try write()
    let first = await call()
    await line.arrival(of: 1)
    let joined = await call()
    joined.cancel()
    await #expect(throws: CancellationError.self) { try await joined.value }
    line.answerWell()
    await line.arrival(of: 2)
    line.answerWell()
    #expect(try await first.value.push.applied.count == 1)
  }

  @Test func `an exchange is cancelled once nobody waits for it, and a later call gets one of its own`()
    async throws
  {
    try write()
    let calls = [await call(), await call()]
    await line.arrival(of: 1)
    for call in calls { call.cancel() }
    for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
    let next = await call()
    await line.arrival(of: 2)
    #expect(line.cancelled == 1)
    line.answerWell()
    await line.arrival(of: 3)
    line.answerWell()
    #expect(try await next.value.push.applied.count == 1)
    #expect(line.requests.map(\.method) == ["POST", "POST", "GET"])
  }

  @Test func `a call that comes before a cancelled exchange has ended gets one of its own`() async throws {
    try write()
    let line = HeldLine(endsWhenCancelled: false)
    let driver = OutboxDriver(outbox, over: line)
    let first = await call(of: driver)
    await line.arrival(of: 1)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let next = await call(of: driver)
    // What was answered is taken in, though the exchange goes no further.
    line.answerWell()
    await line.arrival(of: 2)
    line.answerWell()
    #expect(try await next.value.pull.pages == 1)
    #expect(line.requests.map(\.method) == ["POST", "GET"])
    #expect(try outbox.status().isSynced)
  }

  @Test func `an exchange that was cancelled keeps no other process out`() async throws {
    try write()
    let call = await call()
    await line.arrival(of: 1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    let other = OutboxProcess(id: 1) { _ in true }
    // It ends by itself, though nobody waits for it.
    for _ in 0..<20_000 {
      var cycle = outbox.cycle(as: other)
      if try cycle.next() != nil { return }
      await Task.yield()
    }
    Issue.record("the lease is never given back")
  }

  @Test func `a call of a task that is cancelled already makes no request`() async throws {
    let call = Task { [driver] in
      while !Task.isCancelled { await Task.yield() }
      return try await driver.exchange()
    }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(line.requests.isEmpty)
  }

  @Test func `many calls that come and go end each, with one exchange at a time`() async throws {
    let answering = Task { [line] in
      while !Task.isCancelled {
        line.answerWell()
        await Task.yield()
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let call = Task { [driver] in try await driver.exchange() }
          if number % 3 == 0 { call.cancel() }
          _ = try? await call.value
        }
      }
    }
    answering.cancel()
    #expect(line.overlaps == 0)
    #expect(await driver.waitingCalls == 0)
  }
}
