/// A walk through everything that some code can draw, depth first: from run to run, the last draw that has another
/// value takes it, and those behind it start afresh.
struct Enumeration: Sendable {
  private struct Draw: Sendable {
    var value: Int
    var next: Int?
  }

  /// How many values other draws than those of a step's kind, replica or message have at most, the first ones.
  let values: Int

  /// What the first draws of this run must be.
  private var prefix: [Int] = []
  private var drawn: [Draw] = []

  /// Whether something had to be drawn of which nothing is possible: this run stands for nothing.
  private(set) var isDeadEnd = false

  /// How many draws a run has at most: some generators draw for as long as they are not content.
  static let mostDraws = 32

  init(values: Int = .max) {
    self.values = values
  }

  /// The value of the next draw of this run.
  mutating func draw(below bound: Int, where isPossible: (Int) -> Bool) -> Int {
    func first(from start: Int) -> Int? { (start..<max(start, bound, 1)).first(where: isPossible) }
    guard let value = drawn.count < prefix.count ? prefix[drawn.count] : first(from: 0), !isDeadEnd else {
      isDeadEnd = true
      return 0
    }
    drawn.append(Draw(value: value, next: first(from: value + 1)))
    return value
  }

  /// This run has too many draws, and stands for nothing.
  mutating func giveUp() { isDeadEnd = true }

  /// Begins the next run; false when there is none.
  mutating func advance() -> Bool {
    while let last = drawn.popLast() {
      guard let next = last.next else { continue }
      prefix = drawn.map(\.value) + [next]
      drawn = []
      isDeadEnd = false
      return true
    }
    return false
  }
}

extension Choices {
  /// What some code makes of everything that it can draw, with the choices that led there, in their lexicographic
  /// order.
  ///
  /// - Complexity: one run of the code for each combination of values.
  static func all<Result>(
    values: Int = .max, _ draw: (inout Choices) -> Result
  ) -> [(result: Result, choices: [UInt64])] {
    var results: [(result: Result, choices: [UInt64])] = []
    var enumeration = Enumeration(values: values)
    repeat {
      var choices = Choices(enumerating: enumeration)
      let result = draw(&choices)
      enumeration = choices.enumeration ?? enumeration
      if !enumeration.isDeadEnd { results.append((result, choices.made.map(\.value))) }
    } while enumeration.advance()
    return results
  }
}
