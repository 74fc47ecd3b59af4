extension Name {
  /// What the names of the library's own collections and logs start with; nobody else writes to those.
  public static var reservedPrefix: String { "rejoin." }

  /// Whether the name belongs to the library.
  public var isReserved: Bool { text.utf8.starts(with: Self.reservedPrefix.utf8) }
}

/// The logs that the library keeps for itself.
extension LogName {
  /// The conflict ledger: the losers of concurrent writes, each once.
  public static let conflicts: LogName = "rejoin.conflicts"

  /// Which entries of the ledger were resolved, and how.
  public static let resolutions: LogName = "rejoin.resolutions"

  /// What was erased: logs and parts of the ledger, each up to a vector.
  public static let erasures: LogName = "rejoin.erasures"

  /// The logs that this version of the library keeps.
  package static let own: [LogName] = [.conflicts, .resolutions, .erasures]
}
