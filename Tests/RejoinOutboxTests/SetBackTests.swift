import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import RejoinTesting
import TestSupport
import Testing

/// What somebody does about news from a peer is a change, also where it says what the server had before.
struct SetBackTests {
  /// Two devices and a server, on one clock.
  private final class Pair {
    let server: SpokenServer
    private var environments: [SimulatedEnvironment] = []
    private var wallMilliseconds: Int64 = 1_700_000_000_000

    init(_ tongue: Tongue) { server = SpokenServer(tongue) }

    func device(_ policy: FieldPolicy.Pulling) -> Outbox {
      let environment = SimulatedEnvironment(
        wallMilliseconds: wallMilliseconds, seed: UInt64(environments.count + 1))
      environments.append(environment)
      let replica = Replica(configuration: environment.configuration())
      replica.declare(["a", "b"].map { FieldPolicy($0, server: policy) }, in: "notes")
      return Outbox(replica, dialect: server.dialect)
    }

    func pass() {
      wallMilliseconds += 1_000
      server.model.wallMilliseconds = wallMilliseconds
      for environment in environments { environment.wallMilliseconds = wallMilliseconds }
    }

    func exchange(_ outboxes: Outbox...) throws {
      for outbox in outboxes {
        pass()
        try server.run(outbox)
      }
      pass()
    }

    /// A record that both have and the server holds.
    func share(_ ada: Outbox, _ ben: Outbox) throws -> RecordID {
      let id = ada.replica.newID()
      try ada.replica.insert(["a": 1, "b": 1], id: id, in: "notes")
      try exchange(ada, ben)
      return id
    }

    /// Whether everybody shows these fields in the end, or that the record is deleted.
    func settles(on fields: [FieldName: Value]?, _ id: RecordID, _ ada: Outbox, _ ben: Outbox) throws -> Bool
    {
      for _ in 0..<4 {
        for _ in 0..<120 { pass() }
        try exchange(ada, ben)
        // Document 001 leaves it to a person what becomes of a change that met another one.
        if case .conflict = try ada.state(of: id, in: "notes") { try ada.retry(id, in: "notes") }
        try ada.replica.sync(with: ben.replica)
      }
      let row = server.model.rows["notes"]?["\(id)"]
      let served: [FieldName: Value]? = try row.flatMap { row in
        row.isDeleted
          ? nil
          : try Dictionary(
            uniqueKeysWithValues: row.fields.map { (FieldName($0.key), try Value(json: $0.value)) })
      }
      let shown = try [ada, ben].map { try $0.replica.fields(of: id, in: "notes") }
      return try served == fields && shown.allSatisfy { $0 == fields }
        && ada.status().isSynced && ben.status().isSynced
    }
  }

  private static let tongues: [Tongue] = [.mutations, .intents, .upserts, .tables, .own]
  private static let policies: [FieldPolicy.Pulling] = [.lww, .clientWins]

  @Test(arguments: tongues, policies)
  func `a peer's value that is set back is set back at the server`(
    _ tongue: Tongue, _ policy: FieldPolicy.Pulling
  ) throws {
    let pair = Pair(tongue)
    let (ada, ben) = (pair.device(policy), pair.device(policy))
    let id = try pair.share(ada, ben)
    try ben.replica.set(["a": 3], id: id, in: "notes")
    try pair.exchange(ben)
    try ada.replica.sync(with: ben.replica)
    pair.pass()
    try ada.replica.set(["a": 1], id: id, in: "notes")
    #expect(try pair.settles(on: ["a": 1, "b": 1], id, ada, ben))
  }

  @Test(arguments: tongues, policies)
  func `what a peer restored can be deleted again`(_ tongue: Tongue, _ policy: FieldPolicy.Pulling) throws {
    let pair = Pair(tongue)
    let (ada, ben) = (pair.device(policy), pair.device(policy))
    let id = try pair.share(ada, ben)
    try ada.replica.delete(id, in: "notes")
    try pair.exchange(ada, ben)
    try ben.replica.restore(id, in: "notes")
    try pair.exchange(ben)
    try ada.replica.sync(with: ben.replica)
    pair.pass()
    try ada.replica.delete(id, in: "notes")
    #expect(try pair.settles(on: nil, id, ada, ben))
  }

  @Test(arguments: tongues, [false, true])
  func `what a peer deleted can be restored`(_ tongue: Tongue, _ isEdited: Bool) throws {
    let pair = Pair(tongue)
    let (ada, ben) = (pair.device(.lww), pair.device(.lww))
    let id = try pair.share(ada, ben)
    try ben.replica.delete(id, in: "notes")
    try pair.exchange(ben)
    try ada.replica.sync(with: ben.replica)
    pair.pass()
    try ada.replica.restore(id, in: "notes")
    pair.pass()
    if isEdited { try ada.replica.set(["a": 5], id: id, in: "notes") }
    #expect(try pair.settles(on: ["a": isEdited ? 5 : 1, "b": 1], id, ada, ben))
  }
}

/// What was the server's before it began anew, and what another server says.
struct SeveralHistoriesTests {
  @Test(arguments: [FieldPolicy.Pulling.lww, .clientWins])
  func `an edit stays over the value that it was made over, though the server has begun anew`(
    _ policy: FieldPolicy.Pulling
  ) throws {
    let fleet = Fleet()
    let ada = fleet.device(policy: policy)
    let id = try fleet.insert(["a": 1, "b": 1], at: ada)
    try fleet.exchange(ada)
    fleet.pass(60_000)
    try fleet.set(["a": 2], of: id, at: ada)
    fleet.pass(60_000)
    // Somebody else changes another field, later.
    fleet.server.model.edit("jobs", id.description, ["b": 77])
    fleet.server.model.changeEpoch()
    fleet.pass(60_000)
    try fleet.pull(ada)
    for _ in 0..<3 { try fleet.exchange(ada) }
    #expect(try fleet.shown(id, at: ada) == ["a": 2, "b": 77])
    #expect(fleet.served(id) == ["a": 2, "b": 77])
  }

  @Test func `an edit stays over the value that it was made over, though the cache was reset`() throws {
    let fleet = Fleet()
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1, "b": 1], at: ada)
    try fleet.exchange(ada)
    try ada.resetCache(of: Fleet.collection)
    fleet.pass(60_000)
    try fleet.set(["a": 2], of: id, at: ada)
    fleet.pass(60_000)
    fleet.server.model.edit("jobs", id.description, ["b": 77])
    fleet.pass(60_000)
    try fleet.pull(ada)
    for _ in 0..<3 { try fleet.exchange(ada) }
    #expect(fleet.served(id) == ["a": 2, "b": 77])
  }

  @Test func `a server that knows no beginning is asked once, and what is known of it stays`() throws {
    let fleet = Fleet()
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    fleet.server.override = { request in
      guard request.method == "GET" else { return nil }
      return HTTPResponse(status: 400, body: Array(#"{"error":"invalid cursor or limit"}"#.utf8))
    }
    #expect(try fleet.exchange(ada).pull.hasStartedAgain)
    for number in 0..<3 {
      try fleet.set(["a": .int(Int64(number))], of: id, at: ada)
      let report = try fleet.exchange(ada)
      #expect(!report.pull.hasStartedAgain && report.pull.stopped == .foreignAnswer(status: 400))
      if number > 0 { #expect(report.push.conflicts.isEmpty) }
    }
  }

  @Test(arguments: [false, true], [false, true])
  func `what an undecided entry may have done can be set back`(_ isDeletion: Bool, _ isPulledFirst: Bool)
    throws
  {
    let fleet = Fleet()
    let ada = fleet.device(OutboxConfiguration(attemptLimit: 2))
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    if isDeletion {
      fleet.pass(10)
      try ada.replica.delete(id, in: "jobs")
    } else {
      try fleet.set(["a": 2], of: id, at: ada)
    }
    for _ in 0..<2 {
      fleet.pass(120_000)
      var cycle = ada.cycle(.push)
      while let request = try cycle.next() {
        // It is carried out, and yet put off.
        _ = fleet.server.answer(request)
        let operation = try JSON(parsing: request.body).at(pointer: "/mutations/0/op_id").text()
        let answer = #"{"results":[{"op_id":\#(operation),"outcome":"retry_later"}]}"#
        try cycle.receive(HTTPResponse(status: 200, body: Array(answer.utf8)))
      }
    }
    #expect(try ada.deadLetters().map(\.isUndecided) == [true])
    fleet.pass(10)
    if isDeletion {
      try ada.replica.restore(id, in: "jobs")
    } else {
      try fleet.set(["a": 1], of: id, at: ada)
    }
    if isPulledFirst { try fleet.pull(ada) }
    for _ in 0..<3 { try fleet.exchange(ada) }
    #expect(fleet.served(id) == ["a": 1])
    #expect(try fleet.shown(id, at: ada) == ["a": 1])
  }

  @Test(arguments: [ModelServer.Fault.lostAnswer, .lostRequest])
  func `what somebody behind a gateway wrote goes out behind an entry that was frozen before`(
    _ fault: ModelServer.Fault
  ) throws {
    let fleet = Fleet()
    var configuration = OutboxConfiguration()
    configuration.relays = true
    let (gateway, behind) = (fleet.device(configuration), fleet.device())
    let id = try fleet.insert(["a": 1], at: gateway)
    var cycle = gateway.cycle()
    while let request = try cycle.next() {
      try cycle.receive(fleet.server.model.answer(request, fault: fault))
    }
    try gateway.replica.sync(with: behind.replica)
    try fleet.set(["b": 2], of: id, at: behind)
    try gateway.replica.sync(with: behind.replica)
    for _ in 0..<3 {
      fleet.pass(120_000)
      try fleet.exchange(gateway)
    }
    #expect(fleet.served(id) == ["a": 1, "b": 2])
    #expect(try gateway.status().isSynced)
  }

  @Test func `what a restored backup wrote goes out behind an entry that was frozen before`() throws {
    try withStores(.sqlite) { stores in
      let server = ScriptedServer()
      let first = Outbox(try stores.replica("first"))
      let id = first.replica.newID()
      try first.replica.insert(["a": 1], id: id, in: "jobs")
      _ = try server.run(first)
      stores.clock.advance(milliseconds: 1_000)
      try first.replica.set(["a": 2], id: id, in: "jobs")
      var cycle = first.cycle()
      while let request = try cycle.next() {
        try cycle.receive(server.model.answer(request, fault: .lostAnswer))
      }
      try first.replica.backup(to: stores.path("backup"))
      let second = Outbox(
        try Replica(
          restoring: stores.path("backup"), at: stores.path("second"), configuration: stores.configuration()))
      stores.clock.advance(milliseconds: 1_000)
      try second.replica.set(["b": 5], id: id, in: "jobs")
      for _ in 0..<3 {
        stores.clock.advance(milliseconds: 120_000)
        _ = try server.run(second)
      }
      #expect(server.model.rows["jobs"]?["\(id)"]?.fields == ["a": 2, "b": 5])
    }
  }

  @Test func `two servers that hold different values of one record do not make it flip for ever`() throws {
    let fleet = Fleet()
    let ada = fleet.device()
    let other = ScriptedServer()
    let second = Outbox(ada.replica, configuration: OutboxConfiguration(server: "second"))
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    _ = try other.run(second)
    fleet.pass(60_000)
    fleet.server.model.edit("jobs", id.description, ["a": 7])
    other.model.wallMilliseconds = fleet.server.model.wallMilliseconds
    try fleet.exchange(ada)
    var told: Set<[FieldName: Value]> = []
    for _ in 0..<6 {
      fleet.pass(60_000)
      _ = try other.run(second)
      told.insert(try fleet.shown(id, at: ada) ?? [:])
      try fleet.exchange(ada)
      told.insert(try fleet.shown(id, at: ada) ?? [:])
    }
    #expect(told == [["a": 7]])
  }

  @Test func `what begins to travel only now is on its way`() throws {
    let fleet = Fleet()
    let narrow = fleet.device(OutboxConfiguration(collections: ["other"]))
    let id = try fleet.insert(["a": 1], at: narrow)
    try fleet.exchange(narrow)
    let wide = Outbox(narrow.replica, configuration: OutboxConfiguration())
    #expect(
      try wide.state(of: id, in: "jobs") == .waiting(attempts: 0, lastError: nil, needsAttention: false))
    try fleet.exchange(wide)
    #expect(try wide.state(of: id, in: "jobs") == .synced)
  }
}
