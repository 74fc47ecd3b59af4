import RejoinTesting
import Rejoin
import RejoinCore
import RejoinSQLite
import TestSupport
import Testing

/// The power is cut at a random operation of a random history; what the disk keeps is drawn, too.
struct PowerCutTests {
  private static let count = 300

  @Test(arguments: Seeds.chunks(count: count, size: 25))
  func `a power cut takes nothing that was acknowledged`(_ chunk: Seeds.Chunk) throws {
    for seed in chunk.seeds { try PowerCut(seed: seed, durability: .full).run() }
  }

  @Test(arguments: Seeds.chunks(count: count, size: 25))
  func `with normal durability a power cut takes the latest commits at most, each of them whole`(
    _ chunk: Seeds.Chunk
  ) throws {
    for seed in chunk.seeds { try PowerCut(seed: seed, durability: .normal).run() }
  }

  @Test(arguments: Seeds.chunks(count: 100, size: 25), [Durability.full, .normal])
  func `where there can be no write-ahead log both promises hold as well`(
    _ chunk: Seeds.Chunk, _ durability: Durability
  ) throws {
    for seed in chunk.seeds { try PowerCut(seed: seed, durability: durability, sharesMemory: false).run() }
  }
}

/// One history and one cut.
private struct PowerCut {
  let seed: UInt64
  let durability: Durability
  var sharesMemory = true

  private var replay: Comment { "\(Seeds.replay(seed, suite: "PowerCutTests")), durability \(durability)" }

  func run() throws {
    // First without a cut: the states that a cut may leave, and how many operations there are to cut at.
    let whole = FaultyDisk(sharesMemory: sharesMemory)
    var states = [try FileContents(of: FaultyDisk())]
    whole.heal()
    var operations = 0
    var course = PowerCutWorkload(seed: seed, durability: durability, disk: whole)
    try course.run {
      operations += whole.operationCount
      states.append(try FileContents(of: whole.copy()))
      whole.heal()
    }

    var draws = SplitMix64(seed: ~seed)
    let disk = FaultyDisk(sharesMemory: sharesMemory)
    disk.plan(.powerCut, at: 1 + draws.number(below: operations))
    let acknowledged = attempt(on: disk)
    guard disk.hasStruck else {
      Issue.record("the cut came too late: \(replay)")
      return
    }
    disk.restartAfterPowerCut(seed: draws.next())
    // The power may fail again while the file is recovered.
    if draws.succeeds(percent: 40) {
      disk.plan(.powerCut, at: 1 + draws.number(below: 60))
      _ = try? PowerCutWorkload.open(disk).trace()
      disk.restartAfterPowerCut(seed: draws.next())
    }
    try expectSound(disk, states: states, acknowledged: acknowledged)
  }

  /// How many steps were acknowledged before the cut; the process is gone afterwards.
  private func attempt(on disk: FaultyDisk) -> Int {
    var workload = PowerCutWorkload(seed: seed, durability: durability, disk: disk)
    do {
      try workload.run()
    } catch {
      #expect(error is SQLiteError, "\(error): \(replay)")
    }
    return workload.acknowledged
  }

  private func expectSound(_ disk: FaultyDisk, states: [FileContents], acknowledged: Int) throws {
    let contents = try FileContents(of: disk)
    #expect(contents.integrity == ["ok"], replay)
    // The state after the step in the midst of which the power was cut may have become durable.
    let latest = min(acknowledged + 1, states.count - 1)
    let allowed = states[(durability == .full ? acknowledged : 0)...latest]
    #expect(allowed.contains(contents), replay)
    let replica = try PowerCutWorkload.open(disk)
    #expect(try replica.inspect().findings.isEmpty, replay)
    try replica.append(["text": "next"], to: "activity", id: .numbered(900))
    let trace = try replica.trace()
    disk.restartAfterPowerCut(seed: seed)
    #expect(try PowerCutWorkload.open(disk).trace() == trace, replay)
  }
}
