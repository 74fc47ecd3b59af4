import Rejoin
import Synchronization

/// Time and randomness of the demo: one seed, one story.
final class DemoClock: Sendable {
  private struct State {
    var milliseconds: Int64
    var generator: SplitMix64
  }

  private let state: Mutex<State>

  init(seed: UInt64, startMilliseconds: Int64) {
    state = Mutex(State(milliseconds: startMilliseconds, generator: SplitMix64(seed: seed)))
  }

  /// The true time, which no replica sees.
  var milliseconds: Int64 { state.withLock { $0.milliseconds } }

  /// Lets time pass.
  func advance(milliseconds: Int64) {
    state.withLock { $0.milliseconds += milliseconds }
  }

  /// The next 64 random bits.
  func randomBits() -> UInt64 { state.withLock { $0.generator.next() } }

  /// The environment of a replica whose wall clock is off by a constant.
  func environment(skewMilliseconds: Int64) -> ReplicaEnvironment {
    ReplicaEnvironment(
      wallMilliseconds: { self.milliseconds + skewMilliseconds }, randomBits: { self.randomBits() })
  }
}

/// A small random number generator whose numbers depend on its seed alone.
///
/// Source: Steele, Lea, Flood, *Fast splittable pseudorandom number generators* (OOPSLA 2014).
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
