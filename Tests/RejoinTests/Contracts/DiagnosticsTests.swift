import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// Those who look after an application hear what no reader needs to.
struct DiagnosticsTests {
  private static let id = RecordID(high: 0, low: 1)

  @Test func `a clock that is ahead is told with its replica`() async throws {
    let ahead = SimulatedEnvironment(wallMilliseconds: 10_000, seed: 1)
    let right = SimulatedEnvironment(wallMilliseconds: 1_000, seed: 2)
    let sender = Replica(configuration: ahead.configuration(maxDriftMilliseconds: 5))
    let receiver = Replica(configuration: right.configuration(maxDriftMilliseconds: 5))
    try sender.insert(["email": "a"], id: Self.id, in: "accounts")
    let diagnostics = receiver.diagnostics()
    try receiver.merge(sender.delta())
    for await diagnostic in diagnostics {
      #expect(
        diagnostic == .clockAhead(replica: sender.id, transactions: 1, offsetMilliseconds: 10_000 - 1_005))
      break
    }
  }

  @Test func `two contents under one name and time are told`() async throws {
    let environment = SimulatedEnvironment(seed: 1)
    let receiver = Replica(configuration: environment.configuration())
    let stamp = Timestamp(time: HybridTime(milliseconds: 1_000), replica: ReplicaID(rawValue: 7))
    let diagnostics = receiver.diagnostics()
    for value in [1, 1.0] as [Value] {
      let fragment = RecordPacker.fragment(
        life: nil, values: [(RegisterAddress("n"), value)], precedence: Precedence(timestamp: stamp))
      try receiver.merge(
        Delta(
          dataset: SimulatedEnvironment.dataset, from: VersionVector(),
          through: VersionVector([(stamp.replica, stamp.time)]),
          records: [Delta.RecordPart(key: RecordKey("things", Self.id), fragment: fragment)], entries: []))
    }
    for await diagnostic in diagnostics {
      #expect(diagnostic == .collision(count: 1))
      break
    }
  }
}
