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
