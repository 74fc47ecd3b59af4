public import RejoinTesting

/// M5: a counter that can be reset; the mutant's reset counts down by what it sees, so that two resets at once take
/// back the same increments twice.
///
/// Found in Riak, where removing a counter from a map was such a decrement (riak_dt, pull request 53).
public struct ResetAsDecrement<Variant: Twin>: StateBased, IntendedCounter, Hashable {
  private let replica: Int
  private var counts: ResettableCounts

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    replica = number
    counts = ResettableCounts(replicaCount: count)
  }

  /// Counts here, or takes back what each replica has counted.
  public mutating func apply(_ operation: CounterOperation, clockMilliseconds: Int64) {
    switch operation {
    case .increment: counts.counted[replica] += 1
    case .reset:
      if Variant.isMutant {
        counts.takenBack[replica] += observation
      } else {
        counts.takenBack = counts.counted
      }
    }
  }

  /// Keeps the greater number of each replica.
  public mutating func merge(_ other: ResetAsDecrement) { counts.merge(other.counts) }

  /// The increments that are not taken back.
  public var observation: Int { counts.total }
}
