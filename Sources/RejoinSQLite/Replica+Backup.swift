public import Rejoin

extension Replica {
  /// Writes a backup of the replica's file, as of one moment, to a path where nothing is yet; reading and writing go
  /// on meanwhile in other processes, and after it in this one.
  ///
  /// The backup is one file without a write-ahead log, made as `path.rejoin-partial`, which is the library's to
  /// remove, and named when it is whole. When this returns, file and name are on the disk; after an error or a crash
  /// nothing is at `path`, or the whole backup. Open it with ``init(restoring:at:configuration:durability:)``, never
  /// as a replica of its own: it bears the same id. One call at a time for a path.
  ///
  /// - Throws: `SQLiteError` of kind `cantOpen` when there is a file already, or the log of one, and what SQLite
  ///   throws; `StoreError.notAFile` for a replica in memory.
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
  /// After an error nothing is at `path`, and the call may be repeated; or the whole replica is, under its new id,
  /// which could only not be opened yet, and ``init(at:configuration:durability:)`` opens it.
  ///
  /// - Throws: `SQLiteError` of kind `cantOpen` when there is a file at `path` already, or the log of one, or none
  ///   at `backup`; `StoreError` when the backup is no replica or damaged.
  public convenience init(
    restoring backup: String, at path: String, configuration: ReplicaConfiguration = ReplicaConfiguration(),
    durability: Durability = .full
  ) throws {
    try self.init(
      restoring: backup, at: path, configuration: configuration, durability: durability, files: .system)
  }

  /// As above, on another file system than the system's, or with another layout than the present one.
  package convenience init(
    restoring backup: String, at path: String, configuration: ReplicaConfiguration, durability: Durability,
    files: FileSystem, schema: Schema = .current
  ) throws {
    var generator = EnvironmentGenerator(configuration.environment)
    try SQLiteStore.restore(backup, to: path, as: .random(using: &generator), files: files, schema: schema)
    try self.init(
      store: try SuspendableStore(path: path, durability: durability, files: files, schema: schema),
      configuration: configuration)
  }
}
