import RejoinTesting
import Testing

struct PropertyTests {
  @Test(arguments: TestSeeds.seeds(3))
  func `the counter keeps its promises`(seed: UInt64) throws {
    try PropertyTest(Counter<LargerCount>.self).check(seed: seed)
  }

  @Test(arguments: TestSeeds.seeds(3))
  func `a counter that adds up what it merges is caught`(seed: UInt64) throws {
    #expect(throws: Counterexample.self) { try check(Counter<SummedCount>.self, seed: seed) }
  }

  @Test(arguments: TestSeeds.seeds(3))
  func `the register keeps its promises`(seed: UInt64) throws {
    try PropertyTest(Register<LamportClock>.self).check(seed: seed)
  }

  @Test(arguments: TestSeeds.seeds(3))
  func `a register that trusts the wall clock is caught`(seed: UInt64) throws {
    #expect(throws: Counterexample.self) { try check(Register<WallClock>.self, seed: seed) }
  }

  /// Attaches the smallest history that breaks a promise to the test.
  private func check<Subject: ReplicatedType>(_ type: Subject.Type, seed: UInt64) throws {
    do {
      try PropertyTest(type).check(seed: seed)
    } catch {
      Attachment.record(error.description, named: "\(type), seed \(seed).txt")
      Attachment.record(error.picture, named: "\(type), seed \(seed).svg")
      throw error
    }
  }
}
