import MutantZoo
import Testing

@testable import RejoinTesting

struct ExhaustiveTests {
  @Test func `a register in which arrival decides fails after two writes and no sooner`() throws {
    let report = ExhaustiveTest(TieByArrival<Mutant>.self).run()
    let counterexample = try #require(report.counterexample)
    #expect(counterexample.trace.rows.map(\.text) == ["A: set(1)", "B: set(2)"])
    #expect(counterexample.violation.oracle == .convergence)
    #expect(counterexample.isMinimal == true)
    #expect(throws: Counterexample.self) {
      try PropertyTest(TieByArrival<Mutant>.self).replay(counterexample.replayString)
    }
    #expect(throws: Counterexample.self) { try ExhaustiveTest(TieByArrival<Mutant>.self).check() }
  }

  @Test func `its right twin keeps all promises in every history, and all of them are counted`() {
    let bounds = ExhaustiveBounds(replicas: 3, operations: 2, deliveries: 3)
    let report = ExhaustiveTest(TieByArrival<Right>.self, bounds: bounds).run()
    #expect(report.counterexample == nil)
    #expect(report.alphabet == ["set(1)", "set(2)"])
    #expect(report.scheduleCount == histories(replicas: 1...3, operations: 2, deliveries: 3, alphabet: 2))
    #expect(report.stateCount < Int(report.scheduleCount) / 100)
  }

  @Test func `a set that keeps what both show fails after six steps`() throws {
    let bounds = ExhaustiveBounds(operations: 4, deliveries: 2)
    let report = ExhaustiveTest(AddWinsSet<KeepsWhatBothShow>.self, bounds: bounds).run()
    let counterexample = try #require(report.counterexample)
    #expect(counterexample.trace.rows.count == 6)
    #expect(counterexample.isMinimal == true)
    #expect(report.scheduleCount > 5 * UInt128(report.stateCount))
  }

  @Test func `more histories than can be counted are as many as can be`() {
    let bounds = ExhaustiveBounds(replicas: 3, operations: 0, deliveries: 60)
    let report = ExhaustiveTest(AddWinsSet<Sound>.self, bounds: bounds).run()
    #expect(report.scheduleCount == .max)
    #expect(report.stateCount == 3)
  }

  /// So many histories of an alphabet that is everywhere and always the same.
  private func histories(
    replicas: ClosedRange<Int>, operations: Int, deliveries: Int, alphabet: Int
  ) -> UInt128 {
    var sum = 0
    for replicas in replicas {
      for operations in 0...operations {
        for deliveries in 0...deliveries {
          // The operations may lie anywhere among the steps; each is one of the alphabet at one of the replicas, and
          // each message goes from one replica to another one.
          let orders = binomial(operations + deliveries, operations)
          let operated = power(replicas * alphabet, operations)
          sum += orders * operated * power(replicas * (replicas - 1), deliveries)
        }
      }
    }
    return UInt128(sum)
  }

  private func binomial(_ all: Int, _ some: Int) -> Int {
    (0..<some).reduce(1) { $0 * (all - $1) / ($1 + 1) }
  }

  private func power(_ base: Int, _ exponent: Int) -> Int {
    (0..<exponent).reduce(1) { power, _ in power * base }
  }
}
