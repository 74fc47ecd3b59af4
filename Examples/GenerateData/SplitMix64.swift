/// A generator whose numbers follow from its seed alone (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", 2014).
///
/// The standard library does not promise that `Int.random(in:using:)` draws the same numbers in every version;
/// the methods here do.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number of the half-open range, by remainder: the bias is far below what example data could show.
  mutating func number(in range: Range<Int64>) -> Int64 {
    range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound))
  }

  /// One of the elements; `elements` is not empty.
  mutating func element<Element>(of elements: [Element]) -> Element {
    elements[Int(number(in: 0..<Int64(elements.count)))]
  }

  /// True `numerator` times out of `denominator`.
  mutating func chance(_ numerator: Int64, in denominator: Int64) -> Bool {
    number(in: 0..<denominator) < numerator
  }
}
