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
  /// How many entries travel in one request at most.
  public var batchLimit: Int
  /// How many rows a page of a pull is asked to have.
  public var pageLimit: Int
  /// How often a server may put off an entry, before the entry becomes a dead letter.
  public var attemptLimit: Int

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
    self.batchLimit = batchLimit
    self.pageLimit = pageLimit
    self.attemptLimit = attemptLimit
  }

  /// Whether a subject travels to the server.
  func includes(_ subject: Subject) -> Bool {
    switch subject {
    case .record(let key):
      !key.collection.isReserved && (collections?.contains(key.collection) ?? true)
    case .entry(let key): logs.contains(key.log)
    }
  }
}
