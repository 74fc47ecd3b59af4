public import RejoinTesting

/// M5: a counter that can be reset; the mutant's reset counts down by what it sees, so that two resets at once take
/// back the same increments twice.
///
/// Found in Riak, where removing a counter from a map was such a decrement (riak_dt, pull request 53).
public struct ResetAsDecrement<Variant: Twin>: StateBased, IntendedCounter, Hashable {
  private let replica: Int

  /// How often each replica counted, and how much of that is taken back.
  private var counted: [Int]
  private var takenBack: [Int]

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    replica = number
    counted = Array(repeating: 0, count: count)
    takenBack = counted
  }

  /// Counts here, or takes back what each replica has counted.
  public mutating func apply(_ operation: CounterOperation, clockMilliseconds: Int64) {
    switch operation {
    case .increment: counted[replica] += 1
    case .reset:
      if Variant.isMutant { takenBack[replica] += observation } else { takenBack = counted }
    }
  }

  /// Keeps the greater number of each replica.
  public mutating func merge(_ other: ResetAsDecrement) {
    counted = zip(counted, other.counted).map { max($0, $1) }
    takenBack = zip(takenBack, other.takenBack).map { max($0, $1) }
  }

  /// The increments that are not taken back.
  public var observation: Int { counted.reduce(0, +) - takenBack.reduce(0, +) }
}
