import RejoinTesting
import Rejoin
import RejoinCore
import RejoinSQLite
import TestSupport
import Testing

/// Whatever fails, and at whichever operation on the disk: the replica is as before or as after, and goes on.
struct FaultPointTests {
  @Test(arguments: FaultScenario.allCases, FaultyDisk.Fault.allCases)
  func `a fault at any operation leaves the state before or the one after`(
    _ scenario: FaultScenario, _ fault: FaultyDisk.Fault
  ) throws {
    try strike(scenario, fault, in: FaultWorld())
  }

  @Test(arguments: FaultScenario.allCases, FaultyDisk.Fault.allCases)
  func `without a write-ahead log, too, a fault leaves the state before or the one after`(
    _ scenario: FaultScenario, _ fault: FaultyDisk.Fault
  ) throws {
    try strike(scenario, fault, in: FaultWorld(sharesMemory: false))
  }

  private func strike(_ scenario: FaultScenario, _ fault: FaultyDisk.Fault, in world: FaultWorld) throws {
    let course = try FaultCourse(scenario, in: world)
    let sweep = FaultSweep(
      name: scenario.rawValue, fault: fault, points: course.points, sharesMemory: world.sharesMemory)
    try sweep.run { point, isLasting in
      try FaultTrial(course: course, fault: fault, point: point, isLasting: isLasting).run()
    }
  }
}

/// How a scenario goes when nothing fails.
struct FaultCourse: Sendable {
  let scenario: FaultScenario
  let world: FaultWorld
  let before: FileContents
  let after: FileContents
  let traceBefore: ReplicaTrace?
  let traceAfter: ReplicaTrace
  let points: FaultPoints

  init(_ scenario: FaultScenario, in world: FaultWorld) throws {
    self.scenario = scenario
    self.world = world
    let disk = try world.disk(for: scenario)
    var replica = try world.replica(for: scenario, on: disk)
    before = scenario == .layOut ? try FileContents(of: FaultyDisk()) : try FileContents(of: disk.copy())
    traceBefore = try replica?.trace()
    // Reading the trace took in what another process had done; the scenario is to find that out by itself.
    replica = nil
    let fresh = try world.disk(for: scenario)
    replica = try world.replica(for: scenario, on: fresh)
    fresh.heal()
    try world.run(scenario, with: &replica, on: fresh)
    points = FaultPoints(of: fresh)
    after = try FileContents(of: fresh)
    guard let replica else { throw InjectedFailure() }
    traceAfter = try replica.trace()
  }
}
