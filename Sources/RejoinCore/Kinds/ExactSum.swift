/// A sum of whole numbers that no order of adding changes: it has 128 bits and is cut to 64 only when it is read.
package struct ExactSum: Hashable, Sendable {
  private var high: Int64 = 0
  private var low: UInt64 = 0

  /// Nothing.
  package init() {}

  /// Adds a number.
  package mutating func add(_ number: Int64) {
    let (sum, carry) = low.addingReportingOverflow(UInt64(bitPattern: number))
    low = sum
    high = high &+ (number < 0 ? -1 : 0) &+ (carry ? 1 : 0)
  }

  /// Takes a number away.
  package mutating func subtract(_ number: Int64) {
    // What is left of the smallest number when it is negated is one too little.
    add(number == .min ? .max : -number)
    if number == .min { add(1) }
  }

  /// What must be added to come to a number; nil when that is none of 64 bits.
  package func missing(to goal: Int64) -> Int64? {
    var (difference, candidate) = (ExactSum(), ExactSum())
    difference.add(goal)
    (difference.high, difference.low) = difference.subtracting(self)
    candidate.add(difference.clamped)
    return candidate == difference ? difference.clamped : nil
  }

  private func subtracting(_ other: ExactSum) -> (high: Int64, low: UInt64) {
    let (low, borrow) = low.subtractingReportingOverflow(other.low)
    return (high &- other.high &- (borrow ? 1 : 0), low)
  }

  /// The sum, or the largest or smallest number of 64 bits where it lies beyond.
  package var clamped: Int64 {
    let number = Int64(bitPattern: low)
    if high == (number < 0 ? -1 : 0) { return number }
    return high < 0 ? .min : .max
  }
}
