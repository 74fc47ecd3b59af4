import RejoinTesting
import Rejoin
import RejoinCore
import RejoinSQLite
import TestSupport
import Testing

/// One fault at one operation of a scenario, and everything that must hold afterwards.
struct FaultTrial: CustomStringConvertible {
  let course: FaultCourse
  let fault: FaultyDisk.Fault
  let point: Int
  let isLasting: Bool

  private var scenario: FaultScenario { course.scenario }
  private var world: FaultWorld { course.world }

  var description: String {
    "\(scenario.rawValue), \(fault.rawValue)\(isLasting ? " from" : " at") operation \(point)"
  }

  /// Runs it; false when the fault found nothing to strike.
  func run() throws -> Bool {
    let disk = try world.disk(for: scenario)
    var replica = try world.replica(for: scenario, on: disk)
    disk.plan(fault, at: point, isLasting: isLasting)
    let error = anyFailure { try world.run(scenario, with: &replica, on: disk) }
    let hasStruck = disk.hasStruck
    if let error { expectTyped(error) }
    if fault.endsTheProcess {
      replica = nil
      if fault == .kill { disk.restart() } else { disk.restartAfterPowerCut(seed: UInt64(point)) }
    } else {
      disk.heal()
      try expectSound(disk, isAcknowledged: error == nil, replica: &replica)
    }
    try expectSound(afterRestartOf: disk, isAcknowledged: error == nil && !fault.endsTheProcess)
    return hasStruck
  }

  // MARK: The process lives on

  /// The same object and a new one agree, whatever was told; both go on.
  private func expectSound(_ disk: FaultyDisk, isAcknowledged: Bool, replica: inout Replica?) throws {
    let contents = try expectBeforeOrAfter(disk, isAcknowledged: isAcknowledged)
    // What a crash or a power cut right now would leave.
    let crashed = disk.copy()
    try expectBeforeOrAfter(crashed, isAcknowledged: isAcknowledged)
    let dark = disk.copy()
    dark.restartAfterPowerCut(seed: UInt64(point))
    try expectBeforeOrAfter(dark, isAcknowledged: isAcknowledged)

    // Who tries again at once must not depend on what a read would have put right before.
    if isLasting, !scenario.opens, let replica {
      let trace = try replica.trace()
      #expect(trace == (contents == course.after ? course.traceAfter : course.traceBefore), "\(self)")
      #expect(try replica.inspect().findings.isEmpty, "\(self)")
    }
    if contents != course.after || replica == nil {
      try world.run(scenario, with: &replica, on: disk)
      #expect(try FileContents(of: disk) == course.after, "\(self): not after the next try")
    }
    try #require(replica).append(["text": "next"], to: "activity", id: .numbered(900))
    let fresh = try FaultWorld.open(disk, schema: scenario.schema)
    try fresh.append(["text": "fresh"], to: "activity", id: .numbered(901))
    #expect(try replica?.trace() == fresh.trace(), "\(self)")
    #expect(try replica?.inspect().findings.isEmpty == true, "\(self)")
    // A crash now keeps what was acknowledged since.
    let last = disk.copy()
    #expect(try FileContents(of: last) == FileContents(of: disk), "\(self)")
    last.restartAfterPowerCut(seed: UInt64(point))
    #expect(try FileContents(of: last) == FileContents(of: disk), "\(self)")
  }

  // MARK: The process died

  private func expectSound(afterRestartOf disk: FaultyDisk, isAcknowledged: Bool) throws {
    guard fault.endsTheProcess else { return }
    let contents = try expectBeforeOrAfter(disk, isAcknowledged: isAcknowledged)
    var replica: Replica? =
      try scenario == .tellDue
      ? world.replica(for: .tellDue, on: disk) : FaultWorld.open(disk, schema: scenario.schema)
    #expect(try replica?.inspect().findings.isEmpty == true, "\(self)")
    if contents != course.after {
      try world.run(scenario, with: &replica, on: disk)
      #expect(try FileContents(of: disk) == course.after, "\(self): not after the next try")
    }
    try #require(replica).append(["text": "next"], to: "activity", id: .numbered(900))
    #expect(try replica?.inspect().findings.isEmpty == true, "\(self)")
  }

  @discardableResult
  private func expectBeforeOrAfter(_ disk: FaultyDisk, isAcknowledged: Bool) throws -> FileContents {
    let contents = try FileContents(of: disk)
    #expect(contents.integrity == ["ok"], "\(self)")
    #expect(contents == course.after || contents == course.before && !isAcknowledged, "\(self)")
    return contents
  }

  private func expectTyped(_ error: any Error) {
    guard let error = error as? SQLiteError else {
      Issue.record("\(self): \(error)")
      return
    }
    #expect(fault.kinds.contains(error.kind), "\(self): \(error)")
    #expect(error.path.hasSuffix(FaultWorld.file))
  }
}
