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
    let world = try FaultWorld()
    let course = try FaultCourse(scenario, in: world)
    let points = course.points(of: fault)
    var struck = 0
    for point in points {
      for isLasting in fault.endsTheProcess ? [false] : [false, true] {
        let trial = FaultTrial(course: course, fault: fault, point: point, isLasting: isLasting)
        if try trial.run() { struck += 1 }
      }
    }
    let expected = points.count * (fault.endsTheProcess ? 1 : 2)
    #expect(struck == expected)
    let manner = fault.endsTheProcess ? "" : ", once and lasting"
    print(
      "\(scenario.rawValue), \(fault.rawValue): \(struck) of \(expected) points"
        + " in \(course.operationCount) operations\(manner)")
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
  let operationCount: Int
  private let disk: FaultyDisk

  init(_ scenario: FaultScenario, in world: FaultWorld) throws {
    self.scenario = scenario
    self.world = world
    disk = try world.disk(for: scenario)
    var replica = try world.replica(for: scenario, on: disk)
    before = scenario == .layOut ? try FileContents(of: FaultyDisk()) : try FileContents(of: disk.copy())
    traceBefore = try replica?.trace()
    // Reading the trace took in what another process had done; the scenario is to find that out by itself.
    replica = nil
    let fresh = try world.disk(for: scenario)
    replica = try world.replica(for: scenario, on: fresh)
    fresh.heal()
    try world.run(scenario, with: &replica, on: fresh)
    operationCount = fresh.operationCount
    pointsByFault = Dictionary(
      uniqueKeysWithValues: FaultyDisk.Fault.allCases.map { fault in
        (fault, (1...fresh.operationCount).filter { fresh.applies(fault, to: $0) })
      })
    after = try FileContents(of: fresh)
    guard let replica else { throw InjectedFailure() }
    traceAfter = try replica.trace()
  }

  private let pointsByFault: [FaultyDisk.Fault: [Int]]

  /// The operations that a fault can strike.
  func points(of fault: FaultyDisk.Fault) -> [Int] { pointsByFault[fault] ?? [] }
}
