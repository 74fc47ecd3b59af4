import RejoinCore

/// The default dialect, document 004's: batches to `/mutations`, pages from `/sync`.
public struct MutationsDialect: Dialect {
  /// Makes the dialect.
  public init() {}

  /// `POST /mutations` with the entries in order.
  public func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest {
    var request = HTTPRequest("POST", "/mutations")
    request.headers = [HTTPRequest.Parameter("Content-Type", "application/json")]
    if entries.count == 1 {
      request.headers.append(HTTPRequest.Parameter("Idempotency-Key", entries[0].id.description))
    }
    let body: JSON = [
      "schema_version": .int(Int64(configuration.schemaVersion)),
      "mutations": .array(entries.map(\.wireJSON)),
    ]
    request.body = body.bytes()
    return request
  }

  /// Reads `{"results": […]}` by operation id, in whatever order it comes.
  public func answers(
    to entries: [OutboxEntry], in response: HTTPResponse
  ) throws(ForeignAnswer) -> [EntryAnswer?] {
    let (results, isSingle) = try results(in: response, isAlone: entries.count == 1)
    var answers: [OperationID: EntryAnswer] = [:]
    for result in results {
      guard case .string(let text)? = result["op_id"], let id = OperationID(text) else { continue }
      answers[id] = Wire.answer(result)
    }
    if isSingle, response.status == 404 || response.status == 410 { return [.gone] }
    return entries.map { answers[$0.id] }
  }

  /// What a response says of entries, and whether it says it of one without a list around it, as some servers answer.
  ///
  /// Of what cannot be read as a whole each result is read by itself, and what cannot be read then either, by itself
  /// without the server's row.
  private func results(
    in response: HTTPResponse, isAlone: Bool
  ) throws(ForeignAnswer) -> (results: [JSON], isSingle: Bool) {
    if let json = Wire.json(response) {
      if isAlone, json["outcome"] != nil { return ([json], true) }
      guard case .array(let results)? = json["results"] else { throw ForeignAnswer() }
      return (results, false)
    }
    guard let object = LooseObject(response.body) else { throw ForeignAnswer() }
    if isAlone, let json = object.json(without: "server"), json["outcome"] != nil { return ([json], true) }
    let results = try object.elements("results").compactMap { text in
      (try? JSON(parsing: text)) ?? LooseObject(text)?.json(without: "server")
    }
    return (results, false)
  }

  /// `GET /sync` since the cursor.
  public func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest {
    var request = HTTPRequest("GET", "/sync")
    request.query.append(HTTPRequest.Parameter("since", cursor ?? ""))
    request.query.append(HTTPRequest.Parameter("limit", String(configuration.pageLimit)))
    request.query.append(HTTPRequest.Parameter("schema_version", String(configuration.schemaVersion)))
    return request
  }

  /// Reads `{"changes": […], "cursor": …, "has_more": …}`.
  public func page(in response: HTTPResponse) throws(ForeignAnswer) -> PullPage {
    guard let json = Wire.json(response) else { return try loosePage(in: response) }
    guard case .array(let changes)? = json["changes"], case .bool(let hasMore)? = json["has_more"] else {
      throw ForeignAnswer()
    }
    var page = PullPage(rows: [], cursor: Wire.text(json["cursor"]), hasMore: hasMore)
    page.epoch = Wire.text(json["epoch"])
    for change in changes {
      if let row = Wire.row(change) { page.rows.append(row) } else { page.unreadable.append(change) }
    }
    return page
  }

  /// Reads a page of which something cannot be read: what cannot be read of it by itself is a row that cannot be
  /// understood.
  private func loosePage(in response: HTTPResponse) throws(ForeignAnswer) -> PullPage {
    guard let object = LooseObject(response.body), case .bool(let hasMore)? = try object.value("has_more")
    else { throw ForeignAnswer() }
    var page = PullPage(rows: [], cursor: Wire.text(try object.value("cursor")), hasMore: hasMore)
    page.epoch = Wire.text(try object.value("epoch"))
    for text in try object.elements("changes") {
      let change = (try? JSON(parsing: text)) ?? .string(String(decoding: text, as: UTF8.self))
      if let row = Wire.row(change) { page.rows.append(row) } else { page.unreadable.append(change) }
    }
    return page
  }

  /// Reads a refusal of the cursor.
  public func saysUnknownCursor(_ response: HTTPResponse) -> Bool {
    guard [400, 404, 410, 422].contains(response.status), let json = Wire.json(response) else { return false }
    return [json["error"], json["code"], json["reason"]].contains {
      Wire.text($0)?.contains("cursor") ?? false
    }
  }
}

extension OutboxEntry {
  /// The entry as document 004 sends it.
  var wireJSON: JSON {
    var members: [JSON.Member] = [
      JSON.Member("op_id", .string(id.description)), JSON.Member("entity", .string(subject.entity)),
      JSON.Member("entity_id", .string(entityID)), JSON.Member("op", .string(operation.rawValue)),
      JSON.Member("payload", .object(payload)), JSON.Member("base_version", .int(baseVersion)),
      JSON.Member("created_at", .int(createdAt)),
    ]
    if let intent { members.append(JSON.Member("intent", .string(intent))) }
    return .object(members)
  }
}

/// Reads the forms that dialects share.
enum Wire {
  /// The JSON of a response, if that is what it holds.
  static func json(_ response: HTTPResponse) -> JSON? { try? JSON(parsing: response.body) }

  /// A text, or a number as text: ids and cursors come as either.
  static func text(_ json: JSON?) -> String? {
    switch json {
    case .string(let text)?: text
    case .int(let number)?: String(number)
    default: nil
    }
  }

  /// Milliseconds, or a time as ISO 8601 writes it.
  static func time(_ json: JSON?) -> Int64? {
    switch json {
    case .int(let milliseconds)?: return milliseconds
    case .string(let text)?: return ISO8601.milliseconds(text)
    default: return nil
    }
  }

  static func number(_ json: JSON?) -> Int64? {
    guard case .int(let number)? = json else { return nil }
    return number
  }

  /// The row of document 004; nil when it lacks what every row has.
  static func row(_ json: JSON) -> ServerRow? {
    guard case .string(let entity)? = json["entity"], !entity.isEmpty, let id = text(json["id"]), !id.isEmpty
    else { return nil }
    var row = ServerRow(entity: entity, id: id)
    row.localID = text(json["local_id"])
    row.version = number(json["version"])
    row.updatedAt = time(json["updated_at"])
    // Servers without a time of it say no, zero or nothing where a row is alive.
    switch json["deleted_at"] {
    case nil, .null?, .bool(false)?, .int(0)?, .double(0)?: row.isDeleted = false
    case .string(let text)?: row.isDeleted = !text.isEmpty
    default: row.isDeleted = true
    }
    if case .object(let fields)? = json["fields"] {
      row.fields = fields
    } else if !row.isDeleted {
      return nil
    }
    return row
  }

  /// The answer to one entry.
  static func answer(_ json: JSON) -> EntryAnswer? {
    let row = json["server"].flatMap { Wire.row($0) }
    let wait = number(json["retry_after"]).map { RetryAfter.milliseconds(seconds: $0) }
    switch text(json["outcome"]) {
    case "applied":
      return .applied(
        version: number(json["version"]), updatedAt: time(json["updated_at"]), serverID: text(json["id"]),
        row: row)
    case "conflict": return .conflict(row: row)
    case "gone": return .gone
    case "rejected": return .rejected(reason: text(json["reason"]) ?? "rejected")
    case "retry_later": return .retryLater(afterMilliseconds: wait, reason: text(json["reason"]) ?? "later")
    default: return nil
    }
  }
}
