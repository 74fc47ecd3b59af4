import RejoinTesting
import Testing

/// What a failure says of itself, where the type under test misbehaves.
struct HonestyTests {
  @Test func `a type that does not do the same twice is told so`() throws {
    let counterexample = try #require(
      PropertyTest(Moody.self).run(seed: 1, cases: 100).counterexample)
    #expect(!counterexample.isReproducible)
    #expect(counterexample.isMinimal == false)
    #expect(counterexample.description.contains("does not break the same promise each time"))
  }

  @Test func `a type without value semantics is told so`() {
    let violation = PropertyTest(Shared.self).run(seed: 1, cases: 100).counterexample?.violation
    #expect(violation?.oracle == .valueSemantics)
  }

  @Test func `an observation that is not equal to itself is named`() {
    let violation = PropertyTest(Nameless.self).run(seed: 1, cases: 10).counterexample?.violation
    #expect(violation?.reason.contains("not even equal to itself") == true)
  }

  @Test func `the printed test names a nested type as it is written`() throws {
    let counterexample = try #require(
      PropertyTest(Outer.Nested<Outer.Flaw>.self).run(seed: 1, cases: 100).counterexample)
    #expect(counterexample.typeName == "Outer.Nested<Outer.Flaw>")
    #expect(counterexample.testCode.contains("PropertyTest(Outer.Nested<Outer.Flaw>.self)"))
  }

  @Test(arguments: ["1AAAH", "1CACA", "1____________P"])
  func `a replay string of another generator or of more replicas is refused`(text: String) {
    let test = PropertyTest(Outer.Nested<Outer.Flaw>.self, options: TestOptions(replicas: 2))
    #expect(throws: ReplayError.self) { try test.replay(text) }
  }

  @Test func `a replay string of more steps than a history may have is refused`() throws {
    let text = "1B" + String(repeating: "AAA", count: 3)
    let type = Outer.Nested<Outer.Flaw>.self
    try PropertyTest(type, options: TestOptions(steps: 3)).replay(text)
    #expect(throws: ReplayError.unfit) {
      try PropertyTest(type, options: TestOptions(steps: 2)).replay(text)
    }
  }

  @Test func `no test is empty`() {
    #expect(PropertyTest(Outer.Nested<Outer.Flaw>.self).run(seed: 1, cases: -1).caseCount == 1)
  }
}

/// Keeps what arrives, or not.
private struct Moody: StateBased {
  private var elements: Set<Int> = []

  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> Int { choices.number(below: 50) }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { elements.insert(operation) }

  mutating func merge(_ other: Moody) { if Bool.random() { elements.formUnion(other.elements) } }

  var observation: [Int] { elements.sorted() }
}

/// A structure around a class, and nobody says so.
private struct Shared: StateBased {
  private final class Storage: @unchecked Sendable {
    var elements: Set<Int> = []
  }

  private let storage = Storage()

  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> Int { choices.number(below: 50) }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { storage.elements.insert(operation) }

  mutating func merge(_ other: Shared) { storage.elements.formUnion(other.storage.elements) }

  var observation: [Int] { storage.elements.sorted() }
}

/// Shows what is equal to nothing.
private struct Nameless: StateBased {
  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> Int { 0 }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) {}

  mutating func merge(_ other: Nameless) {}

  var observation: Double { .nan }
}

enum Outer {
  enum Flaw {}

  /// The first value wins.
  struct Nested<Name>: StateBased {
    private var value = 0

    init(replica number: Int, of count: Int) {}

    func operation(_ choices: inout Choices) -> Int { choices.number(below: 3) }

    mutating func apply(_ operation: Int, clockMilliseconds: Int64) { if value == 0 { value = operation } }

    mutating func merge(_ other: Nested) { if value == 0 { value = other.value } }

    var observation: Int { value }
  }
}
