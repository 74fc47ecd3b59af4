import Testing

@testable import RejoinTesting

struct ReplacingTests {
  @Test func `a step goes when another one can do its work`() throws {
    // Neither of the two can go alone, and no value can be smaller.
    let oneAndTwo = ChoiceSequence([0, 0, 0, 1, 0, 0, 2])
    let history = History<BreaksAtThree>(replaying: oneAndTwo, options: TestOptions())
    #expect(history.steps.count == 2)
    var shrinker = try #require(Shrinker(history, options: TestOptions()))
    shrinker.run()
    #expect(shrinker.best.sequence == ChoiceSequence([0, 0, 0, 3]))
  }

  @Test func `whatever is replaced, there is a step less`() {
    let oneAndTwo = ChoiceSequence([0, 0, 0, 1, 0, 0, 2])
    let shape = History<BreaksAtThree>(replaying: oneAndTwo, options: TestOptions()).shape
    let edits = ShrinkingPass.deleteAndReplace.edits(of: shape)
    let expected: [[UInt64]] = [0, 2, 3, 0, 1, 3].map { [0, 0, 0, $0] }
    #expect(edits.map(\.values) == expected)
  }

  @Test func `a step goes when others need fewer at another replica`() throws {
    // The third can go only if both of the others happen elsewhere.
    let threeAtA = ChoiceSequence([1, 0, 0, 0, 0, 0, 0])
    let history = History<BreaksSoonerAtB>(replaying: threeAtA, options: TestOptions())
    #expect(history.steps.count == 3)
    var shrinker = try #require(Shrinker(history, options: TestOptions()))
    shrinker.run()
    #expect(shrinker.best.sequence == ChoiceSequence([1, 0, 1, 0, 1]))
  }
}

/// Breaks when A has done something three times, or B twice.
private struct BreaksSoonerAtB: ReplicatedType {
  /// Nobody expects replicas to show the same.
  struct Count: Equatable, Sendable {
    var rest: Int

    static func == (left: Count, right: Count) -> Bool { true }
  }

  private var rest: Int

  init(replica number: Int, of count: Int) { rest = 3 - number }

  func operation(_ choices: inout Choices) -> Int { 0 }
  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { rest -= 1 }
  mutating func message(to receiver: Int) -> Int? { nil }
  mutating func merge(_ message: Int, from sender: Int, clockMilliseconds: Int64) -> Bool { true }

  var observation: Count { Count(rest: rest) }

  static func objection(to observation: Count, after past: Past<Int>) -> String? {
    observation.rest == 0 ? "enough" : nil
  }
}

/// Breaks when the sum of all operations is three.
private struct BreaksAtThree: ReplicatedType {
  private var sum = 0

  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> Int { choices.number(below: 4) }
  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { sum += operation }
  mutating func message(to receiver: Int) -> Int? { nil }
  mutating func merge(_ message: Int, from sender: Int, clockMilliseconds: Int64) -> Bool { true }

  var observation: Int { sum }

  static func objection(to observation: Int, after past: Past<Int>) -> String? {
    observation == 3 ? "three" : nil
  }
}
