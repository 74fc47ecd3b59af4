import Testing

@testable import RejoinTesting

struct EnumerationTests {
  @Test func `all combinations of what can be drawn come up once, in order`() {
    let drawn = Choices.all { choices in
      let first = choices.number(below: 3)
      // How many more are drawn depends on the first one.
      return (0..<first).map { _ in choices.number(in: 5...6) }
    }
    #expect(drawn.map(\.result) == [[], [5], [6], [5, 5], [5, 6], [6, 5], [6, 6]])
    #expect(drawn.map(\.choices) == [[0], [1, 0], [1, 1], [2, 0, 0], [2, 0, 1], [2, 1, 0], [2, 1, 1]])
  }

  @Test func `only what is possible comes up`() {
    #expect(Choices.all { $0.happens(percent: 0) }.map(\.result) == [false])
    #expect(Choices.all { $0.happens(percent: 50) }.map(\.result) == [false, true])
    #expect(Choices.all { $0.happens(percent: 100) }.map(\.result) == [true])
    #expect(Choices.all { $0.replica(below: 3, from: 2, where: { $0 != 1 }) }.map(\.result) == [0, 2])
    #expect(Choices.all { $0.index(weights: [0, 4, 0, 1], role: .step) }.map(\.result) == [1, 3])
  }

  @Test func `where nothing is possible, nothing comes up, whatever would be drawn next`() {
    let drawn = Choices.all { choices in
      [
        choices.number(below: 2), choices.replica(below: 1, from: 1, where: { $0 != 0 }),
        choices.number(below: 2),
      ]
    }
    #expect(drawn.isEmpty)
  }

  @Test func `a limit cuts the values of a draw, but neither replicas nor messages`() {
    #expect(Choices.all(values: 2) { $0.number(in: 7...99) }.map(\.result) == [7, 8])
    #expect(Choices.all(values: 2) { $0.replica(below: 3) }.count == 3)
    #expect(Choices.all(values: 2) { $0.message(below: 4, where: { _ in true }) }.count == 4)
  }

  @Test func `what came up is what a replay of its choices draws`() {
    let draw = { (choices: inout Choices) in
      (choices.number(below: 3), choices.happens(percent: 10), choices.element(of: ["a", "b"]))
    }
    let drawn = Choices.all(draw)
    #expect(drawn.count == 12)
    for (result, values) in drawn {
      var choices = Choices(replaying: ChoiceSequence(values))
      #expect(draw(&choices) == result)
    }
  }
}
