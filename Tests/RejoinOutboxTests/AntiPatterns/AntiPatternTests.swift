import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Synchronization
import TestSupport
import Testing

/// Document 000's anti-patterns, each by its name; for each there is a patch in `Tests/AntiPatterns` that introduces it.
struct AntiPatternTests {
  private let fleet = Fleet()

  /// Nothing is shown or sent that the store does not hold.
  ///
  /// The pattern here is a change that is on its way before its
  /// key is kept: after a restart nobody knows of it any more.
  @Test func `optimistic update without local storage`() throws {
    try withStores(.sqlite) { stores in
      var outbox = Outbox(try stores.replica("phone"))
      let id = outbox.replica.newID()
      try outbox.replica.insert(["a": 1], id: id, in: "jobs")
      var cycle = outbox.cycle()
      let sent = try #require(try cycle.next())
      outbox = Outbox(try stores.replica("phone"))
      #expect(try outbox.replica.fields(of: id, in: "jobs") == ["a": 1])
      #expect(try outbox.waiting().map(\.operation).allSatisfy { $0 != nil })
      var next = outbox.cycle()
      #expect(try next.next() == sent)
    }
  }

  @Test func `overwriting dirty records on reconcile`() throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 1, "b": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.exchange(ben)
    try fleet.set(["b": 2], of: id, at: ben)
    try fleet.exchange(ben)
    try fleet.set(["a": 3], of: id, at: ada)
    fleet.server.model.edit("jobs", id.description, ["a": 2])
    try fleet.set(["a": 4], of: id, at: ada)
    try fleet.pull(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 4, "b": 2])
    try fleet.exchange(ada)
    #expect(fleet.served(id) == ["a": 4, "b": 2])
  }

  @Test func `hard-deleting before server confirmation`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    fleet.pass(10)
    try ada.replica.delete(id, in: "jobs")
    #expect(try ada.state(of: id, in: "jobs") != .synced)
    #expect(try ada.replica.records(in: "jobs", includingDeleted: true).map(\.id) == [id])
    try fleet.exchangeInVain(ada)
    try fleet.exchange(ada)
    #expect(fleet.served(id) == nil)
    #expect(try fleet.shown(id, at: ada) == nil)
    #expect(try ada.status().isSynced)
  }

  /// A way to the server on which a request takes until two callers wait, and overlaps are counted.
  private actor Line: ServerConnection {
    private let server = ScriptedServer()
    private var inFlight = 0
    private(set) var overlaps = 0
    private var driver: OutboxDriver?

    func use(_ driver: OutboxDriver) { self.driver = driver }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse? {
      inFlight += 1
      if inFlight > 1 { overlaps += 1 }
      if request.method == "POST" {
        for _ in 0..<1_000 where await driver?.waitingCalls ?? 2 < 2 { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
      }
      inFlight -= 1
      return server.answer(request)
    }
  }

  @Test func `concurrent flushes`() async throws {
    let outbox = fleet.device()
    _ = try fleet.insert(["a": 1], at: outbox)
    let line = Line()
    let driver = OutboxDriver(outbox, over: line)
    await line.use(driver)
    async let first = driver.exchange()
    async let second = driver.exchange()
    let reports = try await [first, second]
    #expect(await line.overlaps == 0)
    #expect(reports.allSatisfy { $0.push.applied.count == 1 })
  }

  @Test func `no conflict handling`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    fleet.server.model.quarrels = 1_000
    for _ in 0..<20 {
      fleet.pass(120_000)
      try fleet.exchange(ada)
    }
    #expect(try ada.state(of: id, in: "jobs") == .conflict)
    let before = fleet.server.pushes.count
    fleet.pass(120_000)
    try fleet.exchange(ada)
    #expect(fleet.server.pushes.count == before)
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
  }
}
