import Rejoin
import RejoinCore
import RejoinSQLite
import RejoinTesting
import TestSupport
import Testing

/// A commit that failed stays away, also when the process is killed afterwards.
///
/// Found by the simulator: when the sync fails, all of the commit is in SQLite's log already.
struct FailedCommitTests {
  @Test(arguments: [true, false], [FaultyDisk.Fault.inputOutput, .lostSync, .full])
  func `what failed is not found by the next process`(sharesMemory: Bool, fault: FaultyDisk.Fault) throws {
    let world = try FaultWorld(sharesMemory: sharesMemory)
    var failures = 0
    for operation in 1...200 {
      let disk = world.disk.copy()
      let replica = try FaultWorld.open(disk)
      let before = try replica.trace()
      disk.plan(fault, at: operation)
      let hasFailed = (try? replica.delete(.numbered(1), in: "accounts")) == nil
      if disk.operationCount < operation { break }
      disk.heal()
      guard hasFailed else { continue }
      failures += 1
      let after = try replica.trace()
      disk.restart()
      let found = try FaultWorld.open(disk).trace()
      #expect(found.hasSameContent(as: after), "\(fault) at \(operation)")
      // Without a log, the commit is there when the folder cannot be synced.
      #expect(after.hasSameContent(as: before) || !sharesMemory, "\(fault) at \(operation)")
    }
    #expect(failures > 0)
  }
}
