import RejoinTesting
import Testing

/// Every kind of fault happens when it is asked for, and never when it is not.
struct FaultTests {
  @Test func `without faults every message arrives, once, in order and on time`() {
    #expect(noticed([]) == [])
  }

  @Test func `lost messages leave gaps and nothing else`() {
    #expect(noticed([.loss, .reordering]) == [.gap, .disorder])
    #expect(noticed(.partitions) == [.gap])
  }

  @Test func `messages that take their time overtake each other`() {
    #expect(noticed(.reordering) == [.gap, .disorder])
  }

  @Test func `messages arrive twice`() {
    #expect(noticed([.duplication, .reordering]).contains(.repetition))
    #expect(!noticed([.loss, .reordering, .partitions, .crashes, .clocks]).contains(.repetition))
  }

  @Test func `processes end`() {
    #expect(noticed(.crashes) == [.crash])
  }

  @Test func `clocks go back and differ`() {
    #expect(noticed(.clocks) == [.clockBack, .clocksDiffer])
  }

  @Test func `all faults together are noticed`() {
    #expect(noticed(.all) == Set(Witness.Notice.allCases))
  }

  /// What witnesses notice in many histories.
  private func noticed(_ faults: TestOptions.Faults) -> Set<Witness.Notice> {
    Set(
      Witness.Notice.allCases.filter { notice in
        Witness.$objectsTo.withValue(notice) {
          let test = PropertyTest(Witness.self, options: TestOptions(faults: faults))
          return test.run(seed: 1, cases: 500).counterexample != nil
        }
      })
  }
}

/// Writes down what the network, its process and its clock do to it.
struct Witness: ReplicatedType {
  enum Notice: CaseIterable {
    case gap, disorder, repetition, crash, clockBack, clocksDiffer
  }

  /// Nobody expects two witnesses to notice the same.
  struct Notices: Equatable, Sendable {
    let all: Set<Notice>

    init(_ all: Set<Notice>) { self.all = all }

    static func == (left: Notices, right: Notices) -> Bool { true }
  }

  struct Letter: Sendable {
    var number: Int
    var clock: Int64
  }

  /// What counts as a violation.
  @TaskLocal static var objectsTo: Notice?

  private var sent: [Int: Int] = [:]
  private var received: [Int: Set<Int>] = [:]
  private var clock: Int64 = 0
  private var notices: Set<Notice> = []

  init(replica number: Int, of count: Int) {}

  // Its notes are not part of a replicated state.
  static var hasValueSemantics: Bool { false }

  var observation: Notices { Notices(notices) }

  func operation(_ choices: inout Choices) -> Int { 0 }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { look(clockMilliseconds) }

  mutating func message(to receiver: Int) -> Letter? {
    sent[receiver, default: 0] += 1
    return Letter(number: sent[receiver, default: 0], clock: clock)
  }

  mutating func merge(_ message: Letter, from sender: Int, clockMilliseconds: Int64) -> Bool {
    look(clockMilliseconds)
    if message.clock > clockMilliseconds { notices.insert(.clocksDiffer) }
    let last = received[sender]?.max() ?? 0
    if message.number > last + 1 { notices.insert(.gap) }
    if message.number < last { notices.insert(.disorder) }
    if received[sender]?.contains(message.number) == true { notices.insert(.repetition) }
    received[sender, default: []].insert(message.number)
    return true
  }

  mutating func crash() { notices.insert(.crash) }

  private mutating func look(_ clockMilliseconds: Int64) {
    if clockMilliseconds < clock { notices.insert(.clockBack) }
    clock = clockMilliseconds
  }

  static func objection(to observation: Notices, after past: Past<Int>) -> String? {
    guard let objectsTo, observation.all.contains(objectsTo) else { return nil }
    return "\(objectsTo)"
  }
}
