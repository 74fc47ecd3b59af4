import RejoinTesting
import Testing

/// A generator that draws more where there is more: leaving out a step changes what the later ones ask for.
struct StateDependentTests {
  @Test(arguments: 0..<30 as Range<UInt64>)
  func `is shrunk as far as any other`(seed: UInt64) throws {
    let counterexample = try #require(
      PropertyTest(CausalBroadcast<Text>.self).run(seed: seed, cases: 500).counterexample)
    #expect(counterexample.trace.rows.count == 2, "\(counterexample)")
    #expect(counterexample.isMinimal == true)
  }
}

/// A text in which two letters that were inserted at one place and time stand as they arrived.
///
/// Source: the replicated growable array of Roh, Jeon, Kim, Lee (2011), with that fault.
private struct Text: OperationBased {
  enum Operation: Sendable {
    case insert(at: Int, String), delete(at: Int)
  }

  enum Effect: Sendable {
    case insert(Letter, after: Int?), delete(Int?)
  }

  struct Letter: Sendable {
    var id: Int
    var time: Int
    var text: String
    var isDeleted = false
  }

  private let number: Int
  private var time = 0
  private var letters: [Letter] = []

  init(replica number: Int, of count: Int) { self.number = number }

  private var visible: [Letter] { letters.filter { !$0.isDeleted } }

  func operation(_ choices: inout Choices) -> Operation {
    if !visible.isEmpty, choices.happens(percent: 30) {
      return .delete(at: choices.number(below: visible.count))
    }
    return .insert(at: choices.number(below: visible.count + 1), choices.element(of: ["x", "y", "z"]))
  }

  func prepare(_ operation: Operation, clockMilliseconds: Int64) -> Effect {
    let visible = visible
    switch operation {
    case .insert(let place, let text):
      let before = place == 0 ? nil : visible.prefix(place).last?.id
      return .insert(Letter(id: (time + 1) * 10 + number, time: time + 1, text: text), after: before)
    case .delete(let place): return .delete(visible.indices.contains(place) ? visible[place].id : nil)
    }
  }

  mutating func perform(_ effect: Effect) {
    switch effect {
    case .insert(let letter, let before):
      time = max(time, letter.time)
      var place = before.flatMap { id in letters.firstIndex { $0.id == id } }.map { $0 + 1 } ?? 0
      while place < letters.count, letters[place].time > letter.time { place += 1 }
      letters.insert(letter, at: place)
    case .delete(let id):
      if let place = letters.firstIndex(where: { $0.id == id }) { letters[place].isDeleted = true }
    }
  }

  var observation: String { visible.map(\.text).joined() }
}
