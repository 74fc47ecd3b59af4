import MutantZoo
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

  @Test func `a step goes when it only makes up for who is who`() throws {
    // A writes twice so that its stamp beats B's; B's beats A's at once.
    let sequence = try #require(ChoiceSequence("1BAAAAABBABABA"))
    let history = History<ClockNotRaised<Mutant>>(replaying: sequence, options: TestOptions())
    #expect(history.steps.count == 4)
    var shrinker = try #require(Shrinker(history, options: TestOptions()))
    shrinker.run()
    #expect(shrinker.best.steps.count == 3)
  }

  @Test func `whoever changes places, there is a step less`() {
    let twoAtTwo = ChoiceSequence([1, 0, 0, 1, 0, 1, 2])
    let shape = History<BreaksAtThree>(replaying: twoAtTwo, options: TestOptions()).shape
    let edits = ShrinkingPass.deleteAndRename.edits(of: shape)
    #expect(edits.map(\.values) == [[1, 0, 1, 1], [1, 0, 0, 2]])
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
