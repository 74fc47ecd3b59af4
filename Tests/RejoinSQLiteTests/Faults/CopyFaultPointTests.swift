import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// Whatever fails, and at whichever operation: a backup or a restored replica is there whole or not at all.
struct CopyFaultPointTests {
  @Test(arguments: CopyScenario.allCases, FaultyDisk.Fault.allCases)
  func `a fault at any operation leaves the whole copy or none, and the original as it was`(
    _ scenario: CopyScenario, _ fault: FaultyDisk.Fault
  ) throws {
    try strike(scenario, fault, in: FaultWorld())
  }

  @Test(arguments: CopyScenario.allCases, FaultyDisk.Fault.allCases)
  func `without a write-ahead log, too, a fault leaves the whole copy or none`(
    _ scenario: CopyScenario, _ fault: FaultyDisk.Fault
  ) throws {
    try strike(scenario, fault, in: FaultWorld(sharesMemory: false))
  }

  private func strike(_ scenario: CopyScenario, _ fault: FaultyDisk.Fault, in world: FaultWorld) throws {
    let course = try CopyCourse(scenario, in: world)
    let sweep = FaultSweep(
      name: scenario.rawValue, fault: fault, points: course.points, sharesMemory: world.sharesMemory)
    try sweep.run { point, isLasting in
      try CopyTrial(course: course, fault: fault, point: point, isLasting: isLasting).run()
    }
  }
}

/// A copy of a replica's file, which a fault may strike in the midst of its making.
enum CopyScenario: String, CaseIterable, Sendable {
  /// A backup of a replica that is open.
  case backUp = "backup"
  /// A replica that is made from a backup, and opened.
  case restore

  /// The file that a backup is written to.
  static let backup = "backup"

  /// The file that is to be there in the end.
  var target: String { self == .backUp ? CopyScenario.backup : "restored" }

  /// Makes the copy; `original` is open.
  func run(on disk: FaultyDisk, original: Replica) throws {
    switch self {
    case .backUp: try original.backup(to: disk.path(target))
    case .restore: _ = try CopyScenario.restore(to: target, on: disk)
    }
  }

  /// Makes a replica from the backup, under the same id each time.
  static func restore(to target: String, on disk: FaultyDisk) throws -> Replica {
    try Replica(
      restoring: disk.path(backup), at: disk.path(target), configuration: FaultWorld.configuration(seed: 4),
      durability: .full, files: disk.files)
  }
}

/// How the making of a copy goes when nothing fails.
struct CopyCourse: Sendable {
  let scenario: CopyScenario
  /// The disk before, with what an earlier try left behind.
  let disk: FaultyDisk
  let original: FileContents
  let copy: FileContents
  let points: FaultPoints

  init(_ scenario: CopyScenario, in world: FaultWorld) throws {
    self.scenario = scenario
    disk = world.disk.copy()
    if scenario == .restore { try FaultWorld.open(disk).backup(to: disk.path(CopyScenario.backup)) }
    for leftover in CopyCourse.leftovers(of: scenario.target) {
      try disk.connection(leftover).execute("CREATE TABLE leftover(a)")
    }
    original = try FileContents(of: disk.copy())
    let fresh = disk.copy()
    let replica = try FaultWorld.open(fresh)
    fresh.heal()
    try scenario.run(on: fresh, original: replica)
    points = FaultPoints(of: fresh)
    copy = try FileContents(of: fresh, scenario.target)
  }

  /// What may lie beside a copy that was not finished.
  static func leftovers(of target: String) -> [String] {
    ["", "-journal", "-wal"].map { "\(target).rejoin-partial\($0)" }
  }
}
