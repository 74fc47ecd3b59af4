import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// What is refused on the way in is refused on the way out, and two honest replicas can always merge.
struct LimitsNeverWedgeTests {
  private static let id = RecordID(high: 0, low: 1)

  @Test func `two replicas that each keep to the limit of fields merge what exceeds it together`() throws {
    let first = Replica(configuration: SimulatedEnvironment(seed: 1).configuration())
    let second = Replica(configuration: SimulatedEnvironment(seed: 2).configuration())
    try first.insert(["shared": true], id: Self.id, in: "wide")
    try first.sync(with: second)
    for (replica, prefix) in [(first, "a"), (second, "b")] {
      let fields = (0..<Limits.registersPerRecord - 1).map {
        (FieldName("\(prefix)\($0)"), Value.int(Int64($0)))
      }
      try replica.set(Dictionary(uniqueKeysWithValues: fields), id: Self.id, in: "wide")
    }
    try first.merge(Delta(decoding: second.delta(since: first.version).encoded()))
    try second.merge(Delta(decoding: first.delta(since: second.version).encoded()))
    #expect(try first.digest() == second.digest())
    #expect(try first.fields(of: Self.id, in: "wide")?.count == 2 * Limits.registersPerRecord - 1)
    #expect(throws: ReplicaError.self) { try first.set(["one more": true], id: Self.id, in: "wide") }
    #expect(throws: ReplicaError.self) { try first.increment("counter", id: Self.id, in: "wide") }
    try first.set(["shared": false], id: Self.id, in: "wide")
    try first.delete(Self.id, in: "wide")
    try first.restore(Self.id, in: "wide")
    #expect(try first.fields(of: Self.id, in: "wide")?["shared"] == false)
  }

  @Test(arguments: [Limits.lives, Limits.lives - 1])
  func `a record that came and went as often as can be counted is not counted on`(count: UInt64) throws {
    let replica = Replica(configuration: SimulatedEnvironment(seed: 1).configuration())
    let stamp = Timestamp(time: HybridTime(milliseconds: 1), replica: ReplicaID(rawValue: 7))
    let alive = count % 2 == 1 ? count : count - 1
    let fragment = RecordPacker.fragment(
      life: Life(count: count, timestamp: stamp), values: [(RegisterAddress("n"), 1)],
      precedence: Precedence(life: alive, timestamp: stamp))
    try replica.merge(
      Delta(
        dataset: SimulatedEnvironment.dataset, from: VersionVector(),
        through: VersionVector([(stamp.replica, stamp.time)]),
        records: [Delta.RecordPart(key: RecordKey("things", Self.id), fragment: fragment)], entries: []))
    for _ in 0..<2 {
      try? replica.delete(Self.id, in: "things")
      try? replica.restore(Self.id, in: "things")
    }
    #expect(throws: Never.self) { try Delta(decoding: replica.delta().encoded()) }
    #expect(try replica.inspect().findings.isEmpty)
  }

  @Test func `a name that a map does not hold has no value`() {
    let map: ValueMap = ["a": 1, "b": .null]
    #expect(map["a"] == .int(1))
    #expect(map["b"] == .some(.null))
    #expect(map["c"] == Optional<Value>.none)
  }
}
