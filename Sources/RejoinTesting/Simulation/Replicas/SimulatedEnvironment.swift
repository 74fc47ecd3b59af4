public import Rejoin
package import RejoinCore
import Synchronization

/// A wall clock that stands still until a test moves it, and randomness that follows from a seed.
public final class SimulatedEnvironment: Sendable {
  private struct State {
    var wallMilliseconds: Int64
    var generator: SplitMix64
  }

  private let state: Mutex<State>

  /// Starts at a wall time with the randomness of a seed.
  public init(wallMilliseconds: Int64 = 1_000, seed: UInt64) {
    state = Mutex(State(wallMilliseconds: wallMilliseconds, generator: SplitMix64(seed: seed)))
  }

  /// The wall time, in milliseconds since the Unix epoch.
  public var wallMilliseconds: Int64 {
    get { state.withLock { $0.wallMilliseconds } }
    set { state.withLock { $0.wallMilliseconds = newValue } }
  }

  /// Moves the wall clock, forwards or back.
  public func pass(milliseconds: Int64) {
    state.withLock { $0.wallMilliseconds += milliseconds }
  }

  /// What a replica is given.
  public var environment: ReplicaEnvironment {
    ReplicaEnvironment(
      wallMilliseconds: { self.wallMilliseconds },
      randomBits: { self.state.withLock { $0.generator.next() } })
  }

  /// The data set of all replicas of a simulation.
  package static let dataset = DatasetID(name: "simulation")

  /// The configuration of a replica that lives in this environment.
  package func configuration(
    maxDriftMilliseconds: Int64 = Limits.maxDriftMilliseconds
  ) -> ReplicaConfiguration {
    ReplicaConfiguration(
      dataset: Self.dataset, maxDriftMilliseconds: maxDriftMilliseconds,
      environment: environment)
  }
}
