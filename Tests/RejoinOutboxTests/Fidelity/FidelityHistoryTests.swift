import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// Replicas that meet only through a server in another language, page by page over JSON, and replicas that meet directly
/// hold the same state, bit by bit, whatever is cut off and lost on the way.
struct FidelityHistoryTests {
  private static let suite = "FidelityHistoryTests"
  private static let collection: Collection = "notes"
  private static let dataset = DatasetID(name: "fidelity")
  private static let start: Int64 = 1_700_000_000_000

  /// Replicas of one data set; the first half meets others only through the server.
  private struct World {
    var generator: SplitMix64
    let server: LineServer
    var replicas: [Replica] = []
    var environments: [SimulatedEnvironment] = []
    var ids: [RecordID] = []
    let pageBytes: Int
    /// Whether the clock of one replica is ahead of what others accept.
    let isOneAhead: Bool
    var hasCopy = false
    var serverTime = FidelityHistoryTests.start

    init(seed: UInt64, _ server: LineServer) throws {
      var generator = SplitMix64(seed: seed)
      self.server = server
      pageBytes = [1, 150, 100_000][Int(generator.next() % 3)]
      isOneAhead = generator.next() % 6 == 0
      let count = 2 + Int(generator.next() % 3)
      self.generator = generator
      for number in 0..<count {
        let ahead: Int64 = isOneAhead && number == 0 ? 600_000 : 0
        let environment = SimulatedEnvironment(
          wallMilliseconds: FidelityHistoryTests.start + ahead, seed: seed &* 31 &+ UInt64(number))
        environments.append(environment)
        replicas.append(
          Replica(
            configuration: ReplicaConfiguration(
              dataset: FidelityHistoryTests.dataset, environment: environment.environment)))
      }
      try server.reset(["clock_fixed_ms": .int(serverTime)])
    }

    mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

    mutating func step() throws {
      let number = below(replicas.count)
      // Few clock values: ties are where replicas disagree.
      if below(3) == 0 { environments[number].pass(milliseconds: 1) }
      switch below(24) {
      case 0..<12: try write(at: replicas[number])
      case 12..<19: try exchange(replicas[number], cutAt: below(2) == 0 ? nil : below(8))
      case 19: try copyServer()
      default:
        let other = below(replicas.count)
        guard number != other, meetsDirectly(number), meetsDirectly(other) else { return }
        try replicas[number].sync(with: replicas[other])
      }
      try check(number)
    }

    private func meetsDirectly(_ number: Int) -> Bool { number >= replicas.count / 2 }

    /// Keeps a copy of the server, or brings the last one back.
    private mutating func copyServer() throws {
      let verb = hasCopy && below(3) > 0 ? "rewind" : "snapshot"
      hasCopy = true
      #expect(try server.send("POST", "/_control", body: .object([JSON.Member(verb, "copy")])).status == 200)
    }

    private mutating func write(at replica: Replica) throws {
      let shown = try replica.records(in: FidelityHistoryTests.collection).map(\.id)
      let value = Value.int(Int64(below(3)))
      guard let id = shown.isEmpty ? nil : shown[below(shown.count)], below(5) != 0 else {
        let id = ids.isEmpty || below(2) == 0 ? replica.newID() : ids[below(ids.count)]
        ids.append(id)
        let isThere = try replica.records(in: FidelityHistoryTests.collection, includingDeleted: true)
          .contains { $0.id == id }
        if !isThere { try replica.insert(["a": value, "b": .double(0.5)], id: id, in: "notes") }
        return
      }
      switch below(10) {
      case 0: try replica.delete(id, in: "notes")
      case 1:
        let deleted = try replica.records(in: "notes", includingDeleted: true).map(\.id)
          .filter { !shown.contains($0) }
        if let gone = deleted.first { try replica.restore(gone, in: "notes") }
      case 2: try replica.append(["n": value], to: "log")
      case 3: try replica.write { try $0.increment("count", by: 2, id: id, in: "notes") }
      case 4: try replica.write { try $0.insert(value, into: "tags", id: id, in: "notes") }
      case 5: try replica.write { try $0.remove(value, from: "tags", id: id, in: "notes") }
      case 6:
        // Many records under one timestamp: pages end within it.
        try replica.write { transaction in
          for id in shown { try transaction.set(["c": value], id: id, in: "notes") }
          try transaction.append(["n": value], to: "log")
        }
      default: try replica.set(["a": value], id: id, in: "notes")
      }
    }

    /// Exchanges with the server; with a cut the device is killed there, before or after the server has answered.
    mutating func exchange(_ replica: Replica, cutAt cut: Int? = nil) throws {
      var cycle = DeltaExchange(replica, pageBytes: pageBytes).cycle()
      var requests = 0
      while let request = try cycle.next() {
        if requests == cut, below(2) == 0 { return }
        let answer = try server.send(request.method, request.path, body: try JSON(parsing: request.body))
        if requests == cut { return }
        requests += 1
        try cycle.receive(HTTPResponse(status: answer.status, body: answer.body.bytes()))
        // Somebody writes while pages are on their way.
        if below(12) == 0 { try write(at: replica) }
      }
      #expect(cycle.report.stopped == nil)
    }

    /// Whoever covers the same holds the same.
    private func check(_ number: Int) throws {
      let replica = replicas[number]
      for other in replicas where other !== replica && other.version == replica.version {
        guard try other.digest() == replica.digest() else { throw Differs(line: #line) }
      }
    }

    /// Everybody hears of everything, also of the conflicts that are noticed meanwhile.
    mutating func settle() throws {
      for _ in 0..<5 {
        for replica in replicas { try settle(replica) }
        if Set(replicas.map(\.version)).count == 1 { return }
      }
      throw Differs(line: #line)
    }

    private mutating func settle(_ replica: Replica) throws {
      var cycle = DeltaExchange(replica, pageBytes: pageBytes).cycle()
      while let request = try cycle.next() {
        let answer = try server.send(request.method, request.path, body: try JSON(parsing: request.body))
        try cycle.receive(HTTPResponse(status: answer.status, body: answer.body.bytes()))
      }
      guard cycle.report.stopped == nil else { throw Differs(line: #line) }
    }

    /// All that the server holds.
    func held() throws -> Delta {
      let question: JSON = [
        "schema_version": 1, "format": 1, "replica": "0000000000000001",
        "dataset": .string(FidelityHistoryTests.dataset.description), "from": .object([]), "after": .null,
        "limit_bytes": 100_000_000,
      ]
      guard case .object(let members) = try server.send("POST", "/sync", body: question).body else {
        throw Differs(line: #line)
      }
      return try Delta(
        json: .object(members.map { JSON.Member($0.name == "changes" ? "mutations" : $0.name, $0.value) }))
    }

    func compare() throws {
      let digests = try Set(replicas.map { try $0.digest() })
      guard digests.count == 1 else { throw Differs(line: #line) }
      let held = try held()
      if isOneAhead {
        // What waits stands beside what it will replace, but for where the clock is ahead as well.
        let mirror = Replica(
          configuration: ReplicaConfiguration(
            dataset: FidelityHistoryTests.dataset, environment: environments[0].environment))
        try mirror.merge(held)
        guard try mirror.digest() == digests.first else { throw Differs(line: #line) }
        return
      }
      if ProcessInfo.processInfo.environment["REJOIN_DUMP"] != nil {
        for replica in replicas { print(String(decoding: try replica.delta().json.bytes(), as: UTF8.self)) }
        print(String(decoding: held.json.bytes(), as: UTF8.self))
      }
      let states = try replicas.map { try $0.delta().encoded() }
      guard states.allSatisfy({ $0 == held.encoded() }) else { throw Differs(line: #line) }
    }
  }

  private struct Differs: Error { var line: Int }

  @Test func `replicas that meet only through another language hold what replicas that meet directly hold`()
    throws
  {
    let server = try LineServer(fidelity: "full")
    defer { try? server.end() }
    for chunk in Seeds.chunks(count: 100) {
      for seed in chunk.seeds {
        do {
          var world = try World(seed: seed, server)
          for _ in 0..<30 { try world.step() }
          try world.settle()
          try world.compare()
        } catch {
          Issue.record("\(error)\n\(Seeds.replay(seed, suite: Self.suite))")
          return
        }
      }
    }
  }
}
