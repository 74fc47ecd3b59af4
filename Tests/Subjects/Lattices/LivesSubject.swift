import RejoinCore
package import RejoinTesting

/// The tombstone set with one record that is deleted and restored, as a type that merges states.
package struct LivesSubject: StateBased {
  /// The record is deleted or comes to life, whichever it was not.
  package struct Turn: Sendable, CustomStringConvertible {
    package var description: String { "turn" }
  }

  /// How often it did, and at which replica for the first time.
  package struct Shown: Equatable, Sendable, CustomStringConvertible {
    let count: UInt64
    let writer: UInt64?

    package var description: String {
      "count \(count)" + (writer.map { " by \(Content.name(Int($0) - 1))" } ?? "")
    }
  }

  private static let key = RecordKey("things", RecordID(high: 0, low: 1))
  private let number: Int
  private var clock = HybridClock()
  private var lives = TombstoneSet()

  package init(replica number: Int, of count: Int) { self.number = number }

  package func operation(_ choices: inout Choices) -> Turn { Turn() }

  package mutating func apply(_ turn: Turn, clockMilliseconds: Int64) {
    let count = lives[Self.key]?.count ?? 1
    lives.insert(
      Life(count: count + 1, timestamp: clock.stamp(number, clockMilliseconds)), for: Self.key)
  }

  package mutating func merge(_ other: LivesSubject) {
    lives.merge(other.lives)
    clock.observe(other.clock.last)
  }

  package var observation: Shown {
    Shown(count: lives[Self.key]?.count ?? 1, writer: lives[Self.key]?.timestamp.replica.rawValue)
  }

  /// The count is that of the longest chain of turns, and the writer one of those who turned last in such a chain.
  package static func objection(to shown: Shown, after past: Past<Turn>) -> String? {
    var reached: [(event: Past<Turn>.Event, count: UInt64)] = []
    for event in past.events {
      let before = reached.filter { past.precedes($0.event, event) }.map(\.count).max() ?? 1
      reached.append((event, before + 1))
    }
    let count = reached.map(\.count).max() ?? 1
    guard shown.count == count else { return "the count should be \(count)" }
    let writers = reached.filter { $0.count == count }.map { UInt64($0.event.replica) + 1 }
    guard shown.writer.map(writers.contains) ?? writers.isEmpty else { return "somebody else turned it" }
    return nil
  }
}
