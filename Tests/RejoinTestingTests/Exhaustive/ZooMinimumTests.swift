import MutantZoo
import RejoinTesting
import Testing

struct ZooMinimumTests {
  /// Those with short minima: the others would take long in a debug build, and are left to the example that prints
  /// them all.
  private static let exhibits = Zoo.exhibits.filter { $0.minimum <= 2 }

  @Test(arguments: exhibits.map(\.name))
  func `a mutant breaks a promise in as few steps as the zoo states, and in no fewer`(name: String) throws {
    let exhibit = try #require(Self.exhibits.first { $0.name == name })
    let faults = TestOptions.Faults.all.subtracting(.clocks)
    let bounds = ExhaustiveBounds(operations: 2, deliveries: 2, incidents: 2, faults: faults, steps: 2)
    #expect(exhibit.tryMutant(bounds).counterexample?.trace.rows.count == exhibit.minimum)
    #expect(exhibit.tryTwin(bounds).counterexample == nil)
  }
}
