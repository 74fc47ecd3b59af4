import RejoinCore
import RejoinOutbox

/// Document 003's server: batches of one table, and tables one by one.
struct TableInterpreter: Interpreter {
  let dialect: any Dialect = TableDialect(tables: ["notes", "parts", "visits"])
  let saysVersions = false
  let saysOperations = false

  func heard(_ request: HTTPRequest, by server: ModelServer, from queue: [QueuedChange]) -> HTTPRequest {
    guard request.isPush else { return request }
    let table = table(of: request)
    guard let body = try? JSON(parsing: request.body), case .array(let records)? = body["records"] else {
      return .mutations([])
    }
    return .mutations(
      records.map { record in
        guard case .object(let members) = record, let id = (record["serverId"] ?? record["localId"])?.wireText
        else { return .null }
        let own = ["localId", "serverId", "opId", "updatedAt", "deletedAt"]
        return [
          "op_id": record["opId"] ?? .null, "entity": .string(table), "entity_id": .string(id),
          "op": record["deletedAt"] ?? .null == .null
            ? server.operation(on: table, id, record["deletedAt"]) : "delete",
          "payload": server.inward(members.filter { !own.contains($0.name) }),
          "base_version": .int(server.row(of: table, id)?.version ?? 0),
          "created_at": record["updatedAt"] ?? .null,
        ]
      })
  }

  private func table(of request: HTTPRequest) -> String {
    request.path.split(separator: "/").first.map(String.init) ?? ""
  }

  /// Pages hold one table.
  func meant(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse {
    guard !request.isPush, case .object(var page)? = answer.json,
      case .array(let changes)? = answer.json?["changes"]
    else { return answer }
    let rows = changes.filter { $0["entity"] == .string(table(of: request)) }
    for place in page.indices where page[place].name == "changes" { page[place].value = .array(rows) }
    return HTTPResponse(status: answer.status, headers: answer.headers, body: JSON.object(page).bytes())
  }

  func said(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse? {
    guard request.isPush else { return page(answer, by: server) }
    guard answer.status == 200, case .array(let results)? = answer.json?["results"],
      case .array(let records)? = (try? JSON(parsing: request.body))?["records"]
    else { return answer }
    let said = results.compactMap { result -> JSON? in
      guard let record = records.first(where: { $0["opId"] == result["op_id"] }) else { return nil }
      return self.said(result, of: record, in: table(of: request), by: server)
    }
    return .object(200, [JSON.Member("results", .array(said))])
  }

  private func said(_ result: JSON, of record: JSON, in table: String, by server: ModelServer) -> JSON? {
    var members = [JSON.Member("localId", record["localId"] ?? .null)]
    switch result["outcome"] {
    case "applied"?:
      members.append(JSON.Member("status", "synced"))
      for (name, other) in [("id", "serverId"), ("version", "version"), ("updated_at", "updatedAt")] {
        if let value = result[name] { members.append(JSON.Member(other, value)) }
      }
    case "gone"? where record["deletedAt"] ?? .null != .null: members.append(JSON.Member("status", "synced"))
    case "gone"?, "conflict"?:
      members.append(JSON.Member("status", "conflict"))
      let id = (record["serverId"] ?? record["localId"])?.wireText ?? ""
      let row =
        result["server"]
        ?? server.row(of: table, id).map { server.json($0, table, server.names[table]?[id] ?? id) }
      if let row { members.append(JSON.Member("server", row.flat(server, id: "serverId"))) }
    case "rejected"?:
      members.append(JSON.Member("status", "failed"))
      members.append(JSON.Member("error", result["reason"] ?? "no"))
    default: return nil
    }
    return .object(members)
  }

  private func page(_ answer: HTTPResponse, by server: ModelServer) -> HTTPResponse {
    guard let page = answer.json, case .array(let changes)? = page["changes"] else { return answer }
    var members: [JSON.Member] = [
      JSON.Member("records", .array(changes.map { $0.flat(server, id: "serverId") })),
      JSON.Member("cursor", page["cursor"] ?? .null), JSON.Member("hasMore", page["has_more"] ?? .null),
    ]
    if let epoch = page["epoch"] { members.append(JSON.Member("epoch", epoch)) }
    return .object(answer.status, members)
  }
}
