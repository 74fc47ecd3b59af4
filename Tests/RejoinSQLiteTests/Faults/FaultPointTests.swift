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
    // A rollback journal is the rare case: there every third operation will do, but for a soak.
    let isSparse = !world.sharesMemory && !Seeds.isSoak
    let points = course.points(of: fault).enumerated().filter { !isSparse || $0.offset % 3 == 0 }.map(
      \.element)
    let once = try points.filter { try strike(fault, at: $0, isLasting: false, of: course) }
    #expect(once == points)
    // A fault that lasts differs little from one that passes; a soak strikes with it everywhere, too.
    let chosen =
      fault.endsTheProcess
      ? [] : points.enumerated().filter { Seeds.isSoak || $0.offset % 4 == 0 }.map(\.element)
    let lasting = try chosen.filter { try strike(fault, at: $0, isLasting: true, of: course) }
    #expect(lasting == chosen)
    print(
      "\(scenario.rawValue), \(fault.rawValue)\(world.sharesMemory ? "" : ", rollback journal"):"
        + " \(once.count) of \(course.points(of: fault).count) points"
        + (fault.endsTheProcess ? "" : ", lasting at \(lasting.count)")
        + "; \(course.operationCount) operations")
  }

  private func strike(
    _ fault: FaultyDisk.Fault, at point: Int, isLasting: Bool, of course: FaultCourse
  ) throws -> Bool {
    try FaultTrial(course: course, fault: fault, point: point, isLasting: isLasting).run()
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
