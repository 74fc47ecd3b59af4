public import RejoinTesting

/// M5': a counter that can be reset; the mutant's reset sets all entries to zero, and the next replica that has not
/// heard of it brings them back.
///
/// Found in Riak, whose counters stood at their old value when a field of a map was removed and added again (riak_dt,
/// pull request 93, which counts each replica's events for that).
public struct ResetByZeroing<Variant: Twin>: StateBased, IntendedCounter, Hashable {
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
        counts.counted = counts.counted.map { _ in 0 }
      } else {
        counts.takenBack = counts.counted
      }
    }
  }

  /// Keeps the greater number of each replica.
  public mutating func merge(_ other: ResetByZeroing) { counts.merge(other.counts) }

  /// The increments that are not taken back.
  public var observation: Int { counts.total }
}
