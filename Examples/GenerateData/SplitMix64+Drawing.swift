import RejoinCore

extension SplitMix64 {
  /// A number of the half-open range, by remainder: the bias is far below what example data could show.
  mutating func number(in range: Range<Int64>) -> Int64 {
    range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound))
  }

  /// True `numerator` times out of `denominator`.
  mutating func chance(_ numerator: Int64, in denominator: Int64) -> Bool {
    number(in: 0..<denominator) < numerator
  }
}
