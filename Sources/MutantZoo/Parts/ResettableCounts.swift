/// How often each replica counted, and how much of that is taken back: both only ever grow, so that they merge.
struct ResettableCounts: Hashable, Sendable {
  var counted: [Int]
  var takenBack: [Int]

  init(replicaCount: Int) {
    counted = Array(repeating: 0, count: replicaCount)
    takenBack = counted
  }

  /// Keeps the greater number of each replica.
  mutating func merge(_ other: ResettableCounts) {
    counted = zip(counted, other.counted).map { max($0, $1) }
    takenBack = zip(takenBack, other.takenBack).map { max($0, $1) }
  }

  /// The increments that are not taken back.
  var total: Int { counted.reduce(0, +) - takenBack.reduce(0, +) }
}
