extension Replica {
  /// The least version of the application that may write to the data set, as far as this replica knows; nil when none
  /// was ever required.
  public var requiredSchemaVersion: Int? { withEngine { $0.requiredSchemaVersion } }

  /// Requires every replica to be of a version of the application, or a later one, before it writes again.
  ///
  /// The requirement travels with deltas. A replica whose ``ReplicaConfiguration/schemaVersion`` is lower refuses local
  /// writes from then on, and goes on reading, merging and sending, so that nothing is lost. It cannot be taken back,
  /// and a lower one has no effect. A replica that was opened without a version is never refused.
  ///
  /// - Throws: `ReplicaError.invalidSchemaVersion` for a version below 1 or above 2^31 - 1,
  ///   `ReplicaError.upgradeRequired` when this replica's own version is lower, and what the store throws.
  public func requireSchemaVersion(_ version: Int) throws {
    guard SchemaRequirement.versions ~= version else { throw ReplicaError.invalidSchemaVersion(version) }
    try write("require schema version \(version)") { transaction in
      if let own = transaction.engine.schemaVersion, own < version {
        throw ReplicaError.upgradeRequired(required: version, own: own)
      }
      if let known = transaction.engine.requiredSchemaVersion, known >= version { return }
      try transaction.require(schemaVersion: version)
    }
  }
}
