import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Document 004's common errors, each by its name; for each there is a patch in `Tests/AntiPatterns` that introduces it.
struct CommonErrorTests {
  private let fleet = Fleet()

  @Test func `server-autoincrement keys for offline-created rows`() throws {
    fleet.server.model.traits.givesIDs = true
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.exchange(ada)
    try fleet.exchange(ben)
    #expect(try ada.replica.records(in: "jobs").map(\.id) == [id])
    #expect(try ben.replica.records(in: "jobs").map(\.id) == [id])
  }

  @Test func `hard-deleting locally instead of tombstoning`() throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.exchange(ben)
    fleet.pass(10)
    try ada.replica.delete(id, in: "jobs")
    // Another one that has not heard of it goes on writing, and what it wrote comes by.
    try fleet.set(["b": 2], of: id, at: ben)
    try fleet.exchange(ben)
    try fleet.pull(ada)
    #expect(try fleet.shown(id, at: ada) == nil)
    for device in [ada, ben, ada] { try fleet.exchange(device) }
    #expect(fleet.served(id) == nil)
    #expect(try fleet.shown(id, at: ben) == nil)
  }

  @Test func `advancing the cursor before the page is committed`() throws {
    let ada = fleet.device()
    for number in 0..<9 { fleet.server.model.edit("jobs", "s\(number)", ["a": .int(Int64(number))]) }
    // Each process dies while a page is on its way.
    for _ in 0..<5 {
      var cycle = ada.cycle()
      if let request = try cycle.next() { try cycle.receive(fleet.server.answer(request)) }
      _ = try cycle.next()
    }
    try fleet.exchange(ada)
    #expect(try ada.replica.records(in: "jobs").count == 9)
  }

  @Test func `no idempotency key on push`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchangeInVain(ada)
    try fleet.exchange(ada)
    let keys = fleet.server.pushes.joined().compactMap { $0["op_id"] }
    #expect(keys.count == 2)
    #expect(Set(keys).count == 1)
    #expect(fleet.server.model.applied.values.allSatisfy { $0 == 1 })
    #expect(fleet.server.model.applied.count == 1)
    #expect(fleet.served(id) == ["a": 1])
  }

  @Test func `replaying every keystroke from the outbox`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": "", "b": 1], at: ada)
    try fleet.exchange(ada)
    var text = ""
    for _ in 0..<200 {
      text += "x"
      try fleet.set(["a": .string(text)], of: id, at: ada)
    }
    let before = fleet.server.pushes.count
    var cycle = ada.cycle()
    var requests = 0
    while requests < 20, let request = try cycle.next() {
      requests += 1
      try cycle.receive(fleet.server.answer(request))
    }
    let sent = fleet.server.pushes.dropFirst(before).joined()
    #expect(sent.map { $0["payload"] } == [["a": .string(text)]])
  }

  @Test func `pull before push`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    var methods: [String] = []
    var cycle = ada.cycle()
    while let request = try cycle.next() {
      methods.append(request.method)
      #expect(try fleet.shown(id, at: ada) == ["a": 2])
      try cycle.receive(fleet.server.answer(request))
    }
    #expect(methods == ["POST", "GET"])
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
  }

  /// Nothing asks whether the device is connected; what counts is what the server says.
  ///
  /// The pattern here is to take the
  /// answer of a captive portal for the server's.
  @Test func `trusting the connected flag of the operating system`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    fleet.server.override = { _ in HTTPResponse(status: 200, body: Array("<html>Welcome</html>".utf8)) }
    let report = try fleet.exchange(ada)
    #expect(report.push.stopped == .foreignAnswer(status: 200))
    #expect(try ada.status().waiting == 1)
    fleet.server.override = { _ in nil }
    try fleet.exchange(ada)
    #expect(fleet.served(id) == ["a": 1])
  }

  @Test func `unbounded retries on a permanent 4xx`() throws {
    let ada = fleet.device()
    let poison = try fleet.insert(["a": "refused"], at: ada)
    let others = try (0..<3).map { number in try fleet.insert(["a": .int(Int64(number))], at: ada) }
    let report = try fleet.exchange(ada)
    #expect(report.push.applied.count == 3)
    #expect(report.push.rejected.map(\.reason) == ["a value is refused"])
    #expect(try ada.state(of: poison, in: "jobs") == .dead(reason: "a value is refused"))
    #expect(others.allSatisfy { fleet.served($0) != nil })
    fleet.pass(3_600_000)
    #expect(try fleet.exchange(ada).push.requests == 0)
  }

  @Test func `last-writer-wins on a whole row`() throws {
    let fleet = Fleet(isStrict: false)
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 1, "b": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.exchange(ben)
    try fleet.set(["a": 2], of: id, at: ada)
    try fleet.set(["b": 2], of: id, at: ben)
    for device in [ada, ben, ada] { try fleet.exchange(device) }
    #expect(fleet.served(id) == ["a": 2, "b": 2])
    #expect(try fleet.shown(id, at: ada) == ["a": 2, "b": 2])
    #expect(try fleet.shown(id, at: ben) == ["a": 2, "b": 2])
  }

  @Test func `ignoring clock skew`() throws {
    // Two minutes fast: what this device writes claims to be later than what the server says after it.
    let (ada, ben) = (fleet.device(offset: 120_000), fleet.device())
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    fleet.pass(1_000)
    fleet.server.model.edit("jobs", id.description, ["a": 2])
    for device in [ada, ben, ada] { try fleet.exchange(device) }
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
    #expect(try fleet.shown(id, at: ben) == ["a": 2])
    #expect(fleet.served(id) == ["a": 2])
  }

  /// Rows have no layout of their own that a migration could change, so nothing can crash.
  ///
  /// The pattern here is to sync on
  /// after an upgrade without looking at what the older application could not understand.
  @Test func `migrating the local schema after the first sync`() throws {
    let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 3)
    let replica = Replica(configuration: environment.configuration())
    var outbox = Outbox(replica)
    let server = ScriptedServer()
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    let bad =
      #"{"entity":"jobs","id":"s1","version":1,"updated_at":1,"deleted_at":null,"fields":{"a":\#(deep)}}"#
    server.override = { request in
      guard request.method == "GET" else { return nil }
      return HTTPResponse(
        status: 200, body: Array(#"{"changes":[\#(bad)],"cursor":"1","has_more":false}"#.utf8))
    }
    _ = try server.run(outbox)
    #expect(try outbox.quarantined().count == 1)
    outbox = Outbox(replica, configuration: OutboxConfiguration(schemaVersion: 2))
    var cycle = outbox.cycle()
    // Before the first request of the new version, what was kept has been read once more.
    _ = try cycle.next()
    #expect(
      try outbox.replica.peek(at: "main") { try $0.kept(LocalKey("main/state", Array("quarantine".utf8))) }
        == "2")
    #expect(try outbox.quarantined().count == 1)
  }
}
