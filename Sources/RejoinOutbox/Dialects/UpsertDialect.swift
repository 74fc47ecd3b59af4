public import RejoinCore

/// Document 002's dialect: each change is posted under its key, and what is new comes behind a cursor of time and id.
///
/// The server takes what comes: it holds no change against a version, so of two changes of one field the one stays that
/// reaches it last.
public struct UpsertDialect: Dialect {
  /// One change for each request.
  public let rules: DialectRules

  /// Makes the dialect.
  public init() {
    var rules = DialectRules()
    rules.batchLimit = 1
    rules.refersByServerIDs = true
    self.rules = rules
  }

  // MARK: Push

  /// `POST /mutations/{key}` with the entry.
  public func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest {
    HTTPRequest(
      "POST", "/mutations/\(entries[0].id)", entries[0], configuration,
      body: body(of: entries[0], attempts: entries[0].attempts))
  }

  private func body(of entry: OutboxEntry, attempts: Int) -> JSON {
    var payload =
      [JSON.Member("id", .string(entry.entityID))]
      + entry.wirePayload.filter { !ServerRow.flatNames.contains($0.name) }
    if entry.restores { payload.append(JSON.Member("deletedAt", .null)) }
    return [
      "id": .string(entry.id.description), "entity": .string(entry.subject.entity),
      "op": entry.operation == .delete ? "delete" : "upsert", "payload": .object(payload),
      "createdAt": .int(entry.createdAt), "attempts": .int(Int64(attempts)),
    ]
  }

  /// Reads a status.
  public func answers(
    to entries: [OutboxEntry], in response: HTTPResponse
  ) throws(ForeignAnswer) -> [EntryAnswer?] {
    switch try StatusAnswer(response, to: entries[0]) {
    case .done(let json):
      return [
        .applied(
          version: json?["version"]?.wireNumber, updatedAt: json?["updatedAt"]?.wireTime,
          serverID: json?["id"]?.wireText, row: nil)
      ]
    case .conflict: return [.conflict(row: nil)]
    case .gone: return [.gone]
    case .rejected(let reason): return [.rejected(reason: reason)]
    }
  }

  // MARK: Pull

  /// `GET /sync` since the cursor.
  public func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest? {
    MutationsDialect().pull(from: cursor, configuration)
  }

  /// Reads `{"changes": […], "cursor": {"at", "id"}, "hasMore"}`, with the fields of rows at their top level; also with
  /// `has_more`.
  public func page(in response: HTTPResponse, from cursor: String?) throws(ForeignAnswer) -> PullPage {
    guard let json = response.json, case .array(let changes)? = json["changes"],
      let hasMore = json.wireHasMore
    else { throw ForeignAnswer() }
    var page = PullPage(rows: [], cursor: nil, hasMore: hasMore)
    switch json["cursor"] {
    case nil, .null?: break
    case .some(let place):
      guard place["at"] != nil, place["id"] != nil else { throw ForeignAnswer() }
      page.cursor = place.text()
    }
    page.epoch = json["epoch"]?.wireText
    page.add(changes) { ServerRow(flat: $0) }
    return page
  }

  /// The cursor with an earlier time, before every id of that time.
  public func cursor(_ cursor: String, movedBackBy milliseconds: Int64) -> String? {
    guard let json = try? JSON(parsing: Array(cursor.utf8)), let at = json["at"], let time = at.wireTime
    else {
      return nil
    }
    let (earlier, overflows) = time.subtractingReportingOverflow(milliseconds)
    guard !overflows else { return nil }
    let moved: JSON = if case .string = at { .time(earlier) } else { .int(earlier) }
    return JSON.object([JSON.Member("at", moved), JSON.Member("id", "")]).text()
  }

  // MARK: The queue

  /// The change as document 002 keeps it.
  public func item(of change: QueuedChange) -> JSON { body(of: change.entry, attempts: change.attempts) }
}
