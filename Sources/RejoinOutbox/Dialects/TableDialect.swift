public import RejoinCore

/// Document 003's dialect: batches of records of one table, answered record by record, and tables that are pulled one
/// after the other.
///
/// Fields stand beside what every record has, so a field of the application's that is called as one of that, such as
/// `updatedAt`, does not travel.
public struct TableDialect: Dialect {
  /// Up to 50 records for each request.
  public let rules: DialectRules
  private let tables: [String]

  /// Makes the dialect for the tables that are pulled, in this order.
  public init(tables: [String]) {
    self.tables = tables
    var rules = DialectRules()
    rules.batchLimit = 50
    rules.refersByServerIDs = true
    self.rules = rules
  }

  // MARK: Push

  /// Records of one table share a request, unless one refers to another: its server's id is not known before.
  public func joins(_ entry: OutboxEntry, _ others: [OutboxEntry]) -> Bool {
    guard entry.subject.entity == others[0].subject.entity else { return false }
    let ids = Set(others.map { JSON.string($0.subject.id) })
    return !entry.payload.contains { ids.contains($0.value) }
  }

  /// `POST /{table}/batch` with the records.
  public func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest {
    let table = HTTPRequest.escaped(entries[0].subject.entity)
    var request = HTTPRequest(
      "POST", "/\(table)/batch", entries[0], configuration,
      body: ["records": .array(entries.map(record))])
    if entries.count > 1 { request.headers.removeAll { $0.name == "Idempotency-Key" } }
    return request
  }

  private func record(_ entry: OutboxEntry) -> JSON {
    var members = [JSON.Member("localId", .string(entry.subject.id))]
    if let id = entry.serverID { members.append(JSON.Member("serverId", .string(id))) }
    members.append(JSON.Member("opId", .string(entry.id.description)))
    members.append(JSON.Member("updatedAt", .int(entry.createdAt)))
    if entry.operation == .delete { members.append(JSON.Member("deletedAt", .int(entry.createdAt))) }
    if entry.restores { members.append(JSON.Member("deletedAt", .null)) }
    return .object(members + entry.wirePayload.filter { !ServerRow.flatNames.contains($0.name) })
  }

  /// Reads `{"results": […]}` by local id, in whatever order it comes.
  public func answers(
    to entries: [OutboxEntry], in response: HTTPResponse
  ) throws(ForeignAnswer) -> [EntryAnswer?] {
    guard response.status == 200, case .array(let results)? = response.json?["results"] else {
      throw ForeignAnswer()
    }
    var answers: [String: EntryAnswer] = [:]
    for result in results {
      guard let id = result["localId"]?.wireText else { continue }
      answers[id] = answer(result, table: entries[0].subject.entity)
    }
    return entries.map { answers[$0.subject.id] }
  }

  private func answer(_ result: JSON, table: String) -> EntryAnswer? {
    switch result["status"] {
    case "synced"?:
      return .applied(
        version: result["version"]?.wireNumber, updatedAt: result["updatedAt"]?.wireTime,
        serverID: result["serverId"]?.wireText, row: nil)
    case "conflict"?: return .conflict(row: result["server"].flatMap { row($0, table: table) })
    case "failed"?: return .rejected(reason: result["error"]?.wireText ?? "failed")
    default: return nil
    }
  }

  private func row(_ json: JSON, table: String) -> ServerRow? {
    ServerRow(flat: json, entity: table, id: json["serverId"] == nil ? "id" : "serverId")
  }

  // MARK: Pull

  /// Where all tables are pulled to: the server's cursor of each, and the one whose turn it is.
  private struct Place {
    var cursors: [String: String] = [:]
    var turn = 0

    init(_ text: String?) {
      guard let json = text.flatMap({ try? JSON(parsing: Array($0.utf8)) }) else { return }
      if case .object(let members)? = json["cursors"] {
        for member in members { cursors[member.name] = member.value.wireText }
      }
      turn = json["turn"]?.wireNumber.flatMap { Int(exactly: $0) } ?? 0
    }

    var text: String {
      let members = cursors.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) }
      return JSON.object([JSON.Member("cursors", .object(members)), JSON.Member("turn", .int(Int64(turn)))])
        .text()
    }
  }

  /// `GET /{table}` of the table whose turn it is, since its cursor.
  public func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest? {
    guard !tables.isEmpty else { return nil }
    let place = Place(cursor)
    let table = tables[place.turn % tables.count]
    var request = HTTPRequest("GET", "/\(HTTPRequest.escaped(table))")
    request.query = MutationsDialect().pull(from: place.cursors[table], configuration)?.query ?? []
    return request
  }

  /// Reads `{"records": […], "cursor", "hasMore"}` of the table whose turn it was, or the same with `changes` and
  /// `has_more`; the last page of one table is followed by the first of the next.
  public func page(in response: HTTPResponse, from cursor: String?) throws(ForeignAnswer) -> PullPage {
    guard !tables.isEmpty, let json = response.json,
      case .array(let records)? = json["records"] ?? json["changes"],
      let hasMore = json.wireHasMore
    else { throw ForeignAnswer() }
    var place = Place(cursor)
    place.turn %= tables.count
    let table = tables[place.turn]
    if let reached = json["cursor"]?.wireText { place.cursors[table] = reached }
    if !hasMore { place.turn = (place.turn + 1) % tables.count }
    var page = PullPage(rows: [], cursor: place.text, hasMore: hasMore || place.turn > 0)
    page.epoch = json["epoch"]?.wireText
    page.add(records) { row($0, table: table) }
    return page
  }

  // MARK: The queue

  /// The record as document 003 keeps it, with where it is on its way.
  public func item(of change: QueuedChange) -> JSON {
    guard case .object(var members) = record(change.entry) else { return .null }
    let status =
      switch change.status {
      case .pending: "pending"
      case .sending: "syncing"
      case .conflict, .dead: "failed"
      }
    members.append(JSON.Member("syncStatus", .string(status)))
    members.append(JSON.Member("retryCount", .int(Int64(change.attempts))))
    if let error = change.lastError { members.append(JSON.Member("lastError", .string(error))) }
    return .object(members)
  }
}
