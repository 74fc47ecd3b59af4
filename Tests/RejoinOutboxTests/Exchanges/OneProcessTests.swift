import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Two exchanges of one process at a time, which no lease keeps apart.
struct OneProcessTests {
  private let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
  private let server = ScriptedServer()
  private let outbox: Outbox

  init() {
    outbox = Outbox(Replica(configuration: ReplicaConfiguration(environment: environment.environment)))
    for number in 0..<9 { server.model.edit("jobs", "s\(number)", ["a": 1]) }
  }

  private func step(_ cycle: inout SyncCycle) throws -> Bool {
    guard let request = try cycle.next() else { return false }
    try cycle.receive(server.answer(request))
    return true
  }

  @Test func `two that fetch side by side both come to an end`() throws {
    var (one, two) = (outbox.cycle(), outbox.cycle())
    var isUnderWay = true
    while isUnderWay {
      let (left, right) = (try one.next(), try two.next())
      // Both have asked for the same page before either has it.
      if let left { try one.receive(server.answer(left)) }
      if let right { try two.receive(server.answer(right)) }
      isUnderWay = left != nil || right != nil
    }
    #expect(try outbox.replica.records(in: "jobs").count == 9)
    #expect(one.report.pull.rows + two.report.pull.rows == 9, "each row is taken in once")
  }

  @Test func `a page that was asked for before others were taken in does not move the cursor back`() throws {
    var late = outbox.cycle()
    let request = try #require(try late.next())
    let response = server.answer(request)
    _ = try server.run(outbox)
    server.model.edit("jobs", "s9", ["a": 1])
    try late.receive(response)
    #expect(late.report.pull.pages == 0)
    while try step(&late) {}
    #expect(late.report.pull.rows == 1, "it goes on where the others ended")
    let requests = server.requests
    #expect(try server.run(outbox).pull.rows == 0)
    #expect(server.requests == requests + 1)
  }

  @Test(arguments: 2...6, [false, true])
  func `a pull during which a collection is forgotten begins anew and comes to its end`(
    _ number: Int, _ isUnderWay: Bool
  ) throws {
    for number in 9..<21 { server.model.edit("jobs", "s\(number)", ["a": 1]) }
    var cycle = outbox.cycle()
    var requests = 0
    while let request = try cycle.next() {
      requests += 1
      let response = server.answer(request)
      if requests == number, isUnderWay { try outbox.resetCache(of: "jobs") }
      try cycle.receive(response)
      if requests == number, !isUnderWay { try outbox.resetCache(of: "jobs") }
    }
    #expect(requests == 7 + number)
    #expect(try outbox.replica.records(in: "jobs").count == 21)
  }

  @Test func `a page that is under way while a collection is forgotten is not taken in`() throws {
    _ = try server.run(outbox)
    server.model.edit("jobs", "s0", ["a": 2])
    var cycle = outbox.cycle()
    let response = server.answer(try #require(try cycle.next()))
    try outbox.resetCache(of: "jobs")
    try cycle.receive(response)
    while try step(&cycle) {}
    #expect(cycle.report.pull.rows == 9, "everything is fetched again")
  }
}
