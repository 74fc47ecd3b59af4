/// A generator whose numbers follow from its seed alone, in every version of Swift.
///
/// The standard library does not promise that `Int.random(in:using:)` or `shuffled(using:)` draw alike for ever; the
/// methods here do, so that a seed replays.
/// Source: Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators* (OOPSLA 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts the sequence of a seed.
  package init(seed: UInt64) {
    state = seed
  }

  /// The next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// A number from 0 to one less than `count`, by remainder: nobody here could notice the bias.
  package mutating func number(below count: Int) -> Int {
    Int(next() % UInt64(max(count, 1)))
  }

  /// Whether a draw with this chance of `parts` in a hundred succeeds.
  package mutating func succeeds(percent parts: Int) -> Bool { number(below: 100) < parts }

  /// One of the elements; there must be one.
  package mutating func element<Element>(of elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }

  /// The elements in another order (Fisher, Yates).
  package mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var shuffled = elements
    for index in shuffled.indices.dropFirst().reversed() {
      shuffled.swapAt(index, number(below: index + 1))
    }
    return shuffled
  }
}
