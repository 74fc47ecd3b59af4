import RejoinTesting
import Testing

/// Loss and repetition without reordering: links that lose and repeat, and still keep the order.
struct OrderedLinkTests {
  @Test func `what is sent only once is missed where messages are lost`() {
    let test = PropertyTest(SendsOnce.self, options: TestOptions(faults: .loss))
    #expect(test.run(seed: 0, cases: 1_000).counterexample?.violation.oracle == .convergence)
  }

  @Test func `what is added up is noticed where messages arrive twice`() {
    let test = PropertyTest(CountsTwice.self, options: TestOptions(faults: .duplication))
    #expect(test.run(seed: 0, cases: 1_000).counterexample?.violation.oracle == .convergence)
  }

  @Test(arguments: [TestOptions.Faults.loss, .duplication, [.loss, .duplication]])
  func `messages on one link do not overtake each other`(faults: TestOptions.Faults) throws {
    try PropertyTest(NoticesDisorder.self, options: TestOptions(faults: faults)).check(seed: 0, cases: 500)
  }

  @Test func `and do where they may`() {
    let test = PropertyTest(NoticesDisorder.self, options: TestOptions(faults: .reordering))
    #expect(test.run(seed: 0, cases: 500).counterexample != nil)
  }
}

/// Sends each element once to everybody, and never again.
private struct SendsOnce: ReplicatedType {
  private var elements: Set<Int> = []
  private var sent: [Int: Set<Int>] = [:]

  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> Int { choices.number(below: 5) }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { elements.insert(operation) }

  mutating func message(to receiver: Int) -> [Int]? {
    let new = elements.subtracting(sent[receiver] ?? [])
    sent[receiver, default: []].formUnion(new)
    return new.isEmpty ? nil : new.sorted()
  }

  mutating func merge(_ message: [Int], from sender: Int, clockMilliseconds: Int64) -> Bool {
    elements.formUnion(message)
    return true
  }

  var observation: [Int] { elements.sorted() }

  static var hasValueSemantics: Bool { false }
  static var messagesCarryEverything: Bool { false }
}

/// Sends what it has counted since the last time, which the receiver adds.
private struct CountsTwice: ReplicatedType {
  private var counts: [Int]
  private var sent: [[Int]]
  private let number: Int

  init(replica number: Int, of count: Int) {
    self.number = number
    counts = Array(repeating: 0, count: count)
    sent = Array(repeating: counts, count: count)
  }

  func operation(_ choices: inout Choices) -> Int { 1 }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { counts[number] += 1 }

  mutating func message(to receiver: Int) -> Int? {
    let new = counts[number] - sent[receiver][number]
    sent[receiver][number] = counts[number]
    return new == 0 ? nil : new
  }

  mutating func merge(_ message: Int, from sender: Int, clockMilliseconds: Int64) -> Bool {
    counts[sender] += message
    return true
  }

  var observation: [Int] { counts }

  static var hasValueSemantics: Bool { false }
  static var messagesCarryEverything: Bool { false }
}

/// Numbers its messages, and shows when a smaller number comes after a larger one from the same sender.
private struct NoticesDisorder: ReplicatedType {
  private var sent: [Int: Int] = [:]
  private var received: [Int: Int] = [:]
  private var isDisordered = false

  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> Int { 1 }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) {}

  mutating func message(to receiver: Int) -> Int? {
    sent[receiver, default: 0] += 1
    return sent[receiver]
  }

  mutating func merge(_ message: Int, from sender: Int, clockMilliseconds: Int64) -> Bool {
    if message < received[sender] ?? 0 { isDisordered = true }
    received[sender] = message
    return true
  }

  var observation: Bool { isDisordered }

  static func objection(to observation: Bool, after past: Past<Int>) -> String? {
    observation ? "a message overtook another one" : nil
  }

  static var hasValueSemantics: Bool { false }
}
