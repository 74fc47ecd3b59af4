package import RejoinCore
package import RejoinTesting

/// A lattice of entries by key, of which the latest of each key stays.
package protocol KeyedLattice: Lattice {
  /// Makes an empty one.
  init()

  /// Adds an entry, or raises the one that is there.
  mutating func insert(_ value: Value, at timestamp: Timestamp, for key: Int)

  /// The values by key.
  var values: [Int: Value] { get }
}

extension LWWMap<Int>: KeyedLattice {
  package mutating func insert(_ value: Value, at timestamp: Timestamp, for key: Int) {
    insert(LWWRegister(value, precedence: Precedence(timestamp: timestamp)), for: key)
  }

  package var values: [Int: Value] { registers.mapValues(\.value) }
}

extension GrowOnlySet<Int>: KeyedLattice {
  package mutating func insert(_ value: Value, at timestamp: Timestamp, for key: Int) {
    insert(LogEntry(["value": value], timestamp: timestamp), for: key)
  }

  package var values: [Int: Value] { entries.compactMapValues { $0.values["value"] } }
}

/// A lattice of entries by key under a hybrid clock, as a type that merges states.
package struct KeyedSubject<Base: KeyedLattice>: StateBased {
  /// A value under a key.
  package struct Assignment: Sendable, CustomStringConvertible {
    let key: Int
    let value: Value

    package var description: String { "\(key)=\(Content.text(value))" }
  }

  /// The values by key.
  package struct Shown: Equatable, Sendable, CustomStringConvertible {
    let values: [Int: Value]

    package var description: String {
      let texts = values.sorted { $0.key < $1.key }.map { "\(Assignment(key: $0.key, value: $0.value))" }
      return "{\(texts.joined(separator: " "))}"
    }
  }

  private let number: Int
  private var clock = HybridClock()
  private var base = Base()

  package init(replica number: Int, of count: Int) { self.number = number }

  package func operation(_ choices: inout Choices) -> Assignment {
    Assignment(key: choices.number(below: 2), value: choices.element(of: [1, 2, .null]))
  }

  package mutating func apply(_ assignment: Assignment, clockMilliseconds: Int64) {
    base.insert(assignment.value, at: clock.stamp(number, clockMilliseconds), for: assignment.key)
  }

  package mutating func merge(_ other: KeyedSubject) {
    base.merge(other.base)
    clock.observe(other.clock.last)
  }

  package var observation: Shown { Shown(values: base.values) }

  package static func expected(after assignments: [Assignment]) -> Shown? {
    Shown(values: Dictionary(assignments.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }))
  }

  package static func objection(to shown: Shown, after past: Past<Assignment>) -> String? {
    for key in 0..<2 {
      let heads = past.latest { $0.key == key }.map(\.operation.value)
      guard let value = shown.values[key] else {
        if heads.isEmpty { continue }
        return "\(key) vanished"
      }
      guard heads.contains(value) else { return "\(key) should be one of \(heads.map(Content.text))" }
    }
    return nil
  }
}
