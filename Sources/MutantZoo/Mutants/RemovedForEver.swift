public import RejoinTesting

/// M2: a set whose removals leave tombstones; the mutant's tombstone buries the element, not one addition of it, so
/// that what was removed can never come back.
///
/// The two-phase set of Shapiro et al., *A comprehensive study of Convergent and Commutative Replicated Data Types*
/// (2011), whenever it is used where users add again what they removed. All replicas agree.
public struct RemovedForEver<Variant: Twin>: StateBased, IntendedSet, Hashable {
  private struct Addition: Hashable, Sendable {
    var element: Int
    var replica = 0
    var number = 0
  }

  private let replica: Int
  private var added: Set<Addition> = []
  private var removed: Set<Addition> = []

  /// An empty replica.
  public init(replica number: Int, of count: Int) { replica = number }

  /// Adds under a new name, and removes all names that are known.
  public mutating func apply(_ operation: SetOperation, clockMilliseconds: Int64) {
    switch operation {
    case .add(let element):
      let fresh = Addition(element: element, replica: replica, number: added.count)
      added.insert(Variant.isMutant ? Addition(element: element) : fresh)
    case .remove(let element):
      removed.formUnion(added.filter { $0.element == element })
    case .collect: break
    }
  }

  /// Knows what either knew.
  public mutating func merge(_ other: RemovedForEver) {
    added.formUnion(other.added)
    removed.formUnion(other.removed)
  }

  /// The elements, in order.
  public var observation: [Int] { Set(added.subtracting(removed).map(\.element)).sorted() }
}
