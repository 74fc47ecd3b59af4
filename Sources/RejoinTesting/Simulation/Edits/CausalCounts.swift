import RejoinCore

/// What counters and sets come to after edits of which some did not know of each other.
///
/// A counter is the sum of all increments that were seen and taken back by no reset that had seen them: none
/// is lost and none counts twice. In a set is whatever somebody added and nobody removed who had seen that addition. An
/// insert under the id of a deleted record resets and removes what its author had seen. None of it depends on any clock,
/// nor on lives.
struct CausalCounts {
  private struct Count {
    let event: Past<Edit>.Event
    let place: Int
    let record: Int
    let what: What

    enum What: Equatable {
      case counting(Counting)
      /// The field was there, whatever it showed.
      case given(field: String)
    }

    /// Whether it takes back what such an edit does.
    func takesBack(_ counting: Counting) -> Bool {
      what == .counting(counting) || what == .counting(.startAfresh)
    }

    /// Whether whoever did this had seen the other.
    func hasSeen(_ other: Count, _ past: Past<Edit>) -> Bool {
      event.number == other.event.number ? other.place < place : past.precedes(other.event, event)
    }
  }

  private var counts: [Count] = []

  /// Adds an edit that has happened.
  mutating func add(
    _ counting: Counting, to record: Int, _ event: Past<Edit>.Event, place: Int
  ) {
    counts.append(Count(event: event, place: place, record: record, what: .counting(counting)))
  }

  /// Adds others.
  mutating func add(_ other: CausalCounts) { counts += other.counts }

  /// Adds what everybody has seen.
  mutating func add(given shown: Content.Record, _ record: Int, _ event: Past<Edit>.Event) {
    func add(_ what: Count.What) {
      counts.append(Count(event: event, place: 0, record: record, what: what))
    }
    for field in [Edit.counterField, Edit.setField] where shown.fields[field] != nil {
      add(.given(field: field))
    }
    if case .int(let number)? = shown.fields[Edit.counterField] { add(.counting(.increment(number))) }
    if case .array(let elements)? = shown.fields[Edit.setField] {
      for element in elements { add(.counting(.add(element))) }
    }
  }

  /// The edits that have happened among those of a past, judged by what their own replicas said: for replicas whose
  /// clocks decide what the rules allow.
  init(happenedIn past: Past<Edit>) {
    for event in past.events {
      switch event.operation {
      case .commit(let writes):
        for (place, write) in writes.enumerated() {
          guard case .count(let record, let counting, hasHappened: true) = write else { continue }
          add(counting, to: record, event, place: place)
        }
      case .given(let content): for (record, shown) in content.records { add(given: shown, record, event) }
      default: break
      }
    }
  }

  /// Nothing yet.
  init() {}

  /// What is wrong with the counter and the set that a record shows; nil when nothing is.
  func objection(to shown: Content.Record, of record: Int, after past: Past<Edit>) -> String? {
    let counts = counts.filter { $0.record == record }
    let counter = counter(counts, past)
    if shown.fields[Edit.counterField] != counter {
      return "\(Edit.counterField) should be \(counter.map(Content.text) ?? "absent")"
    }
    let set = set(counts, past)
    if shown.fields[Edit.setField] != set {
      return "\(Edit.setField) should be \(set.map(Content.text) ?? "absent")"
    }
    return nil
  }

  private func counter(_ counts: [Count], _ past: Past<Edit>) -> Value? {
    var sum: Int64?
    for count in counts {
      switch count.what {
      case .counting(.increment(let amount)):
        let isTakenBack = counts.contains { $0.takesBack(.reset) && $0.hasSeen(count, past) }
        sum = (sum ?? 0) + (isTakenBack ? 0 : amount)
      case .given(Edit.counterField): sum = sum ?? 0
      case .counting, .given: break
      }
    }
    return sum.map { .int($0) }
  }

  private func set(_ counts: [Count], _ past: Past<Edit>) -> Value? {
    var elements: Set<Value>?
    for count in counts {
      switch count.what {
      case .counting(.add(let element)):
        let isRemoved = counts.contains { $0.takesBack(.remove(element)) && $0.hasSeen(count, past) }
        elements = (elements ?? []).union(isRemoved ? [] : [element])
      case .given(Edit.setField): elements = elements ?? []
      case .counting, .given: break
      }
    }
    return elements.map { .array($0.sorted()) }
  }
}
