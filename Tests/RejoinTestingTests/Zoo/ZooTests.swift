import MutantZoo
import RejoinTesting
import Testing

struct ZooTests {
  @Test func `every classic fault has an exhibit, and every exhibit its own name`() {
    let names = Zoo.exhibits.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(Set(names.map { $0.filter { $0 != "'" } }) == Set((1...16).map { "M\($0)" }))
  }

  @Test(arguments: Zoo.exhibits, TestSeeds.seeds(3))
  func `a mutant is caught, and its history is at most one step too long`(
    exhibit: Zoo.Exhibit, seed: UInt64
  ) throws {
    let report = exhibit.testMutant(seed, TestSeeds.caseCount)
    let counterexample = try #require(report.counterexample)
    let steps = counterexample.trace.rows.count
    #expect((exhibit.minimum...exhibit.minimum + 1).contains(steps), "\(counterexample)")
    #expect(counterexample.isMinimal == true, "\(counterexample)")
  }

  @Test(arguments: Zoo.exhibits.filter { $0.minimum < 4 })
  func `no shorter history than the minimum breaks a promise`(exhibit: Zoo.Exhibit) {
    #expect(exhibit.tryMutant(exhibit.shortest).counterexample?.trace.rows.count == exhibit.minimum)
    if exhibit.minimum < 3 { #expect(exhibit.tryTwin(exhibit.shortest).counterexample == nil) }
  }

  @Test(arguments: Zoo.exhibits, TestSeeds.seeds(1))
  func `a right twin raises no alarm`(exhibit: Zoo.Exhibit, seed: UInt64) {
    let report = exhibit.testTwin(seed, TestSeeds.cases(300))
    #expect(report.caseCount == TestSeeds.cases(300))
    if let alarm = report.counterexample { Issue.record("\(alarm)") }
  }
}
