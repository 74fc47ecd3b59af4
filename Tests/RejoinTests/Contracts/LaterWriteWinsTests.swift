import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// Who has seen a write and writes over it wins, as long as the clocks lie within the drift bound of each other.
struct LaterWriteWinsTests {
  private static let drift: Int64 = 5
  private let id = RecordID(high: 0, low: 1)

  private func pair(wall: Int64, offset: Int64) -> (first: Replica, second: Replica) {
    let first = SimulatedEnvironment(wallMilliseconds: wall + offset, seed: 1)
    let second = SimulatedEnvironment(wallMilliseconds: wall, seed: 2)
    return (
      Replica(configuration: first.configuration(maxDriftMilliseconds: Self.drift)),
      Replica(configuration: second.configuration(maxDriftMilliseconds: Self.drift))
    )
  }

  @Test(arguments: Int64(-5)...5)
  func `a write over what was seen wins at once and everywhere`(offset: Int64)
    throws
  {
    let (first, second) = pair(wall: 1_000, offset: offset)
    try first.insert(["name": "first"], id: id, in: "things")
    try first.set(["name": "again"], id: id, in: "things")
    try second.merge(first.delta())
    #expect(try second.waiting().isEmpty)
    try second.set(["name": "second"], id: id, in: "things")
    #expect(try second.fields(of: id, in: "things") == ["name": "second"])
    let report = try first.merge(second.delta(since: first.version))
    #expect(try first.fields(of: id, in: "things") == ["name": "second"])
    #expect(report.conflicts.isEmpty)
    #expect(try first.digest() == second.digest())
  }

  @Test func `of concurrent writes the later time wins, then the larger replica id`() throws {
    let (first, second) = pair(wall: 1_000, offset: 0)
    try first.insert(["name": "base"], id: id, in: "things")
    try second.merge(first.delta())
    try first.set(["name": "first"], id: id, in: "things")
    try second.set(["name": "second"], id: id, in: "things")
    let timestamps = [first, second].map { Timestamp(time: $0.lastTime, replica: $0.id) }
    #expect(timestamps[0].time == timestamps[1].time)
    let report = try first.sync(with: second)
    let expected: Value = timestamps[0] > timestamps[1] ? "first" : "second"
    for replica in [first, second] {
      #expect(try replica.fields(of: id, in: "things") == ["name": expected])
    }
    #expect(report.here.conflicts.count == 1)
    #expect(report.there.conflicts.isEmpty)
  }

  @Test func `a write from beyond the bound does not hide what others wrote before its time`() throws {
    let (ahead, other) = pair(wall: 1_000, offset: 100)
    try other.insert(["name": "now"], id: id, in: "things")
    try ahead.merge(other.delta())
    try ahead.set(["name": "later"], id: id, in: "things")
    try other.merge(ahead.delta(since: other.version))
    #expect(try other.fields(of: id, in: "things") == ["name": "now"])
    #expect(try other.waiting().count == 1)
    try other.set(["name": "meanwhile"], id: id, in: "things")
    #expect(try other.fields(of: id, in: "things") == ["name": "meanwhile"])
  }

  @Test func `a transaction from beyond the bound shows early only where all of it has nothing else`() throws
  {
    let (ahead, other) = pair(wall: 1_000, offset: 100)
    let second = RecordID(high: 0, low: 2)
    try other.insert(["name": "now"], id: id, in: "things")
    try ahead.merge(other.delta())
    try ahead.write { transaction in
      try transaction.set(["name": "later"], id: id, in: "things")
      try transaction.insert(["name": "new"], id: second, in: "things")
    }
    try other.merge(ahead.delta(since: other.version))
    #expect(try other.fields(of: id, in: "things") == ["name": "now"])
    #expect(try other.fields(of: second, in: "things") == nil)
    try ahead.insert(["name": "alone"], id: RecordID(high: 0, low: 3), in: "things")
    try other.merge(ahead.delta(since: other.version))
    #expect(try other.fields(of: RecordID(high: 0, low: 3), in: "things") == ["name": "alone"])
  }
}
