/// The operations that a replica has seen, and which of them had seen which others.
///
/// Source: the happens-before relation of Lamport, *Time, Clocks, and the Ordering of Events in a Distributed System*
/// (1978); what may be shown is a function of it after Burckhardt, Gotsman, Yang, Zawirski, *Replicated Data Types:
/// Specification, Verification, Optimality* (POPL 2014).
public struct Past<Operation: Sendable>: Sendable {
  /// An operation, where and when.
  public struct Event: Sendable {
    /// Its place among all operations of the history, in the order in which they happened.
    public let number: Int

    /// The replica at which it happened.
    public let replica: Int

    /// What happened.
    public let operation: Operation

    /// The operations that its replica had seen before.
    let past: NumberSet
  }

  /// The operations, in the order in which they happened.
  public let events: [Event]

  /// Makes a past of operations, each with the places of those before it that it had seen: for tests of a
  /// specification by itself.
  ///
  /// Whoever had seen an operation had also seen what that one had seen.
  public init(_ operations: [(operation: Operation, seen: [Int])]) {
    var events: [Event] = []
    for (number, made) in operations.enumerated() {
      var past = NumberSet()
      for seen in made.seen where seen >= 0 && seen < number {
        past.insert(seen)
        past.formUnion(events[seen].past)
      }
      events.append(Event(number: number, replica: number, operation: made.operation, past: past))
    }
    self.events = events
    notes = nil
  }

  init(events: [Event], notes: PastNotes? = nil) {
    self.events = events
    self.notes = notes
  }

  /// What a specification has worked out about the operations of the whole history; nil where nobody remembers it.
  let notes: PastNotes?

  /// The places of the operations.
  var numbers: NumberSet {
    var numbers = NumberSet()
    for event in events { numbers.insert(event.number) }
    return numbers
  }

  /// The operations by themselves.
  public var operations: [Operation] { events.map(\.operation) }

  /// Whether the replica at which `later` happened had seen `earlier`.
  public func precedes(_ earlier: Event, _ later: Event) -> Bool { later.past.contains(earlier.number) }

  /// Whether neither of two operations had seen the other.
  public func areConcurrent(_ one: Event, _ other: Event) -> Bool {
    one.number != other.number && !precedes(one, other) && !precedes(other, one)
  }

  /// Those that satisfy a condition and precede no other one that does: the heads among them.
  public func latest(where isMeant: (Operation) -> Bool) -> [Event] {
    let meant = events.filter { isMeant($0.operation) }
    return meant.filter { event in !meant.contains { precedes(event, $0) } }
  }

  /// Whether every operation had seen all those before it.
  public var isSequential: Bool {
    var earlier = NumberSet()
    for event in events {
      guard event.past.isSuperset(of: earlier) else { return false }
      earlier.insert(event.number)
    }
    return true
  }
}

// Equal pasts hold the same operations in the same order, each of which had seen the same others.
extension Past: Equatable where Operation: Equatable {}
extension Past: Hashable where Operation: Hashable {}
extension Past.Event: Equatable where Operation: Equatable {}
extension Past.Event: Hashable where Operation: Hashable {}

/// A set of small numbers; one of numbers below 64 needs no memory of its own.
struct NumberSet: Hashable, Sendable {
  private var first: UInt64 = 0
  /// The bits of larger numbers; the last word is never 0, so that equal sets look alike.
  private var rest: [UInt64] = []

  init() {}

  /// All numbers below one.
  init(below bound: Int) {
    for number in 0..<bound { insert(number) }
  }

  func contains(_ number: Int) -> Bool {
    if number < 64 { return first & 1 << number != 0 }
    let word = number >> 6 - 1
    return word < rest.count && rest[word] & 1 << (number & 63) != 0
  }

  mutating func insert(_ number: Int) {
    if number < 64 {
      first |= 1 << number
    } else {
      let word = number >> 6 - 1
      while rest.count <= word { rest.append(0) }
      rest[word] |= 1 << (number & 63)
    }
  }

  func isSuperset(of other: NumberSet) -> Bool {
    other.first & ~first == 0
      && other.rest.indices.allSatisfy { index in
        other.rest[index] & ~(index < rest.count ? rest[index] : 0) == 0
      }
  }

  /// The numbers that are in both.
  func intersection(_ other: NumberSet) -> NumberSet {
    var both = NumberSet()
    both.first = first & other.first
    both.rest = zip(rest, other.rest).map { $0 & $1 }
    while both.rest.last == 0 { both.rest.removeLast() }
    return both
  }

  mutating func formUnion(_ other: NumberSet) {
    first |= other.first
    while rest.count < other.rest.count { rest.append(0) }
    for index in other.rest.indices { rest[index] |= other.rest[index] }
  }
}
