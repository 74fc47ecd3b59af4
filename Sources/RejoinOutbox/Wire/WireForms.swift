public import RejoinCore

/// Reads what servers write in several forms.
extension JSON {
  /// A text, or a whole number as text: ids and cursors come as either; nil for anything else.
  public var wireText: String? {
    switch self {
    case .string(let text): text
    case .int(let number): String(number)
    default: nil
    }
  }

  /// A point in time, in milliseconds since the Unix epoch, written as that or as ISO 8601; nil for anything else.
  public var wireTime: Int64? {
    switch self {
    case .int(let milliseconds): milliseconds
    case .string(let text): ISO8601.milliseconds(text)
    default: nil
    }
  }

  /// A whole number; nil for anything else.
  public var wireNumber: Int64? { if case .int(let number) = self { number } else { nil } }

  /// Whether the time of a deletion says that there was one: servers without a time of it say no, zero or nothing where
  /// a row is alive.
  public var wireSaysDeleted: Bool {
    switch self {
    case .null, .bool(false), .int(0), .double(0): false
    case .string(let text): !text.isEmpty
    default: true
    }
  }
}

extension JSON {
  /// Whether a page says that there is more: documents 002 and 003 have no name for it, and servers write it in either
  /// way; nil where it says nothing.
  var wireHasMore: Bool? {
    if case .bool(let hasMore)? = self["hasMore"] ?? self["has_more"] { hasMore } else { nil }
  }
}

extension HTTPResponse {
  /// The JSON that it holds; nil where it holds anything else.
  public var json: JSON? { try? JSON(parsing: body) }
}

extension ServerRow {
  /// Reads a row as document 004 writes it; nil when it lacks what every row has.
  public init?(_ json: JSON) {
    guard case .string(let entity)? = json["entity"], !entity.isEmpty, let id = json["id"]?.wireText,
      !id.isEmpty
    else { return nil }
    self.init(entity: entity, id: id)
    localID = json["local_id"]?.wireText
    version = json["version"]?.wireNumber
    updatedAt = json["updated_at"]?.wireTime
    isDeleted = json["deleted_at"]?.wireSaysDeleted ?? false
    if case .object(let fields)? = json["fields"] {
      self.fields = fields
    } else if !isDeleted {
      return nil
    }
  }

  /// Reads a row whose fields stand beside what every row has, as documents 000, 002 and 003 write it; nil when it lacks
  /// that.
  ///
  /// - Parameters:
  ///   - json: the row.
  ///   - entity: what the row is about, where the row does not say it under `entity`.
  ///   - id: the name of the member that holds the server's id.
  public init?(flat json: JSON, entity: String? = nil, id: String = "id") {
    guard case .object(let members) = json, let entity = entity ?? json["entity"]?.wireText, !entity.isEmpty,
      let text = json[id]?.wireText, !text.isEmpty
    else { return nil }
    self.init(entity: entity, id: text)
    localID = json["localId"]?.wireText
    version = json["version"]?.wireNumber
    updatedAt = json["updatedAt"]?.wireTime
    isDeleted = json["deletedAt"]?.wireSaysDeleted ?? false
    fields = members.filter { $0.name != id && !ServerRow.flatNames.contains($0.name) }
  }

  /// What every row has beside its fields, where those stand at the top level.
  static let flatNames: Set = [
    "entity", "id", "serverId", "localId", "opId", "version", "updatedAt", "deletedAt",
  ]
}

extension EntryAnswer {
  /// Reads the answer to one entry as document 004 writes it; nil where it says nothing that is known.
  init?(_ json: JSON) {
    let row = json["server"].flatMap { ServerRow($0) }
    let reason = json["reason"]?.wireText
    switch json["outcome"] {
    case "applied"?:
      self = .applied(
        version: json["version"]?.wireNumber, updatedAt: json["updated_at"]?.wireTime,
        serverID: json["id"]?.wireText, row: row)
    case "conflict"?: self = .conflict(row: row)
    case "gone"?: self = .gone
    case "rejected"?: self = .rejected(reason: reason ?? "rejected")
    case "retry_later"?:
      let wait = json["retry_after"]?.wireNumber.map { RetryAfter.milliseconds(seconds: $0) }
      self = .retryLater(afterMilliseconds: wait, reason: reason ?? "later")
    default: return nil
    }
  }
}

extension PullPage {
  /// Adds rows; those that cannot be read stay as they came.
  public mutating func add(_ changes: [JSON], _ row: (JSON) -> ServerRow?) {
    for change in changes {
      if let row = row(change) { rows.append(row) } else { unreadable.append(change) }
    }
  }
}
