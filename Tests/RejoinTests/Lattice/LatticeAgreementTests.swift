import Foundation
import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport
import Testing

/// Replicas that meet only through a replica in another language, over JSON, and replicas that meet directly hold the
/// same state, bit by bit.
struct LatticeAgreementTests {
  private static let suite = "LatticeAgreementTests"
  private static let collection: Collection = "notes"
  private static let dataset = DatasetID(name: "lattice")

  /// Replicas of one data set, of which the first half meets others only through the relay.
  private struct World {
    var generator: SplitMix64
    let relay: LatticeProcess
    var replicas: [Replica] = []
    var environments: [SimulatedEnvironment] = []
    /// How far the relay is known to have come.
    var relayed = VersionVector()
    var ids: [RecordID] = []

    init(seed: UInt64, _ relay: LatticeProcess) throws {
      generator = SplitMix64(seed: seed)
      self.relay = relay
      try relay.reset(LatticeAgreementTests.dataset)
      for number in 0..<2 + below(3) {
        let environment = SimulatedEnvironment(
          wallMilliseconds: 1_700_000_000_000, seed: seed &* 31 &+ UInt64(number))
        environments.append(environment)
        replicas.append(
          Replica(
            configuration: ReplicaConfiguration(
              dataset: LatticeAgreementTests.dataset, environment: environment.environment)))
      }
    }

    mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

    mutating func step() throws {
      let number = below(replicas.count)
      // Three clock values: ties are where replicas disagree.
      if below(3) == 0 { environments[number].pass(milliseconds: 1) }
      switch below(12) {
      case 0..<7: try write(at: replicas[number])
      case 7..<10: try exchange(replicas[number])
      default:
        let other = below(replicas.count)
        guard number != other, meetsDirectly(number), meetsDirectly(other) else { return }
        try replicas[number].sync(with: replicas[other])
      }
    }

    private func meetsDirectly(_ number: Int) -> Bool { number >= replicas.count / 2 }

    private mutating func write(at replica: Replica) throws {
      let shown = try replica.records(in: LatticeAgreementTests.collection).map(\.id)
      let value = Value.int(Int64(below(3)))
      guard let id = shown.isEmpty ? nil : shown[below(shown.count)], below(5) != 0 else {
        let id = ids.isEmpty || below(2) == 0 ? replica.newID() : ids[below(ids.count)]
        ids.append(id)
        let isThere = try replica.records(in: LatticeAgreementTests.collection, includingDeleted: true)
          .contains { $0.id == id }
        if !isThere { try replica.insert(["a": value, "b": .double(0.5)], id: id, in: "notes") }
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
      case 4: try replica.write { try $0.insert(value, into: "tags", id: id, in: "notes") }
      case 5: try replica.write { try $0.remove(value, from: "tags", id: id, in: "notes") }
      default: try replica.set(["a": value], id: id, in: "notes")
      }
    }

    /// Both say what the other one lacks.
    mutating func exchange(_ replica: Replica) throws {
      let delta = try replica.delta(since: relayed)
      try relay.merge(delta)
      relayed = relayed.merging(delta.through)
      try replica.merge(relay.delta(since: replica.version))
    }

    /// Everybody hears of everything.
    mutating func settle() throws {
      for _ in 0..<2 {
        for replica in replicas { try exchange(replica) }
      }
    }
  }

  @Test func `replicas that meet only through another language hold what replicas that meet directly hold`()
    throws
  {
    let relay = try LatticeProcess()
    defer { try? relay.end() }
    for chunk in Seeds.chunks(count: 150) {
      for seed in chunk.seeds {
        do {
          var world = try World(seed: seed, relay)
          for _ in 0..<25 { try world.step() }
          try world.settle()
          let states = try world.replicas.map { try $0.delta().encoded() }
          let other = try relay.delta(since: VersionVector()).encoded()
          let digests = try Set(world.replicas.map { try $0.digest() })
          guard states.allSatisfy({ $0 == other }), digests.count == 1 else {
            Issue.record("They differ.\n\(Seeds.replay(seed, suite: Self.suite))")
            return
          }
        } catch {
          Issue.record("\(error)\n\(Seeds.replay(seed, suite: Self.suite))")
          return
        }
      }
    }
  }
}
