import Rejoin
import RejoinCore
import RejoinSQLite
import RejoinTesting
import TestSupport
import Testing

/// A commit that its process did not live to acknowledge, found when the file is opened again.
///
/// Found by the simulator: SQLite recovers such a commit from a log that nobody has synced.
struct RecoveredCommitTests {
  @Test(arguments: [true, false])
  func `what shows after a kill survives a power cut, wherever the kill came`(sharesMemory: Bool) throws {
    let world = try FaultWorld(sharesMemory: sharesMemory)
    var found: Set<Bool> = []
    for operation in 1...200 {
      let disk = world.disk.copy()
      let before = try FaultWorld.open(disk.copy()).trace()
      do {
        let dying = try FaultWorld.open(disk)
        disk.plan(.kill, at: operation, isLasting: true)
        try? dying.delete(.numbered(1), in: "accounts")
      }
      guard disk.hasStruck else { break }
      disk.restart()
      // It stays open: closing it would bring everything to the disk.
      let reopened = try FaultWorld.open(disk)
      let seen = try reopened.trace()
      found.insert(seen.hasSameContent(as: before))
      for seed in UInt64(0)..<8 {
        let other = disk.copy()
        other.restartAfterPowerCut(seed: seed)
        #expect(
          try FaultWorld.open(other).trace().hasSameContent(as: seen), "kill at \(operation), cut \(seed)")
      }
      withExtendedLifetime(reopened) {}
    }
    // Both happened: the commit was found, and it was not.
    #expect(found.count == 2)
  }
}
