public import Rejoin

/// What a power cut may cost.
public enum Durability: Hashable, Sendable {
  /// What `write` returned survives a power cut: SQLite's `synchronous=FULL`, one flush of the disk a commit, on
  /// Apple's systems with `fullfsync`, so that the disk's own cache is emptied.
  ///
  /// Where the file system has no shared memory, and so no write-ahead log, it is `EXTRA`.
  case full

  /// A power cut may take the latest commits, all of them whole, and never the file: `synchronous=NORMAL`.
  /// To peers that already merged them the replica then looks like a restored backup.
  ///
  /// Where there is no write-ahead log it is `FULL`, since less would risk the file.
  case normal
}

extension Replica {
  /// Opens the replica in a file, or makes a new one there.
  ///
  /// A file that an older version of the library wrote is brought up to the present layout, in one transaction;
  /// older versions refuse it from then on.
  ///
  /// - Parameters:
  ///   - path: the SQLite file; beside it lie its write-ahead log and shared memory while it is open.
  ///   - configuration: data set, drift bound, time and randomness.
  ///   - durability: what a power cut may cost.
  /// - Throws: `StoreError` when the file belongs to something else, to a newer version or is damaged,
  ///   `SQLiteError` when SQLite fails.
  public convenience init(
    at path: String, configuration: ReplicaConfiguration = ReplicaConfiguration(),
    durability: Durability = .full
  ) throws {
    try self.init(
      store: try SuspendableStore(path: path, durability: durability), configuration: configuration)
  }
}
