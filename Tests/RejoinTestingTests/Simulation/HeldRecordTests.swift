import Rejoin
import RejoinCore
@testable import RejoinTesting
import Testing

/// Records are compared and joined by bytes as the executable specification joins them.
struct HeldRecordTests {
  private static let dataset = DatasetID(name: "held")
  private static let key = SimulatedReplica<MemoryStorage>.key(0)

  /// A record of few fields, lives, ranks and times, so that they tie.
  private static func draw(_ generator: inout SplitMix64) -> PackedRecord {
    func timestamp() -> Timestamp {
      Timestamp(
        time: HybridTime(rawValue: UInt64(1 + generator.number(below: 3))),
        replica: ReplicaID(rawValue: UInt64(1 + generator.number(below: 2))))
    }
    let life =
      generator.succeeds(percent: 60)
      ? Life(count: UInt64(1 + generator.number(below: 3)), timestamp: timestamp()) : nil
    let writes = ["a", "b", "c"].filter { _ in generator.succeeds(percent: 60) }.map { name in
      RegisterWrite(
        address: RegisterAddress(FieldName(name)), value: .int(Int64(generator.number(below: 2))),
        precedence: Precedence(
          life: UInt64(generator.number(below: 4)), rank: UInt64(generator.number(below: 2)),
          timestamp: timestamp()))
    }
    return RecordPacker.fragment(life: life, writes: writes)
  }

  private static func state(_ record: PackedRecord) -> ReplicaState {
    ReplicaState(
      Delta(
        dataset: dataset, from: VersionVector(), through: VersionVector(),
        records: [Delta.RecordPart(key: key, fragment: record)], entries: []))
  }

  @Test(arguments: TestSeeds.seeds(3))
  func `the join of two records is that of the specification, and nothing else is`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var outcomes = [false: 0, true: 0]
    for _ in 0..<4_000 {
      let drawn = (0..<2).map { _ in Self.draw(&generator) }
      // Mostly one of both sides or their merger, since another one is hardly ever the join.
      let rules = MergeRules(
        latestAcceptable: .distantFuture, own: VersionVector(), through: VersionVector())
      let merged = RecordMerger(drawn[0], into: drawn[1], key: Self.key, rules: rules).result
      let third = generator.element(of: [drawn[0], drawn[1], merged, Self.draw(&generator)])
      let held = (drawn + [third]).map { HeldRecord($0, at: Self.key, dataset: Self.dataset) }
      let states = (drawn + [third]).map(Self.state)
      let isJoin = states[2] == states[0].merging(states[1])
      #expect(held[2].isJoin(of: held[0], and: held[1]) == isJoin)
      #expect((held[0] == held[2]) == (states[0] == states[2]))
      outcomes[isJoin, default: 0] += 1
    }
    #expect(outcomes.values.allSatisfy { $0 > 400 }, "\(outcomes)")
  }

  @Test func `digests of parts add up to that of the whole`() throws {
    var replica = SimulatedReplica<MemoryStorage>(replica: 0, of: 1)
    for record in 0..<3 {
      replica.apply(.commit([.insert(record: record, ["a": 1, "b": .null])]), clockMilliseconds: 1_000)
      replica.apply(.append("A-\(record)"), clockMilliseconds: 1_000)
      #expect(try replica.reading().held.digest == replica.replica.digest())
    }
    #expect(try replica.reading().held == replica.snapshotAnew().held)
  }
}
