package import RejoinCore
package import RejoinOutbox

/// A plain server in memory, with the faults that such servers and the way to them have.
package struct ModelServer {
  /// A row.
  package struct Row: Equatable {
    package var version: Int64
    package var updatedAt: Int64
    package var isDeleted: Bool
    package var fields: [String: JSON]
    var order: Int64
  }

  /// What may go wrong with one request.
  package enum Fault: CaseIterable {
    case none, lostRequest, lostAnswer, repeatedRequest, serverError, tooLarge, foreign, busyEntries,
      missingAnswer
    case correction, noVersion, refusedBatch, emptyPage
  }

  /// The rows, by entity and id.
  package private(set) var rows: [String: [String: Row]] = [:]
  /// How often each operation was carried out.
  package private(set) var applied: [String: Int] = [:]
  /// The wall clock, in milliseconds.
  package var wallMilliseconds: Int64
  /// Whether an update on an older version is refused, or simply carried out.
  package let isStrict: Bool
  /// How many entries came.
  package private(set) var received = 0
  private var results: [String: JSON] = [:]
  private var order: Int64 = 0
  private var epoch = 1

  package init(wallMilliseconds: Int64, isStrict: Bool) {
    self.wallMilliseconds = wallMilliseconds
    self.isStrict = isStrict
  }

  /// Answers a request; nil where nothing comes back.
  package mutating func answer(_ request: HTTPRequest, fault: Fault) -> HTTPResponse? {
    switch fault {
    case .lostRequest: return nil
    case .serverError: return HTTPResponse(status: 503)
    case .foreign: return HTTPResponse(status: 200, body: Array("<html>Sign in</html>".utf8))
    case .tooLarge where request.method == "POST": return HTTPResponse(status: 413)
    case .refusedBatch where request.method == "POST" && entries(of: request).count > 1:
      return HTTPResponse(status: 422, body: Array("{}".utf8))
    default: break
    }
    if fault == .repeatedRequest { _ = handle(request, fault: .none) }
    let response = handle(request, fault: fault)
    return fault == .lostAnswer ? nil : response
  }

  private func entries(of request: HTTPRequest) -> [JSON] {
    guard let json = try? JSON(parsing: request.body), case .array(let entries)? = json["mutations"] else {
      return []
    }
    return entries
  }

  private mutating func handle(_ request: HTTPRequest, fault: Fault) -> HTTPResponse {
    guard request.method == "POST" else { return page(request, fault: fault) }
    var answers: [JSON] = []
    for (index, entry) in entries(of: request).enumerated() {
      received += 1
      if fault == .busyEntries, index % 2 == 0 {
        answers.append(["op_id": entry["op_id"] ?? .null, "outcome": "retry_later"])
        continue
      }
      let answer = take(entry, fault: fault)
      if fault != .missingAnswer || index > 0 { answers.append(answer) }
    }
    let body: JSON = ["results": .array(answers)]
    return HTTPResponse(status: 200, body: body.bytes())
  }

  private mutating func take(_ entry: JSON, fault: Fault) -> JSON {
    guard case .string(let key)? = entry["op_id"] else { return .null }
    if let known = results[key] { return known }
    let answer = apply(entry, key: key, fault: fault)
    if answer["outcome"] == "applied" { applied[key, default: 0] += 1 }
    results[key] = answer
    return answer
  }

  private mutating func apply(_ entry: JSON, key: String, fault: Fault) -> JSON {
    guard case .string(let entity)? = entry["entity"], case .string(let id)? = entry["entity_id"],
      case .string(let operation)? = entry["op"], case .object(let payload)? = entry["payload"],
      case .int(let base)? = entry["base_version"]
    else { return ["op_id": .string(key), "outcome": "rejected", "reason": "malformed"] }
    let old = rows[entity]?[id]
    if payload.contains(where: { $0.value == .string("refused") }) {
      return ["op_id": .string(key), "outcome": "rejected", "reason": "a value is refused"]
    }
    switch (operation, old) {
    case ("insert", let old?) where !old.isDeleted: return conflict(key, entity, id, old)
    case ("update", nil), ("delete", nil): return gone(key, operation)
    case ("update", let old?) where old.isDeleted: return gone(key, operation)
    case ("update", let old?) where isStrict && old.version != base,
      ("delete", let old?) where isStrict && old.version != base && !old.isDeleted:
      return conflict(key, entity, id, old)
    default: break
    }
    var row = old ?? Row(version: 0, updatedAt: 0, isDeleted: false, fields: [:], order: 0)
    // A row that exists anew has all its columns, without values.
    if operation == "insert" { row.fields = row.fields.mapValues { _ in .null } }
    for member in payload { row.fields[member.name] = member.value }
    if fault == .correction, operation != "delete" { row.fields["corrected"] = .int(row.version) }
    row.isDeleted = operation == "delete"
    put(row, entity, id)
    guard let row = rows[entity]?[id] else { return .null }
    var members: [JSON.Member] = [
      JSON.Member("op_id", .string(key)), JSON.Member("outcome", "applied"),
      JSON.Member("updated_at", .int(row.updatedAt)),
    ]
    if fault != .noVersion { members.append(JSON.Member("version", .int(row.version))) }
    if fault == .correction { members.append(JSON.Member("server", json(row, entity, id))) }
    return .object(members)
  }

  private func gone(_ key: String, _ operation: String) -> JSON {
    // As 404: the protocol's answers have no word of their own for it.
    ["op_id": .string(key), "outcome": .string("gone")]
  }

  private func conflict(_ key: String, _ entity: String, _ id: String, _ row: Row) -> JSON {
    ["op_id": .string(key), "outcome": "conflict", "server": json(row, entity, id)]
  }

  private mutating func put(_ row: Row, _ entity: String, _ id: String) {
    var row = row
    order += 1
    row.version += 1
    row.updatedAt = wallMilliseconds
    row.order = order
    rows[entity, default: [:]][id] = row
  }

  /// Somebody else's edit; nil deletes.
  package mutating func edit(_ entity: String, _ id: String, _ fields: [String: JSON]?) {
    var row = rows[entity]?[id] ?? Row(version: 0, updatedAt: 0, isDeleted: false, fields: [:], order: 0)
    if row.isDeleted { row.fields = row.fields.mapValues { _ in .null } }
    row.isDeleted = fields == nil
    row.fields.merge(fields ?? [:]) { $1 }
    put(row, entity, id)
  }

  /// The server forgets its cursors and says so by another epoch.
  package mutating func changeEpoch() { epoch += 1 }

  private func page(_ request: HTTPRequest, fault: Fault) -> HTTPResponse {
    let since = request.query.first { $0.name == "since" }?.value
    var position: Int64 = 0
    if let since, !since.isEmpty {
      let parts = since.split(separator: "/").compactMap { Int64($0) }
      guard parts.count == 2, parts[0] == Int64(epoch) else {
        return HTTPResponse(status: 410, body: Array(#"{"error":"unknown_cursor"}"#.utf8))
      }
      position = parts[1]
    }
    var changed: [(String, String, Row)] = []
    for (entity, byID) in rows {
      for (id, row) in byID where row.order > position { changed.append((entity, id, row)) }
    }
    changed.sort { $0.2.order < $1.2.order }
    let limit = 3
    let taken = fault == .emptyPage && !changed.isEmpty ? [] : Array(changed.prefix(limit))
    let end = taken.last?.2.order ?? position
    let body: JSON = [
      "changes": .array(taken.map { json($0.2, $0.0, $0.1) }), "cursor": .string("\(epoch)/\(end)"),
      "has_more": .bool(changed.count > taken.count), "epoch": .string(String(epoch)),
    ]
    return HTTPResponse(status: 200, body: body.bytes())
  }

  private func json(_ row: Row, _ entity: String, _ id: String) -> JSON {
    [
      "entity": .string(entity), "id": .string(id), "version": .int(row.version),
      "updated_at": .int(row.updatedAt), "deleted_at": row.isDeleted ? .int(row.updatedAt) : .null,
      "fields": .object(row.fields.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value) }),
    ]
  }
}
