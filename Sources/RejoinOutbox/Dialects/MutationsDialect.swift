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
      answers[id] = EntryAnswer(result)
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
    if let json = response.json {
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
  public func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest? {
    var request = HTTPRequest("GET", "/sync")
    request.query.append(HTTPRequest.Parameter("since", cursor ?? ""))
    request.query.append(HTTPRequest.Parameter("limit", String(configuration.pageLimit)))
    request.query.append(HTTPRequest.Parameter("schema_version", String(configuration.schemaVersion)))
    return request
  }

  /// Reads `{"changes": […], "cursor": …, "has_more": …}`.
  public func page(in response: HTTPResponse, from cursor: String?) throws(ForeignAnswer) -> PullPage {
    guard let json = response.json else { return try loosePage(in: response) }
    guard case .array(let changes)? = json["changes"], case .bool(let hasMore)? = json["has_more"] else {
      throw ForeignAnswer()
    }
    var page = PullPage(rows: [], cursor: json["cursor"]?.wireText, hasMore: hasMore)
    page.epoch = json["epoch"]?.wireText
    for change in changes {
      if let row = ServerRow(change) { page.rows.append(row) } else { page.unreadable.append(change) }
    }
    return page
  }

  /// Reads a page of which something cannot be read: what cannot be read of it by itself is a row that cannot be
  /// understood.
  private func loosePage(in response: HTTPResponse) throws(ForeignAnswer) -> PullPage {
    guard let object = LooseObject(response.body), case .bool(let hasMore)? = try object.value("has_more")
    else { throw ForeignAnswer() }
    var page = PullPage(rows: [], cursor: try object.value("cursor")?.wireText, hasMore: hasMore)
    page.epoch = try object.value("epoch")?.wireText
    for text in try object.elements("changes") {
      let change = (try? JSON(parsing: text)) ?? .string(String(decoding: text, as: UTF8.self))
      if let row = ServerRow(change) { page.rows.append(row) } else { page.unreadable.append(change) }
    }
    return page
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
