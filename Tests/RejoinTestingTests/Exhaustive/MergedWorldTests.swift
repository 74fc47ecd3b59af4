import MutantZoo
import Testing

@testable import RejoinTesting

/// Going on from equal worlds only once leaves nothing out.
struct MergedWorldTests {
  private static let bounds: [ExhaustiveBounds] = [
    ExhaustiveBounds(replicas: 2, operations: 2, deliveries: 2),
    ExhaustiveBounds(replicas: 3, operations: 9, deliveries: 9, steps: 2),
    ExhaustiveBounds(
      replicas: 2, operations: 1, deliveries: 1, incidents: 2, faults: [.reordering, .duplication]),
    ExhaustiveBounds(replicas: 2, operations: 1, deliveries: 1, incidents: 2, faults: .crashes, values: 1),
    ExhaustiveBounds(replicas: 2, operations: 1, deliveries: 1, incidents: 1, faults: .all, values: 1),
  ]

  @Test(arguments: bounds)
  func `sound types: as many histories as there are one by one`(bounds: ExhaustiveBounds) {
    expectAgreement(AddWinsSet<Sound>.self, bounds)
    expectAgreement(Forgetful<Sound>.self, bounds)
  }

  @Test(arguments: bounds)
  func `flawed types: the same verdict after as many steps as one by one`(bounds: ExhaustiveBounds) {
    expectAgreement(TieByArrival<Mutant>.self, bounds)
    expectAgreement(Numbers<AddsUp>.self, bounds)
    expectAgreement(Numbers<FirstWins>.self, bounds)
    expectAgreement(Numbers<MergesInPairs>.self, bounds)
    expectAgreement(Numbers<Lowers>.self, bounds)
    expectAgreement(Numbers<SendsOnlyTheLast>.self, bounds)
    expectAgreement(Numbers<ShowsOnlyTheFirst>.self, bounds)
    expectAgreement(Numbers<LosesConcurrentOnes>.self, bounds)
    expectAgreement(Forgetful<NeverSaves>.self, bounds)
  }

  private func expectAgreement<Subject: ReplicatedType & Hashable>(
    _ type: Subject.Type, _ bounds: ExhaustiveBounds
  ) where Subject.Operation: Hashable, Subject.Message: Hashable {
    let all = AllHistories<Subject>(bounds: bounds)
    let report = ExhaustiveTest(type, bounds: bounds).run()
    #expect(report.scheduleCount == UInt128(all.count), "\(type)")
    #expect(report.counterexample?.trace.rows.count == all.shortestFailure, "\(type)")
  }
}
