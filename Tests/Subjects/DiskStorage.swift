package import Rejoin
import RejoinSQLite
import RejoinTesting
import TestSupport

/// A SQLite file on a disk in memory that fails when told to, and whose power is cut.
package struct DiskStorage: SimulatedStorage {
  private let disk = FaultyDisk()

  package init() {}

  package func make(_ configuration: ReplicaConfiguration) throws -> Replica {
    try disk.replica(configuration: configuration)
  }

  package func open(_ replica: Replica, _ configuration: ReplicaConfiguration) throws -> Replica {
    try disk.replica(configuration: configuration)
  }

  /// Cuts the power: of what was not synced, a part survives at most.
  package func crash() {
    disk.restartAfterPowerCut(seed: UInt64(disk.operationCount))
  }

  package func failing(_ body: () throws -> Void) rethrows {
    disk.plan(.inputOutput, at: 1, isLasting: true)
    defer { disk.heal() }
    try body()
  }
}
