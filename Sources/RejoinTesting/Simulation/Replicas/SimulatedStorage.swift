package import Rejoin

/// What a replica under test keeps its data in.
package protocol SimulatedStorage: Sendable {
  /// Makes an empty one.
  init()

  /// Makes the replica in it.
  func make(_ configuration: ReplicaConfiguration) throws -> Replica

  /// Opens the replica once more, as another process does.
  func open(_ replica: Replica, _ configuration: ReplicaConfiguration) throws -> Replica

  /// Ends all processes; what is not safe in the storage is gone.
  func crash()

  /// Runs `body` while nothing can be committed.
  func failing(_ body: () throws -> Void) rethrows
}

/// A store in memory, which outlives the replica on it.
package struct MemoryStorage: SimulatedStorage {
  private let probe = StoreProbe()

  package init() {}

  package func make(_ configuration: ReplicaConfiguration) throws -> Replica {
    try Replica(store: ProbedStore(MemoryStore(), probe: probe), configuration: configuration)
  }

  package func open(_ replica: Replica, _ configuration: ReplicaConfiguration) throws -> Replica {
    try Replica(store: replica.withStore { $0 }, configuration: configuration)
  }

  package func crash() {}

  package func failing(_ body: () throws -> Void) rethrows {
    probe.failCommits()
    defer { probe.failCommits(0) }
    try body()
  }
}
