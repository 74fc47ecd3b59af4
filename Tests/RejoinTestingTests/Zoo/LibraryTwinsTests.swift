import LibrarySubjects
import MutantZoo
import RejoinTesting
import Testing

/// The library's counters and sets, held against what the zoo's are meant to be: in the very histories by which the
/// zoo's mutants are caught.
struct LibraryTwinsTests {
  @Test(arguments: TestSeeds.seeds(3))
  func `a counter with resets keeps all promises`(seed: UInt64) throws {
    try PropertyTest(LibraryCounter.self).check(seed: seed)
  }

  @Test(arguments: TestSeeds.seeds(3))
  func `a set with additions again keeps all promises`(seed: UInt64) throws {
    try PropertyTest(LibrarySet.self).check(seed: seed)
  }

  @Test func `no history of few steps breaks a promise`() {
    let bounds = ExhaustiveBounds(replicas: 2, operations: 4, deliveries: 2, steps: 5)
    let counter = ExhaustiveTest(LibraryCounter.self, bounds: bounds).run()
    #expect(counter.counterexample == nil)
    let set = ExhaustiveTest(LibrarySet.self, bounds: bounds).run()
    #expect(set.counterexample == nil)
  }
}
