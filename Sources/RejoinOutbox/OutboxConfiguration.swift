public import RejoinCore

/// What an application decides about one of its servers.
public struct OutboxConfiguration: Sendable {
  /// The name under which the replica's file keeps what belongs to this server; it never changes.
  public var server: String
  /// The collections that travel; nil for all.
  public var collections: Set<Collection>?
  /// The logs that travel.
  public var logs: Set<LogName>
  /// What fields hold where plain JSON does not say it.
  public var kinds: [Collection: [FieldName: FieldKind]]
  /// The version of the application's records that the server is told.
  public var schemaVersion: Int
  /// How many entries travel in one request at most: from 1 to 10,000; what lies outside becomes the nearest of them.
  public var batchLimit: Int {
    didSet { batchLimit = batchLimit.clamped(to: Limits.batch) }
  }
  /// How many rows a page of a pull is asked to have: from 1 to 1,000,000; what lies outside becomes the nearest of them.
  public var pageLimit: Int {
    didSet { pageLimit = pageLimit.clamped(to: Limits.page) }
  }
  /// How often a server may put off an entry, before the entry becomes a dead letter: 1 at least.
  public var attemptLimit: Int {
    didSet { attemptLimit = attemptLimit.clamped(to: Limits.attempts) }
  }
  /// Collections of which an edited record is made anew when the server turns out to have deleted it; in others the
  /// deletion wins and the edit is in the conflict ledger.
  public var revives: Set<Collection> = []
  /// Whether this device sends what other devices wrote, too, for those that never reach the server themselves.
  ///
  /// What it sends for others has keys that are derived from what is sent, so that two gateways send one key.
  public var relays = false
  /// Largest value that is sent, in bytes of its JSON (256 KiB): an entry with a larger one is a dead letter.
  public var valueBytes = 256 << 10
  /// How far before its cursor a pull begins, in milliseconds, where the dialect's cursors allow it (30 seconds): from 0
  /// to 365 days; what lies outside becomes the nearest of them.
  public var lookBackMilliseconds: Int64 = 30_000 {
    didSet { lookBackMilliseconds = lookBackMilliseconds.clamped(to: Limits.lookBack) }
  }

  /// Makes a configuration with the documents' figures.
  public init(
    server: String = "main", collections: Set<Collection>? = nil, logs: Set<LogName> = [],
    kinds: [Collection: [FieldName: FieldKind]] = [:], schemaVersion: Int = 1, batchLimit: Int = 50,
    pageLimit: Int = 500, attemptLimit: Int = 8
  ) {
    self.server = server
    self.collections = collections
    self.logs = logs
    self.kinds = kinds
    self.schemaVersion = schemaVersion
    self.batchLimit = batchLimit.clamped(to: Limits.batch)
    self.pageLimit = pageLimit.clamped(to: Limits.page)
    self.attemptLimit = attemptLimit.clamped(to: Limits.attempts)
  }

  /// The figures that mean something: one that is computed may come out as nothing, or as more than any server takes.
  private enum Limits {
    static let batch = 1...10_000
    static let page = 1...1_000_000
    static let attempts = 1...Int.max
    static let lookBack: ClosedRange<Int64> = 0...31_536_000_000
  }

  /// What the dialect asks for.
  var rules = DialectRules()

  /// How many entries a request has at most.
  var requestLimit: Int { min(batchLimit, max(1, rules.batchLimit ?? batchLimit)) }

  /// How often a server may put off an entry.
  var putOffLimit: Int { min(attemptLimit, max(1, rules.attemptLimit ?? attemptLimit)) }

  /// Whether a subject travels to the server.
  func includes(_ subject: Subject) -> Bool { TravelScope(self).includes(subject) }
}

extension Comparable {
  fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
