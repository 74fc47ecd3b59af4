import Testing

@testable import RejoinTesting

/// Each oracle sees the fault that it is there for, and only that one.
struct OracleTests {
  @Test func `a sound type satisfies all oracles`() throws {
    try PropertyTest(Numbers<Sound>.self).check(seed: 1, cases: 300)
  }

  @Test func `convergence: replicas in which the first one wins do not show the same`() {
    let steps: [Step<Int>] = [.operate(replica: 0, 1), .operate(replica: 1, 2)]
    #expect(oracle(of: FirstWins.self, steps: steps, replicaCount: 2) == .convergence)
  }

  @Test func `idempotence: adding up what is merged counts twice`() {
    #expect(
      oracle(of: AddsUp.self, steps: [.operate(replica: 0, 1), .exchange(from: 0, to: 1)]) == .idempotence)
  }

  @Test func `commutativity: whoever comes first wins`() {
    let steps: [Step<Int>] = [
      .operate(replica: 0, 1), .operate(replica: 2, 2), .exchange(from: 0, to: 1),
    ]
    #expect(oracle(of: FirstWins.self, steps: steps) == .commutativity)
  }

  @Test func `associativity: it matters which two states merge first`() {
    let steps: [Step<Int>] = [
      .operate(replica: 0, 1), .operate(replica: 1, 2), .operate(replica: 2, 3), .exchange(from: 1, to: 0),
    ]
    #expect(oracle(of: MergesInPairs.self, steps: steps) == .associativity)
  }

  @Test func `associativity is judged as soon as the states are there: a message might hide it`() throws {
    var world = World<Numbers<MergesInPairs>>(replicaCount: 3)
    try world.perform(.operate(replica: 0, 1))
    try world.perform(.operate(replica: 1, 2))
    let violation = #expect(throws: Violation.self) { try world.perform(.operate(replica: 2, 3)) }
    #expect(violation?.oracle == .associativity)
  }

  @Test func `inflation: an operation that lowers the state is undone by an old one`() {
    #expect(oracle(of: Lowers.self, steps: [.operate(replica: 0, 2), .operate(replica: 0, 1)]) == .inflation)
  }

  @Test func `delta = state: a message leaves out what the receiver lacks`() {
    let steps: [Step<Int>] = [.operate(replica: 0, 1), .operate(replica: 0, 2), .exchange(from: 0, to: 1)]
    #expect(oracle(of: SendsOnlyTheLast.self, steps: steps) == .deltaEqualsState)
  }

  @Test func `sequential specification: one replica alone forgets`() {
    let steps: [Step<Int>] = [.operate(replica: 0, 1), .operate(replica: 0, 2)]
    #expect(oracle(of: ShowsOnlyTheFirst.self, steps: steps) == .sequential)
  }

  @Test func `causality: an operation vanishes although all replicas agree`() {
    let steps: [Step<Int>] = [.operate(replica: 0, 1), .operate(replica: 1, 2)]
    #expect(oracle(of: LosesConcurrentOnes.self, steps: steps) == .causal)
  }

  /// The oracle that speaks during these steps, or when everybody meets everybody.
  private func oracle<Flaw: NumbersFlaw>(of flaw: Flaw.Type, steps: [Step<Int>], replicaCount: Int = 3)
    -> Violation.Oracle?
  {
    var world = World<Numbers<Flaw>>(replicaCount: replicaCount)
    do throws(Violation) {
      for step in steps { try world.perform(step) }
      try world.settle()
      return nil
    } catch {
      return error.oracle
    }
  }
}

/// A grow-only set of small numbers, with room for one flaw.
struct Numbers<Flaw: NumbersFlaw>: ReplicatedType, Hashable {
  var state: [Int] = []

  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> Int { 1 + choices.number(below: 4) }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) {
    state = Flaw.applied(operation, to: state)
  }

  mutating func message(to receiver: Int) -> [Int]? { Flaw.message(of: state) }

  mutating func merge(_ message: [Int], from sender: Int, clockMilliseconds: Int64) -> Bool {
    state = Flaw.merged(state, message)
    return true
  }

  func merging(stateOf other: Self) -> Self? {
    var merged = self
    merged.state = Flaw.merged(state, other.state)
    return merged
  }

  var observation: [Int] { Flaw.shown(state) }

  static func expected(after operations: [Int]) -> [Int]? {
    Flaw.isSpecified ? Set(operations).sorted() : nil
  }

  static func objection(to observation: [Int], after past: Past<Int>) -> String? {
    guard Flaw.isSpecified else { return nil }
    let right = Set(past.operations).sorted()
    return observation == right ? nil : "\(right) were added"
  }
}

/// What a flaw may change; everything else is right.
protocol NumbersFlaw: Sendable {
  static var isSpecified: Bool { get }
  static func applied(_ number: Int, to state: [Int]) -> [Int]
  static func message(of state: [Int]) -> [Int]
  static func merged(_ one: [Int], _ other: [Int]) -> [Int]
  static func shown(_ state: [Int]) -> [Int]
}

extension NumbersFlaw {
  static var isSpecified: Bool { false }
  static func applied(_ number: Int, to state: [Int]) -> [Int] { Set(state + [number]).sorted() }
  static func message(of state: [Int]) -> [Int] { state }
  static func merged(_ one: [Int], _ other: [Int]) -> [Int] { Set(one + other).sorted() }
  static func shown(_ state: [Int]) -> [Int] { state }
}

enum Sound: NumbersFlaw {
  static var isSpecified: Bool { true }
}

enum AddsUp: NumbersFlaw {
  static func merged(_ one: [Int], _ other: [Int]) -> [Int] { [(one + other).reduce(0, +)] }
}

enum FirstWins: NumbersFlaw {
  static func merged(_ one: [Int], _ other: [Int]) -> [Int] { one.isEmpty ? other : one }
}

/// Keeps the larger of two, but 1 beats 2 and 3, and these two make 4.
enum MergesInPairs: NumbersFlaw {
  static func merged(_ one: [Int], _ other: [Int]) -> [Int] {
    let (one, other) = (one.max() ?? 0, other.max() ?? 0)
    return switch (min(one, other), max(one, other)) {
    case (1, 2), (1, 3): [1]
    case (2, 3): [4]
    case (_, let larger): [larger]
    }
  }
}

/// The larger number wins, whatever was written last.
enum Lowers: NumbersFlaw {
  static func applied(_ number: Int, to state: [Int]) -> [Int] { [number] }
  static func merged(_ one: [Int], _ other: [Int]) -> [Int] { [max(one.max() ?? 0, other.max() ?? 0)] }
}

enum SendsOnlyTheLast: NumbersFlaw {
  static func message(of state: [Int]) -> [Int] { Array(state.suffix(1)) }
}

enum ShowsOnlyTheFirst: NumbersFlaw {
  static var isSpecified: Bool { true }
  static func shown(_ state: [Int]) -> [Int] { Array(state.prefix(1)) }
}

/// Keeps the longer of two lists as it is.
enum LosesConcurrentOnes: NumbersFlaw {
  static var isSpecified: Bool { true }
  static func merged(_ one: [Int], _ other: [Int]) -> [Int] {
    if one.count != other.count { return one.count < other.count ? other : one }
    return one.lexicographicallyPrecedes(other) ? other : one
  }
}
