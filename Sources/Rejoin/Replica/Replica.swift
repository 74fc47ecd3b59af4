public import RejoinCore

/// One replica of a data set: it reads and writes locally, and merges what other replicas know.
///
/// All calls are synchronous, short and safe from any thread; each sees a consistent state. Do not call a
/// replica inside the closure of its own `write`: use the transaction that the closure is given.
public final class Replica: Sendable {
  let engine: LockedEngine

  /// Where the replica gets time and randomness from.
  let environment: ReplicaEnvironment

  /// Makes a replica that lives in memory.
  public convenience init(configuration: ReplicaConfiguration = ReplicaConfiguration()) {
    do {
      try self.init(store: MemoryStore(), configuration: configuration)
    } catch {
      preconditionFailure("a store in memory cannot fail: \(error)")
    }
  }

  /// Opens the replica that a store holds, or makes a new one in it.
  package init(store: sending any Store, configuration: ReplicaConfiguration) throws {
    environment = configuration.environment
    engine = LockedEngine(try Engine(store: store, configuration: configuration))
  }

  /// Streams end with their replica.
  deinit {
    withEngine { engine in
      engine.observers.finish()
      engine.diagnosticObservers.finish()
    }
  }

  /// The replica's id: the second half of every timestamp that it issues.
  public var id: ReplicaID { withEngine { $0.header.replica } }

  /// The data set that the replica belongs to.
  public var dataset: DatasetID { withEngine { $0.header.dataset } }

  /// How much of every replica's history this one covers; give it to a peer's ``delta(since:)``.
  public var version: VersionVector { withEngine { $0.vector } }

  /// The largest time that the replica's clock has issued or merged.
  public var lastTime: HybridTime { withEngine { $0.clock.last } }

  /// What the replica's wall clock shows: the time to write into fields, also inside of a transaction.
  ///
  /// It orders nothing; that is what timestamps are for.
  public var now: UnixTime { UnixTime(milliseconds: environment.wallMilliseconds()) }

  /// Makes an id for a new record: time and randomness come from the replica's environment.
  public func newID() -> RecordID {
    var generator = EnvironmentGenerator(environment)
    return .make(wallMilliseconds: environment.wallMilliseconds(), using: &generator)
  }
}
