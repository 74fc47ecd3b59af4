public import RejoinCore

/// What the application decides about a replica when it opens it.
public struct ReplicaConfiguration: Sendable {
  /// The data set of a new replica; nil draws one, which an empty replica exchanges for that of its first peer.
  ///
  /// A chosen one is never exchanged, and a file that belongs to another is not opened: a device on which somebody
  /// else signs in does not take in the data of the one before.
  ///
  /// Devices that may write before they ever met must agree on it, for example by `DatasetID(name:)`.
  public var dataset: DatasetID?

  /// How far a timestamp may lie ahead of the wall clock before its register waits, in milliseconds.
  public var maxDriftMilliseconds: Int64

  /// How many entries of the conflict ledger are kept of each collection, the latest; 0 keeps none and records none.
  ///
  /// It should be the same on all replicas of a data set: what one has let go others may never learn from it.
  public var conflictsPerCollection: Int

  /// Where time and randomness come from.
  public var environment: ReplicaEnvironment

  /// The version of the application's record types, to be held against what ``Replica/requireSchemaVersion(_:)`` asks
  /// for; nil is never refused.
  public var schemaVersion: Int?

  /// Makes a configuration.
  public init(
    dataset: DatasetID? = nil, maxDriftMilliseconds: Int64 = Limits.maxDriftMilliseconds,
    conflictsPerCollection: Int = Limits.conflictsPerCollection, environment: ReplicaEnvironment = .system,
    schemaVersion: Int? = nil
  ) {
    self.dataset = dataset
    self.maxDriftMilliseconds = maxDriftMilliseconds
    self.conflictsPerCollection = conflictsPerCollection
    self.environment = environment
    self.schemaVersion = schemaVersion
  }
}
