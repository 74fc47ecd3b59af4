public import RejoinTesting

/// M3: a set without tombstones; the mutant keeps all additions of an element that stands on both sides, although one
/// side may have removed some of them.
///
/// Found in the first such set of Riak (riak_dt, pull request 82): once the other additions are removed too, the
/// element is back, far from where the mistake was made.
public struct KeptOnBothSides<Variant: Twin>: StateBased, IntendedSet, Hashable {
  private let replica: Int
  private var additions: SeenAdditions

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    replica = number
    additions = SeenAdditions(replicaCount: count)
  }

  /// Adds the only element if it is not there, and removes it if it is.
  public func operation(_ choices: inout Choices) -> SetOperation {
    observation.contains(1) ? .remove(1) : .add(1)
  }

  /// Adds or removes an element.
  public mutating func apply(_ operation: SetOperation, clockMilliseconds: Int64) {
    additions.apply(operation, at: replica)
  }

  /// Keeps the additions that neither side has removed: what the other side has seen must still stand there.
  public mutating func merge(_ other: KeptOnBothSides) {
    additions.merge(other.additions) { side, addition in
      if Variant.isMutant, side.contains(addition.element) { return true }
      return side.standing.contains(addition) || !side.hasSeen(addition)
    }
  }

  /// The elements, in order.
  public var observation: [Int] { additions.elements }
}
