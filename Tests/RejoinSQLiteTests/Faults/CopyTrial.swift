import Rejoin
import RejoinCore
import RejoinSQLite
import TestSupport
import Testing

/// One fault at one operation of the making of a copy, and everything that must hold afterwards.
struct CopyTrial: CustomStringConvertible {
  let course: CopyCourse
  let fault: FaultyDisk.Fault
  let point: Int
  let isLasting: Bool

  private var scenario: CopyScenario { course.scenario }

  var description: String {
    "\(scenario.rawValue), \(fault.rawValue)\(isLasting ? " from" : " at") operation \(point)"
  }

  /// Runs it; false when the fault found nothing to strike.
  func run() throws -> Bool {
    let disk = course.disk.copy()
    var original = try FaultWorld.open(disk)
    disk.plan(fault, at: point, isLasting: isLasting)
    let error = anyFailure { try scenario.run(on: disk, original: original) }
    let hasStruck = disk.hasStruck
    if let error { expectTyped(error, on: disk) }
    try expectSound(disk, isAcknowledged: error == nil)
    switch fault {
    case .kill: disk.restart()
    case .powerCut: disk.restartAfterPowerCut(seed: UInt64(point))
    default: disk.heal()
    }
    if fault.endsTheProcess { original = try FaultWorld.open(disk) }
    try expectNextTry(on: disk, original: original)
    return hasStruck
  }

  /// Whether there is a copy, which then is whole, now and after a crash or a power cut at this moment.
  private func expectSound(_ disk: FaultyDisk, isAcknowledged: Bool) throws {
    if fault != .powerCut {
      let crashed = disk.copy()
      crashed.restart()
      try expectWholeOrNothing(crashed, isAcknowledged: isAcknowledged)
    }
    guard fault != .kill else { return }
    // What survives is drawn.
    for seed in UInt64(0)..<3 {
      let dark = disk.copy()
      dark.restartAfterPowerCut(seed: seed << 32 + UInt64(point))
      try expectWholeOrNothing(dark, isAcknowledged: isAcknowledged)
    }
  }

  @discardableResult
  private func expectWholeOrNothing(_ disk: FaultyDisk, isAcknowledged: Bool) throws -> Bool {
    let seen = disk.copy()
    #expect(try FileContents(of: seen) == course.original, "\(self)")
    if scenario == .restore {
      #expect(try FileContents(of: seen, CopyScenario.backup) == course.original, "\(self)")
    }
    guard disk.size(of: scenario.target) != nil else {
      #expect(!isAcknowledged, "\(self)")
      return false
    }
    let copy = try FileContents(of: seen, scenario.target)
    #expect(copy == course.copy && copy.integrity == ["ok"], "\(self)")
    return true
  }

  private func expectNextTry(on disk: FaultyDisk, original: Replica) throws {
    let isThere = try expectWholeOrNothing(disk, isAcknowledged: false)
    let error = anyFailure { try scenario.run(on: disk, original: original) }
    if isThere {
      #expect((error as? SQLiteError)?.kind == .cantOpen, "\(self): \(String(describing: error))")
    } else {
      #expect(error == nil, "\(self): not after the next try")
      for leftover in CopyCourse.leftovers(of: scenario.target) {
        #expect(disk.size(of: leftover) == nil, "\(self): \(leftover)")
      }
      try expectSound(disk, isAcknowledged: true)
    }
    let copy =
      switch scenario {
      case .backUp: try CopyScenario.restore(to: "from the backup", on: disk)
      case .restore: try disk.replica(scenario.target, configuration: FaultWorld.configuration())
      }
    #expect(copy.id != original.id, "\(self)")
    #expect(try copy.digest() == original.digest(), "\(self)")
    for replica in [copy, original] {
      try replica.append(["text": "next"], to: "activity", id: .numbered(900))
      #expect(try replica.inspect().findings.isEmpty, "\(self)")
    }
  }

  private func expectTyped(_ error: any Error, on disk: FaultyDisk) {
    guard let error = error as? SQLiteError else {
      Issue.record("\(self): \(error)")
      return
    }
    #expect(fault.kinds.contains(error.kind), "\(self): \(error)")
    let names = [FaultWorld.file, CopyScenario.backup, scenario.target]
    #expect(names.contains { error.path.hasPrefix(disk.path($0)) }, "\(self): \(error)")
  }
}
