/// A join-semilattice: a type whose values can be merged in any order, any grouping, any number of times.
///
/// Every conforming type keeps these laws, for all values `a`, `b` and `c`:
///
/// - commutative: `a.merging(b) == b.merging(a)`
/// - associative: `a.merging(b).merging(c) == a.merging(b.merging(c))`
/// - idempotent: `a.merging(a) == a`
///
/// From them follows the order `a.isCovered(by: b)`, in which merging only ever rises, and that replicas which
/// took in the same states, however often and in whatever order, are equal.
/// Source: Shapiro, Preguiça, Baquero, Zawirski, *Conflict-free Replicated Data Types* (SSS 2011).
public protocol Lattice: Equatable, Sendable {
  /// Raises this value to the least upper bound of itself and `other`.
  mutating func merge(_ other: Self)
}

extension Lattice {
  /// The least upper bound of this value and `other`.
  public func merging(_ other: Self) -> Self {
    var result = self
    result.merge(other)
    return result
  }

  /// Whether `other` already holds everything that this value holds.
  public func isCovered(by other: Self) -> Bool { other.merging(self) == other }
}
