import Testing

@testable import RejoinTesting

/// Right protocols that take their time, and types that draw in unusual ways: nobody is accused.
struct SlowProtocolTests {
  @Test func `a pull in three phases is waited for`() throws {
    try PropertyTest(ThreePhases.self).check(seed: 1, cases: 300)
  }

  @Test func `messages that carry one operation each are waited for`() throws {
    try PropertyTest(OneByOne.self).check(seed: 1, cases: 300)
  }

  @Test func `whoever refuses what is from the future takes it when all clocks are right`() throws {
    try PropertyTest(Wary.self).check(seed: 1, cases: 1_000)
  }

  @Test func `a generator that draws until it is content can be shrunk, and walked through`() throws {
    let report = PropertyTest(Choosy.self).run(seed: 1, cases: 100)
    #expect(report.counterexample?.trace.rows.count == 2)
    #expect(report.counterexample?.isMinimal == true)
    let bounds = ExhaustiveBounds(replicas: 2, operations: 2, deliveries: 0)
    #expect(ExhaustiveTest(Choosy.self, bounds: bounds).run().counterexample?.trace.rows.count == 2)
  }
}

/// Asks what there is, asks for it, and gets it: nothing shows before the third message.
private struct ThreePhases: ReplicatedType {
  enum Message: Sendable {
    case counts([Int]), request([Int]), logs([[Int]])
  }

  private enum Task {
    case ask, answer
  }

  private let number: Int
  private var logs: [[Int]]
  private var tasks: [Int: Task] = [:]

  init(replica number: Int, of count: Int) {
    self.number = number
    logs = Array(repeating: [], count: count)
  }

  func operation(_ choices: inout Choices) -> Int { choices.number(in: 1...3) }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { logs[number].append(operation) }

  mutating func message(to receiver: Int) -> Message? {
    switch tasks.removeValue(forKey: receiver) {
    case nil: .counts(logs.map(\.count))
    case .ask: .request(logs.map(\.count))
    case .answer: .logs(logs)
    }
  }

  mutating func merge(_ message: Message, from sender: Int, clockMilliseconds: Int64) -> Bool {
    switch message {
    case .counts(let counts):
      if zip(counts, logs).contains(where: { $0 > $1.count }), tasks[sender] == nil { tasks[sender] = .ask }
    case .request: tasks[sender] = .answer
    case .logs(let others):
      for (index, log) in others.enumerated() where log.count > logs[index].count { logs[index] = log }
    }
    return true
  }

  var observation: [[Int]] { logs }

  static var messagesCarryEverything: Bool { false }
}

/// Sends the first operation that the receiver is not known to have, and how far it has come itself.
private struct OneByOne: ReplicatedType {
  struct Message: Sendable {
    var counts: [Int]
    var next: (origin: Int, place: Int, value: Int)?
  }

  private let number: Int
  private var logs: [[Int]]
  private var known: [[Int]]

  init(replica number: Int, of count: Int) {
    self.number = number
    logs = Array(repeating: [], count: count)
    known = Array(repeating: Array(repeating: 0, count: count), count: count)
  }

  func operation(_ choices: inout Choices) -> Int { choices.number(in: 1...3) }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { logs[number].append(operation) }

  mutating func message(to receiver: Int) -> Message? {
    var message = Message(counts: logs.map(\.count))
    if let origin = logs.indices.first(where: { logs[$0].count > known[receiver][$0] }) {
      let place = known[receiver][origin]
      message.next = (origin, place, logs[origin][place])
    }
    return message
  }

  mutating func merge(_ message: Message, from sender: Int, clockMilliseconds: Int64) -> Bool {
    known[sender] = zip(known[sender], message.counts).map { max($0, $1) }
    if let next = message.next, logs[next.origin].count == next.place { logs[next.origin].append(next.value) }
    return true
  }

  var observation: [[Int]] { logs }

  static var messagesCarryEverything: Bool { false }
}

/// The last value written; takes in nothing that is more than half a second ahead of its clock.
private struct Wary: ReplicatedType {
  struct Written: Sendable {
    var value = 0
    var time: Int64 = 0
    var writer = 0
  }

  private let number: Int
  private var last = Written()

  init(replica number: Int, of count: Int) { self.number = number }

  func operation(_ choices: inout Choices) -> Int { choices.number(in: 1...3) }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) {
    last = Written(value: operation, time: max(last.time + 1, clockMilliseconds), writer: number)
  }

  mutating func message(to receiver: Int) -> Written? { last }

  mutating func merge(_ message: Written, from sender: Int, clockMilliseconds: Int64) -> Bool {
    guard message.time <= clockMilliseconds + 500 else { return false }
    if (message.time, message.writer) > (last.time, last.writer) { last = message }
    return true
  }

  var observation: Int { last.value }
}

/// The first value wins, wherever it came from: a fault that two operations show.
private struct Choosy: StateBased, Hashable {
  private var value = 0

  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> Int {
    var value = 0
    repeat { value = choices.number(below: 10) } while value == 0
    return value
  }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { if value == 0 { value = operation } }

  mutating func merge(_ other: Choosy) { if value == 0 { value = other.value } }

  var observation: Int { value }
}
