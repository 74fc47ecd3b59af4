/// What a dialect's servers ask of an outbox, or leave to it.
public struct DialectRules: Hashable, Sendable {
  /// What becomes of a change that met another one on the server.
  public enum ConflictRule: Hashable, Sendable {
    /// It is based on the server's row and sent again, as the policies of its fields decide.
    case rebase
    /// It stays as it is, next to the server's row, until somebody has decided.
    case stop
  }

  /// How many entries a request has at most; nil leaves it to the configuration.
  public var batchLimit: Int?
  /// Whether the entries of one request are one thing to the server, so that a request is never divided, and a verdict
  /// on it as a whole is one on its first entry.
  public var isIndivisible = false
  /// How often a server may put off an entry at most; nil leaves it to the configuration.
  public var attemptLimit: Int?
  /// Whether an entry that was put off too often is a conflict, and not a dead letter.
  public var endsInConflict = false
  /// What becomes of a change that met another one on the server.
  public var onConflict = ConflictRule.rebase
  /// Whether references travel as the server's ids of the records that they name, both ways.
  public var refersByServerIDs = false

  /// Document 004's rules.
  public init() {}
}
