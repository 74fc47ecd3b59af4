public import RejoinTesting

/// M3': a set without tombstones; the mutant only asks whether the other side has seen an addition, not whether it
/// still stands there, and so drops what stands on both sides.
///
/// Found again and again by the property tests of rust-crdt while its set was written (its log of counterexamples).
public struct DroppedOnBothSides<Variant: Twin>: StateBased, IntendedSet, Hashable {
  private let replica: Int
  private var additions: SeenAdditions

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    replica = number
    additions = SeenAdditions(replicaCount: count)
  }

  /// Adds or removes an element.
  public mutating func apply(_ operation: SetOperation, clockMilliseconds: Int64) {
    additions.apply(operation, at: replica)
  }

  /// Keeps the additions that neither side has removed: what the other side has seen must still stand there.
  public mutating func merge(_ other: DroppedOnBothSides) {
    additions.merge(other.additions) { side, addition in
      if !Variant.isMutant, side.standing.contains(addition) { return true }
      return !side.hasSeen(addition)
    }
  }

  /// The elements, in order.
  public var observation: [Int] { additions.elements }
}
