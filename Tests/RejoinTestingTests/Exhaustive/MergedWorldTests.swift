import MutantZoo
import Testing

@testable import RejoinTesting

/// Going on from equal worlds only once leaves nothing out.
struct MergedWorldTests {
  private static let bounds: [ExhaustiveBounds] = [
    ExhaustiveBounds(replicas: 2, operations: 2, deliveries: 2),
    ExhaustiveBounds(replicas: 3, operations: 9, deliveries: 9, steps: 2),
    ExhaustiveBounds(
      replicas: 2, operations: 1, deliveries: 1, incidents: 2,
      faults: [.reordering, .duplication, .loss]),
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
    expectAgreement(FallsSilent.self, bounds)
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

/// A grow-only set whose message says nothing when another one was sent before, or two crashes came before: one world
/// is reached soonest by a message, which the bounds may not allow for twice, and otherwise by two incidents.
private struct FallsSilent: ReplicatedType, Hashable {
  private var elements: Set<Int> = []
  private var halves = 0

  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> Int { 1 }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { elements.insert(operation) }

  mutating func message(to receiver: Int) -> Set<Int>? {
    defer { halves += 2 }
    return halves == 2 ? [] : elements
  }

  mutating func merge(_ message: Set<Int>, from sender: Int, clockMilliseconds: Int64) -> Bool {
    elements.formUnion(message)
    return true
  }

  func merging(stateOf other: FallsSilent) -> FallsSilent? {
    var merged = self
    merged.elements.formUnion(other.elements)
    return merged
  }

  mutating func crash() { halves += 1 }

  var observation: Set<Int> { elements }
}
