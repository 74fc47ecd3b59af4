import RejoinTesting

/// A set in which an addition wins over a removal that did not know of it, and nothing is kept of what was removed.
///
/// Source: Bieniusa et al., *An optimized conflict-free replicated set* (2012).
struct AddWinsSet<Flaw: AddWinsFlaw>: StateBased, Hashable {
  enum Operation: Hashable {
    case add(Int)
    case remove(Int)
  }

  struct Addition: Hashable {
    var element: Int
    var replica: Int
    var number: Int
  }

  private let replica: Int
  private var additions: Set<Addition> = []
  /// How many additions of each replica are known, those included that were removed.
  private var known: [Int]

  init(replica number: Int, of count: Int) {
    replica = number
    known = Array(repeating: 0, count: count)
  }

  func operation(_ choices: inout Choices) -> Operation { choices.element(of: [.add(1), .remove(1)]) }

  mutating func apply(_ operation: Operation, clockMilliseconds: Int64) {
    switch operation {
    case .add(let element):
      known[replica] += 1
      additions.insert(Addition(element: element, replica: replica, number: known[replica]))
    case .remove(let element): additions = additions.filter { $0.element != element }
    }
  }

  mutating func merge(_ other: AddWinsSet) {
    if Flaw.keepsWhatBothShow, !observation.isDisjoint(with: other.observation) {
      additions.formUnion(other.additions)
    } else {
      let mine = additions.filter { other.additions.contains($0) || $0.number > other.known[$0.replica] }
      let new = other.additions.filter { $0.number > known[$0.replica] }
      additions = mine.union(new)
    }
    known = zip(known, other.known).map { max($0, $1) }
  }

  var observation: Set<Int> { Set(additions.map(\.element)) }

  static func expected(after operations: [Operation]) -> Set<Int>? {
    operations.reduce(into: []) { set, operation in
      switch operation {
      case .add(let element): set.insert(element)
      case .remove(let element): set.remove(element)
      }
    }
  }

  static func objection(to observation: Set<Int>, after past: Past<Operation>) -> String? {
    let standing = past.events.compactMap { addition -> Int? in
      guard case .add(let element) = addition.operation else { return nil }
      let isRemoved = past.events.contains {
        $0.operation == .remove(element) && past.precedes(addition, $0)
      }
      return isRemoved ? nil : element
    }
    return observation == Set(standing) ? nil : "\(Set(standing)) were added and not removed"
  }
}

protocol AddWinsFlaw: Sendable {
  /// Whether an element that both show is kept, although all that either knows of it was removed at the other.
  static var keepsWhatBothShow: Bool { get }
}

extension Sound: AddWinsFlaw {
  static var keepsWhatBothShow: Bool { false }
}

/// Found in riak_dt (pull request 82).
enum KeepsWhatBothShow: AddWinsFlaw {
  static var keepsWhatBothShow: Bool { true }
}
