import RejoinTesting
import TestSupport
import Testing

@testable import RejoinTesting

struct ChoiceSequenceTests {
  @Test func `a replay string reads back as the sequence it was made of`() {
    var generator = Choices(seed: 1)
    for length in 0..<200 {
      let values = (0..<length % 40).map { _ in
        let shift = generator.number(below: 64)
        return UInt64(generator.number(below: .max)) >> UInt64(shift)
      }
      let sequence = ChoiceSequence(values + [.max, 0, 31, 32])
      #expect(ChoiceSequence(sequence.description) == sequence)
    }
  }

  @Test func `small choices take one character each`() {
    #expect(ChoiceSequence([0, 1, 31]).description == "1ABf")
    #expect(ChoiceSequence([32]).description == "1gB")
  }

  @Test(arguments: [
    "", "A", "2A", "1A!", "1g", "1é", "1A A", "1" + String(repeating: "_", count: 13) + "A", "1\u{0}",
  ])
  func `what is no replay string is refused`(text: String) {
    #expect(ChoiceSequence(text) == nil)
    #expect(throws: ReplayError.malformed) { try PropertyTest(Silent.self).replay(text) }
  }

  @Test func `a replay string that ends within a step says so`() {
    #expect(throws: ReplayError.unfit) { try PropertyTest(Silent.self).replay("1BA") }
  }

  @Test func `a replay string of no steps is a history without steps`() throws {
    try PropertyTest(Silent.self).replay("1B")
  }

  @Test func `whatever is replayed, it ends with a verdict`() {
    var generator = Choices(seed: 2)
    for _ in 0..<2_000 {
      let values = (0..<generator.number(below: 20)).map { _ in UInt64(generator.number(below: 40)) }
      let history = History<Silent>(replaying: ChoiceSequence(values + [.max]), options: TestOptions())
      #expect(history.violation == nil)
      #expect(history.replicaCount <= 3)
    }
  }
}

struct ChoicesTests {
  @Test func `what was drawn at random is drawn again from the record`() {
    var random = Choices(seed: 7)
    let drawn = Self.draw(&random)
    var replayed = Choices(replaying: ChoiceSequence(random.made.map(\.value)))
    #expect(Self.draw(&replayed) == drawn)
    #expect(replayed.isAtEnd)
    #expect(!replayed.isOverrun)
  }

  @Test func `a choice that is out of range is brought into it, and so recorded`() {
    var choices = Choices(replaying: ChoiceSequence([7, 12]))
    #expect(choices.number(below: 5) == 2)
    #expect(choices.number(in: 10...13) == 10)
    #expect(choices.made.map(\.value) == [2, 0])
  }

  @Test func `asking beyond the end is noticed`() {
    var choices = Choices(replaying: ChoiceSequence([1]))
    _ = choices.number(below: 2)
    #expect(!choices.isOverrun)
    _ = choices.number(below: 2)
    #expect(choices.isOverrun)
  }

  @Test func `what weighs nothing is never drawn at random`() {
    var choices = Choices(seed: 3)
    let drawn = Set((0..<500).map { _ in choices.index(weights: [0, 3, 0, 1], role: .value) })
    #expect(drawn == [1, 3])
  }

  private static func draw(_ choices: inout Choices) -> [Int] {
    (0..<50).flatMap { _ in
      [
        choices.number(below: 10), choices.number(in: 3...5), choices.element(of: [7, 8, 9]),
        choices.happens(percent: 30) ? 1 : 0,
      ]
    }
  }
}
