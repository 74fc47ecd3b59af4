import RejoinCore
import RejoinOutbox

/// Document 001's server: methods and resources, versions in `If-Match`.
struct IntentInterpreter: Interpreter {
  let dialect: any Dialect = IntentDialect(pulling: MutationsDialect())
  let saysVersions = true
  let saysOperations = true

  func heard(_ request: HTTPRequest, by server: ModelServer, from queue: [QueuedChange]) -> HTTPRequest {
    guard request.isPush else { return request }
    let parts = request.path.split(separator: "/").map(String.init)
    let body = try? JSON(parsing: request.body)
    var fields: [JSON.Member] = []
    if case .object(let members)? = body { fields = members.filter { $0.name != "id" } }
    let operation: JSON =
      switch request.method {
      case "POST": "insert"
      case "PATCH": "update"
      default: "delete"
      }
    let base = request.header("If-Match").flatMap { Int64($0.filter { $0 != "\"" }) }
    let id = parts.count > 2 ? JSON.string(parts[2]) : body?["id"] ?? .null
    return .mutations([
      [
        "op_id": .string(request.header("Idempotency-Key") ?? ""), "entity": .string(parts[1]),
        "entity_id": id, "op": operation, "payload": server.inward(fields), "base_version": .int(base ?? 0),
        "created_at": .int(server.wallMilliseconds),
      ]
    ])
  }

  func meant(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse {
    request.isPush ? answer.withoutVerdict : answer
  }

  func said(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse? {
    guard request.isPush else { return answer.outward(server) }
    return answer.asStatus { row in
      [
        JSON.Member("serverVersion", row["version"] ?? .null),
        JSON.Member("deletedAt", row["deleted_at"] ?? .null),
        JSON.Member("server", .object(server.outward(row["fields"]))),
      ]
    }
  }
}

/// Document 002's server: takes what comes.
struct UpsertInterpreter: Interpreter {
  let dialect: any Dialect = UpsertDialect()
  let saysVersions = false
  let saysOperations = false

  func heard(_ request: HTTPRequest, by server: ModelServer, from queue: [QueuedChange]) -> HTTPRequest {
    guard request.isPush else { return heardPull(request, by: server) }
    guard let body = try? JSON(parsing: request.body), case .object(let payload)? = body["payload"],
      case .string(let entity)? = body["entity"], case .string(let id)? = body["payload"]?["id"]
    else { return .mutations([]) }
    return .mutations([
      [
        "op_id": body["id"] ?? .null, "entity": .string(entity), "entity_id": .string(id),
        "op": body["op"] == "delete"
          ? "delete" : server.operation(on: entity, id, body["payload"]?["deletedAt"]),
        "payload": server.inward(payload.filter { $0.name != "id" && $0.name != "deletedAt" }),
        "base_version": .int(server.row(of: entity, id)?.version ?? 0),
        "created_at": body["createdAt"] ?? .null,
      ]
    ])
  }

  /// The model's cursor stands for the id; one that was moved back begins with the first row of its time.
  private func heardPull(_ request: HTTPRequest, by server: ModelServer) -> HTTPRequest {
    guard let since = request.query.first(where: { $0.name == "since" })?.value, !since.isEmpty,
      let place = try? JSON(parsing: Array(since.utf8)), case .string(let id)? = place["id"]
    else { return request }
    var cursor = id
    if id.isEmpty, case .int(let time)? = place["at"] {
      let later = server.rows.values.flatMap { $0.values.filter { $0.updatedAt >= time }.map(\.order) }
      cursor = "\(server.epoch)/\((later.min() ?? server.contents.order + 1) - 1)/\(server.purges)"
    }
    var heard = request
    heard.query = [HTTPRequest.Parameter("since", cursor)]
    return heard
  }

  func meant(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse {
    request.isPush ? answer.withoutVerdict : answer
  }

  func said(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse? {
    guard !request.isPush else { return answer.asStatus { _ in [] } }
    guard let page = answer.json, case .array(let changes)? = page["changes"], let cursor = page["cursor"]
    else { return answer }
    let rows = changes.map { $0.flat(server, id: "id") }
    let place: JSON = ["at": .int(server.time(of: cursor)), "id": cursor]
    var members: [JSON.Member] = [
      JSON.Member("changes", .array(rows)), JSON.Member("cursor", place),
      JSON.Member("hasMore", page["has_more"] ?? .null),
    ]
    if let epoch = page["epoch"] { members.append(JSON.Member("epoch", epoch)) }
    return .object(answer.status, members)
  }
}

extension ModelServer {
  /// The time of the last row before a cursor.
  fileprivate func time(of cursor: JSON) -> Int64 {
    guard let parts = cursor.wireText?.split(separator: "/"), parts.count > 1, let end = Int64(parts[1])
    else {
      return 0
    }
    let earlier = rows.values.flatMap { $0.values.filter { $0.order <= end } }
    return earlier.map(\.updatedAt).max() ?? 0
  }
}

extension HTTPResponse {
  /// A page of the default dialect with references as the server knows them.
  func outward(_ server: ModelServer) -> HTTPResponse {
    guard case .object(var page)? = json, case .array(let changes)? = json?["changes"] else { return self }
    let rows = changes.map { row -> JSON in
      guard case .object(var members) = row else { return row }
      for place in members.indices where members[place].name == "fields" {
        members[place].value = .object(server.outward(members[place].value))
      }
      return .object(members)
    }
    for place in page.indices where page[place].name == "changes" { page[place].value = .array(rows) }
    return HTTPResponse(status: status, headers: headers, body: JSON.object(page).bytes())
  }
}

extension JSON {
  /// A row of the default dialect with its fields at the top level.
  func flat(_ server: ModelServer, id: String) -> JSON {
    var members: [JSON.Member] = []
    let names = [
      ("entity", "entity"), ("id", id), ("local_id", "localId"), ("version", "version"),
      ("updated_at", "updatedAt"), ("deleted_at", "deletedAt"),
    ]
    for (name, other) in names {
      if let value = self[name] { members.append(JSON.Member(other, value)) }
    }
    return .object(members + server.outward(self["fields"]))
  }
}
