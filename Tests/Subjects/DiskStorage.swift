package import Rejoin
import RejoinSQLite
package import RejoinTesting
import TestSupport

/// A SQLite file on a disk in memory that fails when told to, and whose power is cut.
package struct DiskStorage: SimulatedStorage {
  private let disk = FaultyDisk()

  package init() {}

  package static var misfortunes: [Misfortune] { Misfortune.allCases.filter { $0 != .refusal } }

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

  package func suffer(
    _ misfortune: Misfortune, after operations: Int, _ body: () throws -> Void
  ) rethrows -> Bool {
    let fault = misfortune.fault
    disk.plan(fault, at: operations + 1, isLasting: misfortune == .full || fault.endsTheProcess)
    defer {
      if disk.hasStruck, fault == .powerCut {
        disk.restartAfterPowerCut(seed: UInt64(operations))
      } else if disk.hasStruck, fault == .kill {
        disk.restart()
      } else {
        disk.heal()
      }
    }
    try body()
    return disk.hasStruck && fault.endsTheProcess
  }

  package var commitCount: Int? { nil }
}

extension Misfortune {
  fileprivate var fault: FaultyDisk.Fault {
    switch self {
    case .refusal, .inputOutput: .inputOutput
    case .full: .full
    case .busy: .busy
    case .kill: .kill
    case .powerCut: .powerCut
    }
  }
}
