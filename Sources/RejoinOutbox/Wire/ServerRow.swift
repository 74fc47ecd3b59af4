public import RejoinCore

/// A row as a server gives it.
public struct ServerRow: Hashable, Sendable {
  /// The collection's or the log's name.
  public var entity: String
  /// The id under which the server knows it.
  public var id: String
  /// The id that the device gave it, where the server repeats it.
  public var localID: String?
  /// The server's version; nil where it says none.
  public var version: Int64?
  /// When the server changed it, in milliseconds since the Unix epoch; nil where it does not say.
  public var updatedAt: Int64?
  /// Whether it is deleted there.
  public var isDeleted: Bool
  /// The fields in the wire's form, each name once.
  public var fields: [JSON.Member]

  /// Makes a row.
  public init(
    entity: String, id: String, localID: String? = nil, version: Int64? = nil, updatedAt: Int64? = nil,
    isDeleted: Bool = false, fields: [JSON.Member] = []
  ) {
    self.entity = entity
    self.id = id
    self.localID = localID
    self.version = version
    self.updatedAt = updatedAt
    self.isDeleted = isDeleted
    self.fields = fields
  }
}

extension ServerRow {
  /// The row as document 004 writes it, to be kept for later.
  var json: JSON {
    [
      "entity": .string(entity), "id": .string(id), "local_id": localID.map { .string($0) } ?? .null,
      "version": version.map { .int($0) } ?? .null, "updated_at": updatedAt.map { .int($0) } ?? .null,
      "deleted_at": isDeleted ? true : .null, "fields": .object(fields),
    ]
  }
}

/// What a server says of one entry.
public enum EntryAnswer: Hashable, Sendable {
  /// It is done, now or before: the version and the time it has there, the id that the server gave it, and the row where
  /// the server corrected something.
  case applied(version: Int64?, updatedAt: Int64?, serverID: String?, row: ServerRow?)
  /// The server has made the record, with values of its own; what it has not of the entry goes out as a change.
  case begun(row: ServerRow)
  /// The server had changed the record meanwhile; its row, where it says it.
  case conflict(row: ServerRow?)
  /// There is no such record any more.
  case gone
  /// Refused for good.
  case rejected(reason: String)
  /// To be tried again, not before so many milliseconds have passed.
  case retryLater(afterMilliseconds: Int64?, reason: String)
}

/// A page of what changed on a server.
public struct PullPage: Hashable, Sendable {
  /// The rows.
  public var rows: [ServerRow]
  /// Rows that could not be understood, as they came.
  public var unreadable: [JSON]
  /// Where the next page begins; goes back byte for byte.
  public var cursor: String?
  /// Whether there is more.
  public var hasMore: Bool
  /// The beginning of the server's history; another one than before means that everything starts again.
  public var epoch: String?
  /// Collections of which the page holds every row there is: one that the server was known to hold and that is not among
  /// them is deleted there.
  public var complete: Set<Collection> = []

  /// Makes a page.
  public init(
    rows: [ServerRow], unreadable: [JSON] = [], cursor: String?, hasMore: Bool, epoch: String? = nil
  ) {
    self.rows = rows
    self.unreadable = unreadable
    self.cursor = cursor
    self.hasMore = hasMore
    self.epoch = epoch
  }
}
