package import Rejoin

/// What a replica under test keeps its data in.
package protocol SimulatedStorage: Sendable {
  /// Makes an empty one.
  init()

  /// What may go wrong in it.
  static var misfortunes: [Misfortune] { get }

  /// Makes the replica in it.
  func make(_ configuration: ReplicaConfiguration) throws -> Replica

  /// Opens the replica once more, as another process does.
  func open(_ replica: Replica, _ configuration: ReplicaConfiguration) throws -> Replica

  /// Ends all processes; what is not safe in the storage is gone.
  func crash()

  /// Runs `body` while something goes wrong after some operations of the storage; says whether that has ended the
  /// process, so that the replica has to be opened again.
  func suffer(_ misfortune: Misfortune, after operations: Int, _ body: () throws -> Void) rethrows -> Bool

  /// How often something was committed; nil when nobody counts.
  var commitCount: Int? { get }

  /// What commits have touched since this was last asked, where they are counted.
  func takeTouched() -> StoreProbe.Touched
}

extension SimulatedStorage {
  /// Nothing: nobody counts.
  package func takeTouched() -> StoreProbe.Touched { StoreProbe.Touched() }
}

/// What goes wrong in a storage.
package enum Misfortune: String, Sendable, CaseIterable {
  /// The next commit fails.
  case refusal = "the store fails"
  /// The system reports an error, once.
  case inputOutput = "an I/O error"
  /// No room is left.
  case full = "the disk is full"
  /// Somebody else holds the lock, for a moment.
  case busy = "the file is busy"
  /// The process is killed.
  case kill = "a kill"
  /// The power fails: of what was not synced, a part survives.
  case powerCut = "a power cut"

  /// How many places there are in a transaction where it may strike.
  var places: Int { self == .refusal ? 1 : 30 }
}

/// A store in memory, which outlives the replica on it.
package struct MemoryStorage: SimulatedStorage {
  private let probe = StoreProbe()

  package init() { probe.watch() }

  package static var misfortunes: [Misfortune] { [.refusal] }

  package func make(_ configuration: ReplicaConfiguration) throws -> Replica {
    try Replica(store: ProbedStore(MemoryStore(), probe: probe), configuration: configuration)
  }

  package func open(_ replica: Replica, _ configuration: ReplicaConfiguration) throws -> Replica {
    try Replica(store: replica.withStore { $0 }, configuration: configuration)
  }

  package func crash() {}

  package func suffer(
    _ misfortune: Misfortune, after operations: Int, _ body: () throws -> Void
  ) rethrows -> Bool {
    probe.failCommits()
    defer { probe.failCommits(0) }
    try body()
    return false
  }

  package var commitCount: Int? { probe.commitCount }

  package func takeTouched() -> StoreProbe.Touched { probe.takeTouched() }
}
