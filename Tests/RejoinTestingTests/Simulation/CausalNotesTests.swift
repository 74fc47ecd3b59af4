import RejoinCore
@testable import RejoinTesting
import Testing

/// What is judged once is judged like what is judged each time.
struct CausalNotesTests {
  /// A writes a field, B another value of it without knowing, then C deletes the record, having seen A alone.
  private static func past(notes: PastNotes?, upTo count: Int = 4) -> Past<Edit> {
    let past = Past<Edit>([
      (.commit([.insert(record: 0, ["a": 1])]), []),
      (.commit([.set(record: 0, ["a": 2])]), [0]),
      (.commit([.set(record: 0, ["b": 3])]), [0]),
      (.append("A-1"), [0, 1]),
    ])
    return Past(events: Array(past.events.prefix(count)), notes: notes)
  }

  private static func content(_ fields: [String: Value], log: [String] = ["A-1"]) -> Content {
    Content(records: [0: Content.Record(count: 1, fields: fields)], log: log)
  }

  @Test func `what was right is right again, and nothing else is`() {
    let notes = PastNotes()
    for _ in 0..<2 {
      for past in [Self.past(notes: notes), Self.past(notes: nil)] {
        #expect(Causality.objection(to: Self.content(["a": 2, "b": 3]), after: past) == nil)
        #expect(Causality.objection(to: Self.content(["a": 1, "b": 3]), after: past) != nil)
        #expect(Causality.objection(to: Self.content(["a": 2]), after: past) != nil)
        #expect(Causality.objection(to: Self.content(["a": 2, "b": 3], log: []), after: past) != nil)
        #expect(Causality.objection(to: Content(log: ["A-1"]), after: past) != nil)
      }
    }
  }

  @Test func `what was right after some edits need not be after others`() {
    let notes = PastNotes()
    let before = Self.content(["a": 2], log: [])
    #expect(Causality.objection(to: before, after: Self.past(notes: notes, upTo: 2)) == nil)
    #expect(Causality.objection(to: before, after: Self.past(notes: notes, upTo: 3)) != nil)
    let others = Self.content(["a": 1], log: [])
    #expect(Causality.objection(to: others, after: Self.past(notes: notes, upTo: 2)) != nil)
    #expect(Causality.objection(to: others, after: Self.past(notes: notes, upTo: 1)) == nil)
  }

  @Test func `sets of small numbers meet`() {
    var numbers = (NumberSet(), NumberSet())
    for number in [1, 63, 64, 200] { numbers.0.insert(number) }
    for number in [2, 63, 130] { numbers.1.insert(number) }
    var expected = NumberSet()
    expected.insert(63)
    #expect(numbers.0.intersection(numbers.1) == expected)
    #expect(numbers.1.intersection(numbers.0) == expected)
  }
}
