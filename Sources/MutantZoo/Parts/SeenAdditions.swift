/// The additions to a set that still stand, and which ones were ever seen: what is needed instead of tombstones.
///
/// Source: Bieniusa et al., *An optimized conflict-free replicated set* (2012).
struct SeenAdditions: Hashable, Sendable {
  struct Addition: Hashable, Sendable {
    var element: Int
    var replica: Int
    var number: Int
  }

  private(set) var standing: Set<Addition> = []

  /// How many additions of each replica were seen, standing or not.
  private var counts: [Int]

  init(replicaCount: Int) {
    counts = Array(repeating: 0, count: replicaCount)
  }

  func hasSeen(_ addition: Addition) -> Bool { addition.number <= counts[addition.replica] }

  func contains(_ element: Int) -> Bool { standing.contains { $0.element == element } }

  /// Adds or removes an element at a replica; either way, what was known of it no longer stands.
  mutating func apply(_ operation: SetOperation, at replica: Int) {
    switch operation {
    case .add(let element):
      counts[replica] += 1
      standing = standing.filter { $0.element != element }
      standing.insert(Addition(element: element, replica: replica, number: counts[replica]))
    case .remove(let element):
      standing = standing.filter { $0.element != element }
    case .collect: break
    }
  }

  /// Keeps of what stands on either side that to which the other side agrees.
  mutating func merge(_ other: SeenAdditions, agrees: (SeenAdditions, Addition) -> Bool) {
    let arriving = other.standing.filter { agrees(self, $0) }
    standing = standing.filter { agrees(other, $0) }.union(arriving)
    counts = zip(counts, other.counts).map { max($0, $1) }
  }

  /// The elements, in order.
  var elements: [Int] { Set(standing.map(\.element)).sorted() }
}
