import Testing

@testable import RejoinTesting

struct ShrinkerTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `nothing can be left out of what remains`(seed: UInt64) throws {
    let report = PropertyTest(NeedsThree.self).run(seed: seed, cases: 2_000)
    let counterexample = try #require(report.counterexample)
    #expect(counterexample.isMinimal == true)
    // Two operations at one replica, and a crash at the other.
    #expect(counterexample.trace.rows.count == 3, "\(counterexample)")
    #expect(counterexample.trace.replicaCount == 2)
    #expect(counterexample.replayString.count <= 20)
  }

  @Test func `a history that could be smaller is not called minimal`() throws {
    let history = try #require(
      (0..<2_000).lazy.map { History<NeedsThree>(seed: $0, options: TestOptions()) }.first {
        $0.violation != nil && $0.steps.count > 6
      })
    var shrinker = try #require(Shrinker(history, options: TestOptions()))
    #expect(!shrinker.isMinimal())
    shrinker.run()
    #expect(shrinker.isMinimal())
  }

  @Test func `shrinking stops when its attempts are used up`() throws {
    let options = TestOptions(shrinkingAttempts: 3)
    let report = PropertyTest(NeedsThree.self, options: options).run(seed: 1, cases: 2_000)
    #expect(try #require(report.counterexample).origin.shrinkingAttempts <= 3)
  }

  @Test func `the replay string breaks the same promise in the same way`() throws {
    let found = try #require(PropertyTest(NeedsThree.self).run(seed: 1, cases: 2_000).counterexample)
    let replayed = try #require(throws: Counterexample.self) {
      try PropertyTest(NeedsThree.self).replay(found.replayString)
    }
    #expect(replayed.violation == found.violation)
    #expect(replayed.trace.rows == found.trace.rows)
    #expect(found.testCode.contains("PropertyTest(NeedsThree.self).replay(\"\(found.replayString)\")"))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `an operation of several parts keeps only those that matter`(seed: UInt64) throws {
    let report = PropertyTest(BreaksAtSeven.self).run(seed: seed, cases: 2_000)
    let counterexample = try #require(report.counterexample)
    #expect(counterexample.trace.rows.map(\.text) == ["A: [7]"], "\(counterexample)")
  }

  @Test func `every kind of edit is of use`() throws {
    // A history with a bit of everything: each pass has something to try, and whatever it tries is a history or not,
    // but never a trap.
    let history = try #require(
      (0..<10_000).lazy.map { History<NeedsThree>(seed: $0, options: TestOptions()) }.first { history in
        let kinds = Set(history.shape.steps.compactMap { history.shape.kind(of: $0) })
        return history.replicaCount == 3 && kinds.isSuperset(of: [.operate, .send, .deliver, .crash])
      })
    for pass in ShrinkingPass.allCases {
      let edits = pass.edits(of: history.shape)
      #expect(!edits.isEmpty, "\(pass)")
      for edited in edits { _ = History<NeedsThree>(replaying: edited, options: TestOptions()) }
    }
  }
}

/// Breaks when a message that knows of two operations arrives at a replica that has crashed.
struct NeedsThree: ReplicatedType {
  private var operations = 0
  private var hasCrashed = false
  private var isBroken = false

  init(replica number: Int, of count: Int) {}

  static var hasValueSemantics: Bool { false }
  static var messagesCarryEverything: Bool { false }

  func operation(_ choices: inout Choices) -> Int { choices.number(below: 10) }
  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { operations += 1 }
  mutating func message(to receiver: Int) -> Int? { operations }
  mutating func crash() { hasCrashed = true }

  mutating func merge(_ message: Int, from sender: Int, clockMilliseconds: Int64) -> Bool {
    if message > 1, hasCrashed { isBroken = true }
    return true
  }

  var observation: Bool { isBroken }
}

/// Breaks when one of the numbers that an operation consists of is 7.
struct BreaksAtSeven: ReplicatedType {
  private var isBroken = false

  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> [Int] {
    (0...choices.number(below: 3)).map { _ in choices.number(below: 8) }
  }
  mutating func apply(_ operation: [Int], clockMilliseconds: Int64) {
    if operation.contains(7) { isBroken = true }
  }
  mutating func message(to receiver: Int) -> Int? { nil }
  mutating func merge(_ message: Int, from sender: Int, clockMilliseconds: Int64) -> Bool { true }
  var observation: Bool { isBroken }
  static func expected(after operations: [[Int]]) -> Bool? { false }
}
