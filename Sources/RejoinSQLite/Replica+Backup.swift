public import Rejoin

extension Replica {
  /// Writes a backup of the replica's file, as of one moment, to a path where nothing is yet; reading and writing go
  /// on meanwhile in other processes, and after it in this one.
  ///
  /// The backup is one file without a write-ahead log, and is there whole or not at all. Open it with
  /// ``init(restoring:at:configuration:durability:)``, never as a replica of its own: it bears the same id.
  ///
  /// - Throws: `SQLiteError` of kind `cantOpen` when there is a file already, and what SQLite throws;
  ///   `StoreError.notAFile` for a replica in memory.
  /// - Complexity: O(n) in the size of the file.
  public func backup(to path: String) throws {
    try withStore { store in
      guard let file = store as? SuspendableStore else { throw StoreError.notAFile }
      try file.store.backup(to: path)
    }
  }

  /// Makes a replica at a path where nothing is yet from a backup, under an id of its own.
  ///
  /// The replica holds what the backup held. What its original wrote later comes back by merging from a peer that
  /// has it; under the new id nothing that is written now can be taken for it.
  ///
  /// - Throws: `SQLiteError` of kind `cantOpen` when there is a file at `path` already or none at `backup`;
  ///   `StoreError` when the backup is no replica or damaged.
  public convenience init(
    restoring backup: String, at path: String, configuration: ReplicaConfiguration = ReplicaConfiguration(),
    durability: Durability = .full
  ) throws {
    let source = try SQLiteConnection(path: backup, readOnly: true)
    try SQLiteStore.requireReplica(source)
    try source.copy(to: path)
    var generator = EnvironmentGenerator(configuration.environment)
    try SQLiteStore(path: path, durability: durability).changeIdentity(to: .random(using: &generator))
    try self.init(at: path, configuration: configuration, durability: durability)
  }
}
