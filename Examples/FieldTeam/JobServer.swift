import Rejoin
import RejoinOutbox

/// A plain server as a test of an application would fake one: rows with versions, keys that count once, a cursor.
///
/// It speaks the wire format of `MutationsDialect`: `POST /mutations` and `GET /sync`.
actor JobServer {
  /// A row, or an entry of a log.
  struct Row {
    let entity: String
    let id: String
    var version: Int64 = 0
    var updatedAt: Int64 = 0
    var fields: [String: JSON] = [:]
    /// When it last changed, in the order of all changes.
    var order = 0
  }

  /// How long a note may be.
  static let longestNote = 60

  /// How often each operation was carried out.
  private(set) var applied: [String: Int] = [:]
  /// How many entries came, those included that came again.
  private(set) var received = 0
  /// How many requests came.
  private(set) var requests = 0

  private let clock: Clock
  private var rows: [String: Row] = [:]
  private var answers: [String: JSON] = [:]
  private var changes = 0

  init(clock: Clock) { self.clock = clock }

  /// The rows of a collection by their ids.
  func rows(of entity: String) -> [String: [String: JSON]] {
    let found = rows.values.filter { $0.entity == entity }.map { ($0.id, $0.fields) }
    return Dictionary(uniqueKeysWithValues: found)
  }

  /// Writes a row as the people in the office do.
  func write(_ entity: String, _ id: String, _ fields: [String: JSON]) {
    var row = rows["\(entity)/\(id)"] ?? Row(entity: entity, id: id)
    row.fields.merge(fields) { $1 }
    put(row)
  }

  /// Answers a request.
  func answer(_ request: HTTPRequest) -> HTTPResponse {
    requests += 1
    guard request.method == "POST" else { return respond(page(request)) }
    guard let body = try? JSON(parsing: request.body), case .array(let entries)? = body["mutations"] else {
      return HTTPResponse(status: 400)
    }
    return respond(["results": .array(entries.map { take($0) })])
  }

  private func respond(_ json: JSON) -> HTTPResponse { HTTPResponse(status: 200, body: json.bytes()) }

  // MARK: Mutations

  /// What was answered under a key is answered again: the device may not have heard it.
  private func take(_ entry: JSON) -> JSON {
    received += 1
    let key = text(entry["op_id"])
    if let known = answers[key] { return known }
    let answer = decide(entry, key)
    answers[key] = answer
    return answer
  }

  private func decide(_ entry: JSON, _ key: String) -> JSON {
    let (entity, id) = (text(entry["entity"]), text(entry["entity_id"]))
    let old = rows["\(entity)/\(id)"]
    guard case .object(let payload)? = entry["payload"] else {
      return ["op_id": .string(key), "outcome": "rejected", "reason": "no payload"]
    }
    if entity == "notes", text(entry["payload"]?["text"]).count > JobServer.longestNote {
      let reason = "a note has \(JobServer.longestNote) characters at most"
      return ["op_id": .string(key), "outcome": "rejected", "reason": .string(reason)]
    }
    guard entry["base_version"] == .int(old?.version ?? 0) else {
      return ["op_id": .string(key), "outcome": "conflict", "server": old.map(json) ?? .null]
    }
    var row = old ?? Row(entity: entity, id: id)
    for member in payload { row.fields[member.name] = member.value }
    row = put(row)
    applied[key, default: 0] += 1
    return [
      "op_id": .string(key), "outcome": "applied", "version": .int(row.version),
      "updated_at": .int(row.updatedAt),
    ]
  }

  @discardableResult
  private func put(_ row: Row) -> Row {
    var row = row
    changes += 1
    row.version += 1
    row.order = changes
    row.updatedAt = clock.milliseconds
    rows["\(row.entity)/\(row.id)"] = row
    return row
  }

  // MARK: Pages

  private func page(_ request: HTTPRequest) -> JSON {
    func parameter(_ name: String) -> Int? {
      request.query.first { $0.name == name }.flatMap { Int($0.value) }
    }
    let since = parameter("since") ?? 0
    let changed = rows.values.filter { $0.order > since }.sorted { $0.order < $1.order }
    let page = changed.prefix(parameter("limit") ?? 500)
    return [
      "changes": .array(page.map(json)), "cursor": .string("\(page.last?.order ?? since)"),
      "has_more": .bool(changed.count > page.count),
    ]
  }

  private func json(_ row: Row) -> JSON {
    [
      "entity": .string(row.entity), "id": .string(row.id), "version": .int(row.version),
      "updated_at": .int(row.updatedAt), "deleted_at": .null,
      "fields": .object(row.fields.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value) }),
    ]
  }

  private func text(_ json: JSON?) -> String {
    if case .string(let text)? = json { text } else { "" }
  }
}
