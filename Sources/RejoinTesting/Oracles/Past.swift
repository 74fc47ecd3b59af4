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

/// A set of small numbers.
struct NumberSet: Hashable, Sendable {
  private var words: [UInt64] = []

  func contains(_ number: Int) -> Bool {
    number >> 6 < words.count && words[number >> 6] & 1 << (number & 63) != 0
  }

  mutating func insert(_ number: Int) {
    while words.count <= number >> 6 { words.append(0) }
    words[number >> 6] |= 1 << (number & 63)
  }

  func isSuperset(of other: NumberSet) -> Bool {
    other.words.indices.allSatisfy { index in
      other.words[index] & ~(index < words.count ? words[index] : 0) == 0
    }
  }

  mutating func formUnion(_ other: NumberSet) {
    while words.count < other.words.count { words.append(0) }
    for index in other.words.indices { words[index] |= other.words[index] }
  }
}
