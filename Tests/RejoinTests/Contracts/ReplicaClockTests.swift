import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// The clock as replicas move it: by writing, by merging real deltas, by time passing.
struct ReplicaClockTests {
  private let environment = SimulatedEnvironment(wallMilliseconds: 10, seed: 1)

  private func replica(maxDriftMilliseconds: Int64 = Limits.maxDriftMilliseconds) -> Replica {
    Replica(configuration: environment.configuration(maxDriftMilliseconds: maxDriftMilliseconds))
  }

  /// A delta whose latest time is `time`, from a replica whose wall stood at its millisecond.
  private func delta(reaching time: HybridTime) throws -> Delta {
    let environment = SimulatedEnvironment(wallMilliseconds: time.milliseconds, seed: time.rawValue)
    let peer = Replica(configuration: environment.configuration())
    for _ in 0...time.counter { try peer.append(["text": "peer"], to: "events") }
    #expect(peer.lastTime == time)
    return try peer.delta()
  }

  private func write(_ replica: Replica) throws -> HybridTime {
    try replica.write { transaction in
      try transaction.append(["text": "own"], to: "events")
      return transaction.timestamp.time
    }
  }

  @Test func `a write comes after what was issued and merged, and not before the wall`() throws {
    let replica = replica()
    for _ in 0...ClockStep.start.counter { _ = try write(replica) }
    #expect(replica.lastTime == ClockStep.start)
    for step in ClockStep.all {
      let before = replica.lastTime
      try replica.merge(delta(reaching: step.merged))
      #expect(replica.lastTime == max(before, step.merged))
      for expected in step.writes {
        environment.wallMilliseconds = expected.wallMilliseconds
        #expect(try write(replica) == expected.time)
        #expect(replica.lastTime == expected.time)
      }
    }
  }

  @Test func `seventy thousand writes in a frozen millisecond increase strictly`() throws {
    let replica = replica()
    var times: [HybridTime] = []
    for _ in 0..<70_000 { times.append(try write(replica)) }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    environment.pass(milliseconds: -5)
    #expect(try write(replica) == times.last?.successor)
  }

  @Test func `a time beyond the drift bound moves no clock until it has come`() throws {
    let replica = replica(maxDriftMilliseconds: 5)
    _ = try write(replica)
    let before = replica.lastTime
    let id = RecordID(high: 0, low: 1)
    let ahead = SimulatedEnvironment(wallMilliseconds: 16, seed: 2)
    let peer = Replica(configuration: ahead.configuration(maxDriftMilliseconds: 5))
    try peer.insert(["name": 1], id: id, in: "things")
    try replica.merge(peer.delta())
    #expect(replica.lastTime == before)
    #expect(replica.version.covers(peer.version))
    #expect(try write(replica) == before.successor)
    environment.pass(milliseconds: 1)
    #expect(try write(replica) > peer.lastTime)
  }

  @Test func `a time at the drift bound is merged like any other`() throws {
    let replica = replica(maxDriftMilliseconds: 5)
    let time = HybridTime(milliseconds: 15, counter: 3)
    try replica.merge(delta(reaching: time))
    #expect(replica.lastTime == time)
    #expect(try write(replica) == time.successor)
  }

  @Test func `one poisoned entry of a vector does not make a replica ride ahead of its wall`() throws {
    let replica = replica(maxDriftMilliseconds: 5)
    try replica.merge(delta(reaching: HybridTime(milliseconds: 1_000_000)))
    for wall in Int64(11)..<20 {
      environment.wallMilliseconds = wall
      let honest = try delta(reaching: HybridTime(milliseconds: wall - 1))
      try replica.merge(honest)
      #expect(try write(replica) == HybridTime(milliseconds: wall))
    }
  }
}
