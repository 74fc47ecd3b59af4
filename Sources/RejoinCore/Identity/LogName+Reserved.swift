/// The logs that the library keeps for itself.
extension LogName {
  /// What the names of the library's own logs start with; nobody else appends to such logs.
  public static let reservedPrefix = "rejoin."

  /// The conflict ledger: the losers of concurrent writes, each once.
  public static let conflicts: LogName = "rejoin.conflicts"

  /// Which entries of the ledger were resolved, and how.
  public static let resolutions: LogName = "rejoin.resolutions"

  /// What was erased: logs and parts of the ledger, each up to a vector.
  public static let erasures: LogName = "rejoin.erasures"

  /// The logs that this version of the library keeps.
  package static let own: [LogName] = [.conflicts, .resolutions, .erasures]

  /// Whether the log belongs to the library.
  public var isReserved: Bool { text.utf8.starts(with: Self.reservedPrefix.utf8) }
}
