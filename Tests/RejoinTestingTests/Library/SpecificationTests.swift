import LibrarySubjects
import RejoinCore
import RejoinTesting
import Testing

/// The two specifications of records and logs, each by itself, see when something else is shown than there is.
struct SpecificationTests {
  @Test func `nobody objects to what is there`() {
    #expect(oracle(of: Retold<Truth, Sequential>.self) == nil)
    #expect(oracle(of: Retold<Truth, Causal>.self) == nil)
  }

  @Test func `a field that vanished is missed`() { expectObjections(to: LostField.self) }

  @Test func `a cleared field that vanished is missed`() { expectObjections(to: LostNull.self) }

  @Test func `a field of a later version that vanished is missed`() { expectObjections(to: LostUnknown.self) }

  @Test func `a value that nobody wrote is seen`() { expectObjections(to: InventedValue.self) }

  @Test func `a record that vanished is missed`() { expectObjections(to: LostRecord.self) }

  @Test func `a deletion that vanished is missed`() { expectObjections(to: LostDeletion.self) }

  @Test func `a log entry that vanished is missed`() { expectObjections(to: LostEntry.self) }

  @Test func `log entries in another order are seen`() { expectObjections(to: ReversedLog.self) }

  private func expectObjections<Lie: Retelling>(to lie: Lie.Type) {
    #expect(oracle(of: Retold<Lie, Sequential>.self) == .sequential)
    #expect(oracle(of: Retold<Lie, Causal>.self) == .causal)
  }

  private func oracle<Subject: ReplicatedType>(of type: Subject.Type) -> Violation.Oracle? {
    let options = TestOptions(shrinkingAttempts: 0)
    return PropertyTest(type, options: options).run(seed: 1, cases: 100).counterexample?.violation.oracle
  }
}

/// A right replica that shows something else than it holds, before one of the specifications.
private struct Retold<Lie: Retelling, Judge: Specification>: ReplicatedType {
  private var truth: StateSubject

  init(replica number: Int, of count: Int) { truth = StateSubject(replica: number, of: count) }

  static var hasValueSemantics: Bool { false }

  func operation(_ choices: inout Choices) -> Edit { truth.operation(&choices) }

  mutating func apply(_ edit: Edit, clockMilliseconds: Int64) {
    truth.apply(edit, clockMilliseconds: clockMilliseconds)
  }

  mutating func message(to receiver: Int) -> StateSubject? { truth }

  mutating func merge(_ message: StateSubject, from sender: Int, clockMilliseconds: Int64) -> Bool {
    truth.merge(message)
    return true
  }

  var observation: Content {
    var content = truth.observation
    Lie.retell(&content)
    return content
  }

  static func expected(after edits: [Edit]) -> Content? {
    Judge.isCausal ? nil : StateSubject.expected(after: edits)
  }

  static func objection(to content: Content, after past: Past<Edit>) -> String? {
    Judge.isCausal ? StateSubject.objection(to: content, after: past) : nil
  }
}

private protocol Specification: Sendable {
  static var isCausal: Bool { get }
}

private enum Sequential: Specification {
  static var isCausal: Bool { false }
}

private enum Causal: Specification {
  static var isCausal: Bool { true }
}

/// What is shown instead of the truth.
private protocol Retelling: Sendable {
  static func retell(_ content: inout Content)
}

private enum Truth: Retelling {
  static func retell(_ content: inout Content) {}
}

private enum LostField: Retelling {
  static func retell(_ content: inout Content) { content.records[0]?.fields["b"] = nil }
}

private enum LostNull: Retelling {
  static func retell(_ content: inout Content) {
    content.records = content.records.mapValues { record in
      Content.Record(count: record.count, fields: record.fields.filter { $0.value != .null })
    }
  }
}

private enum LostUnknown: Retelling {
  static func retell(_ content: inout Content) { content.records[0]?.fields["a#7"] = nil }
}

private enum InventedValue: Retelling {
  static func retell(_ content: inout Content) {
    if content.records[0]?.fields["a"] == 2 { content.records[0]?.fields["a"] = 3 }
  }
}

private enum LostRecord: Retelling {
  static func retell(_ content: inout Content) { content.records[1] = nil }
}

private enum LostDeletion: Retelling {
  static func retell(_ content: inout Content) {
    if content.records[0]?.count == 2 { content.records[0]?.count = 1 }
  }
}

private enum LostEntry: Retelling {
  static func retell(_ content: inout Content) { content.log = Array(content.log.dropFirst()) }
}

private enum ReversedLog: Retelling {
  static func retell(_ content: inout Content) { content.log.reverse() }
}
