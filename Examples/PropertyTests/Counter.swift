import RejoinTesting

/// A counter that only grows: each replica counts for itself, and the sum is shown.
///
/// `Fault` decides how merging treats one replica's count: the larger of both is right, the sum is the classic
/// mistake.
struct Counter<Fault: CounterMerge>: StateBased {
  enum Operation { case increment }

  private let replica: Int
  private var counts: [Int]

  init(replica number: Int, of count: Int) {
    replica = number
    counts = Array(repeating: 0, count: count)
  }

  func operation(_ choices: inout Choices) -> Operation { .increment }

  mutating func apply(_ operation: Operation, clockMilliseconds: Int64) { counts[replica] += 1 }

  mutating func merge(_ other: Counter) {
    counts = zip(counts, other.counts).map(Fault.merged)
  }

  var observation: Int { counts.reduce(0, +) }

  static func objection(to observation: Int, after past: Past<Operation>) -> String? {
    observation == past.events.count ? nil : "\(past.events.count) increments were seen"
  }
}

protocol CounterMerge {
  static func merged(_ one: Int, _ other: Int) -> Int
}

enum LargerCount: CounterMerge {
  static func merged(_ one: Int, _ other: Int) -> Int { max(one, other) }
}

enum SummedCount: CounterMerge {
  static func merged(_ one: Int, _ other: Int) -> Int { one + other }
}
