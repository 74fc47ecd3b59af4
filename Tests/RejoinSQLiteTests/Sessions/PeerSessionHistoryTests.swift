import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport
import Testing

/// Random histories of replicas that meet in sessions which are cut anywhere, beside whole deltas, while others write.
struct PeerSessionHistoryTests {
  private static let suite = "PeerSessionHistoryTests"

  private struct Differs: Error { var what: String }

  private struct World {
    var generator: SplitMix64
    var replicas: [Replica] = []
    var environments: [SimulatedEnvironment] = []
    var ids: [RecordID] = []
    let pageBytes: Int

    init(seed: UInt64) {
      generator = SplitMix64(seed: seed)
      pageBytes = [1, 150, 100_000][Int(generator.next() % 3)]
      for number in 0..<2 + Int(generator.next() % 3) {
        // The clock of one may be ahead of what others accept.
        let ahead: Int64 = number == 0 && generator.next() % 6 == 0 ? 600_000 : 0
        let environment = SimulatedEnvironment(
          wallMilliseconds: 1_700_000_000_000 + ahead, seed: seed &* 41 &+ UInt64(number))
        environments.append(environment)
        replicas.append(
          Replica(
            configuration: ReplicaConfiguration(
              dataset: DatasetID(name: "sessions"), environment: environment.environment)))
      }
    }

    mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

    mutating func step() throws {
      let number = below(replicas.count)
      let other = (number + 1 + below(replicas.count - 1)) % replicas.count
      if below(3) == 0 { environments[number].pass(milliseconds: 1) }
      switch below(8) {
      case 0..<4: try write(at: replicas[number])
      case 4..<7: try meet(number, other, cutAt: below(2) == 0 ? nil : below(10))
      default: try replicas[number].sync(with: replicas[other])
      }
      for other in replicas where other !== replicas[number] && other.version == replicas[number].version {
        guard try other.digest() == replicas[number].digest() else { throw Differs(what: "equal vectors") }
      }
    }

    private mutating func write(at replica: Replica) throws {
      let shown = try replica.records(in: "notes").map(\.id)
      let value = Value.int(Int64(below(3)))
      guard let id = shown.isEmpty ? nil : shown[below(shown.count)], below(5) != 0 else {
        let id = ids.isEmpty || below(2) == 0 ? replica.newID() : ids[below(ids.count)]
        ids.append(id)
        let isThere = try replica.records(in: "notes", includingDeleted: true).contains { $0.id == id }
        if !isThere { try replica.insert(["a": value], id: id, in: "notes") }
        return
      }
      switch below(8) {
      case 0: try replica.delete(id, in: "notes")
      case 1:
        let deleted = try replica.records(in: "notes", includingDeleted: true).map(\.id)
          .filter { !shown.contains($0) }
        if let gone = deleted.first { try replica.restore(gone, in: "notes") }
      case 2: try replica.append(["n": value], to: "log")
      case 3: try replica.write { try $0.increment("count", by: 2, id: id, in: "notes") }
      case 4:
        try replica.write { transaction in
          for id in shown { try transaction.set(["b": value], id: id, in: "notes") }
        }
      default: try replica.set(["a": value], id: id, in: "notes")
      }
    }

    /// A session, until both have merged, or until it is cut behind so many pieces of what is said.
    mutating func meet(_ one: Int, _ other: Int, cutAt cut: Int? = nil) throws {
      var ends = [
        PeerSession(replicas[one], pageBytes: pageBytes), PeerSession(replicas[other], pageBytes: pageBytes),
      ]
      var underWay = [try ends[1].start(), try ends[0].start()]
      var pieces = 0
      while let to = [below(2), 0, 1].first(where: { !underWay[$0].isEmpty }) {
        guard pieces != cut else { return }
        pieces += 1
        let bytes = Array(underWay[to].prefix(1 + below(400)))
        underWay[to].removeFirst(bytes.count)
        underWay[1 - to] += try ends[to].receive(bytes)
        if cut != nil, below(15) == 0 { try write(at: replicas[to == 0 ? one : other]) }
      }
      guard ends[0].isOver, ends[1].isOver else { throw Differs(what: "it ended early") }
    }

    mutating func settle() throws {
      for _ in 0..<6 {
        for number in replicas.indices { try meet(number, (number + 1) % replicas.count) }
        if Set(replicas.map(\.version)).count == 1 { return }
      }
      throw Differs(what: "it never comes to rest")
    }

    func compare() throws {
      guard try Set(replicas.map { try $0.digest() }).count == 1 else { throw Differs(what: "digests") }
      guard Set(environments.map(\.wallMilliseconds)).max() ?? 0 < 1_700_000_300_000 else { return }
      let states = try Set(replicas.map { try $0.delta().encoded() })
      guard states.count == 1 else { throw Differs(what: "states") }
    }
  }

  @Test func `everybody ends with one state, and whoever covers the same holds the same`() throws {
    for chunk in Seeds.chunks(count: 300) {
      for seed in chunk.seeds {
        do {
          var world = World(seed: seed)
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
