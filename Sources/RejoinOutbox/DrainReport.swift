/// A change that met another one on the server.
public struct OutboxConflict: Hashable, Sendable {
  /// The change.
  public var entry: OutboxEntry
  /// The server's row; nil where there is none any more, or none that could be understood.
  public var row: ServerRow?
}

/// A change that a server refused for good.
public struct DeadLetter: Hashable, Sendable, Identifiable {
  /// The id of the change.
  public var id: OperationID { entry.id }
  /// The change.
  public var entry: OutboxEntry
  /// What the server said; ``tooLarge`` where the entry is too large for it, or would be.
  public var reason: String
  /// Whether nobody who speaks the protocol ever refused it, so that the server may hold the change after all.
  ///
  /// It was put off too often, or was too large for something in between.
  public var isUndecided = false

  /// The reason of an entry that is too large for the server, or holds a value that is.
  public static let tooLarge = "tooLarge"
}

/// What a drain did.
public struct DrainReport: Hashable, Sendable {
  /// Entries that the server holds now.
  public internal(set) var applied: [OperationID] = []
  /// Changes that met others on the server; those that are not decided go out again.
  public internal(set) var conflicts: [OutboxConflict] = []
  /// Changes that the server refused for good.
  public internal(set) var rejected: [DeadLetter] = []
  /// How many rows in answers could not be understood, and are kept as they came.
  public internal(set) var quarantined = 0
  /// How many entries the server put off.
  public internal(set) var putOff = 0
  /// How many requests were made.
  public internal(set) var requests = 0
  /// Why it stopped before everything was sent; nil when nothing that may be sent was left.
  public internal(set) var stopped: StopReason?

  /// Nothing was done.
  public init() {}
}

/// Why a cycle ended early; what is in the outbox stays there.
public enum StopReason: Hashable, Sendable {
  /// The server could not be reached.
  case unreachable
  /// The server asks to wait, or fails at everything.
  case busy(status: Int)
  /// Nothing was asked: the server was busy, and is left alone for so long yet.
  case waiting(milliseconds: Int64)
  /// Somebody has to sign in again.
  case signedOut
  /// The server speaks to newer versions of the application only.
  case upgradeRequired
  /// Another process that has the same file open is exchanging with the server.
  case runsElsewhere
  /// Somebody answered who is not the server, such as a network's sign-in page.
  case foreignAnswer(status: Int)
}
