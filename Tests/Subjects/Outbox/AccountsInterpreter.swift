import AccountTrackers
import RejoinCore
import RejoinOutbox

/// Document 000's server: notes stand for accounts, and their parts for trackers.
///
/// It gives all rows ids of its own, never repeats a device's, and shows everything there is as one list.
struct AccountsInterpreter: Interpreter {
  let dialect: any Dialect = AccountsDialect(
    AccountsDialect.Names(accounts: "notes", trackers: "parts", account: "note", slug: "a", slugs: "as"))
  let saysVersions = false
  let saysOperations = true

  /// A part goes with its note.
  func shows(_ row: ModelServer.Row, of server: ModelServer) -> Bool {
    guard case .string(let parent)? = row.fields["note"] else { return true }
    return (server.rows["notes"] ?? [:]).contains {
      server.deviceID("notes", $0.key) == parent && !$0.value.isDeleted
    }
  }

  // MARK: Requests

  func heard(_ request: HTTPRequest, by server: ModelServer, from queue: [QueuedChange]) -> HTTPRequest {
    guard request.isPush else { return HTTPRequest("GET", "/sync") }
    let parts = request.path.split(separator: "/").map(String.init)
    let key = request.header("Idempotency-Key") ?? ""
    guard let change = queue.first(where: { $0.entry.id.description == key }) else { return .mutations([]) }
    var fields: [JSON.Member] = []
    if case .object(let members)? = try? JSON(parsing: request.body) { fields = members }
    let slugs = fields.first { $0.name == "as" }?.value
    fields.removeAll { $0.name == "as" }
    let operation: JSON =
      switch request.method {
      case "POST": "insert"
      case "PATCH": "update"
      default: "delete"
      }
    let id = parts.count > 1 ? parts[1] : change.entry.subject.id
    var entries = [entry(key, parts[0], id, operation, fields, by: server)]
    guard case .array(let values)? = slugs else { return .mutations(entries) }
    for child in children(of: change, values, in: queue) {
      let fields = child.entry.payload.filter { $0.name == "a" || $0.name == "note" }
      let part = entry(
        child.entry.id.description, "parts", child.entry.subject.id, "insert", fields, by: server)
      guard case .object(let members) = part else { continue }
      entries.append(.object(members + [JSON.Member("made_with", .string(key))]))
    }
    return .mutations(entries)
  }

  private func entry(
    _ key: String, _ entity: String, _ id: String, _ operation: JSON, _ fields: [JSON.Member],
    by server: ModelServer
  ) -> JSON {
    [
      "op_id": .string(key), "entity": .string(entity), "entity_id": .string(id), "op": operation,
      "payload": server.inward(fields), "base_version": .int(server.row(of: entity, id)?.version ?? 0),
      "created_at": .int(server.wallMilliseconds),
    ]
  }

  /// The new parts that a new note lists.
  private func children(of parent: QueuedChange, _ values: [JSON], in queue: [QueuedChange]) -> [QueuedChange]
  {
    var left = values
    return queue.filter { change in
      let payload = change.entry.payload
      guard change.entry.operation == .insert, change.status == .sending,
        change.entry.subject.entity == "parts",
        payload.contains(where: { $0.name == "note" && $0.value == .string(parent.entry.subject.id) }),
        let value = payload.first(where: { $0.name == "a" })?.value, let place = left.firstIndex(of: value)
      else { return false }
      left.remove(at: place)
      return true
    }
  }

  // MARK: Answers

  /// A page is a list of everything, and a part that was not made with its note is not spoken of.
  func meant(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse {
    guard request.isPush else {
      guard answer.status == 200, answer.json?["changes"] != nil else { return answer }
      return .object(
        200, [JSON.Member("changes", .array(list(server).map(\.row))), JSON.Member("has_more", false)])
    }
    guard case .array(let results)? = answer.json?["results"], results.count > 1 else {
      return answer.withoutVerdict
    }
    let isMade = results[0]["outcome"] == "applied"
    let told = results.enumerated().filter { $0 == 0 || isMade && $1["outcome"] == "applied" }.map(\.element)
    return .object(200, [JSON.Member("results", .array(told))])
  }

  /// All notes with their parts, as far as the list has them.
  private func list(_ server: ModelServer) -> [(row: JSON, parent: String?)] {
    let rows = server.traits.isLagging ? server.shown.rows : server.rows
    var list: [(JSON, String?)] = []
    for (id, note) in (rows["notes"] ?? [:]).sorted(by: { $0.key < $1.key }) where !note.isDeleted {
      list.append((server.json(note, "notes", id), nil))
      for (partID, part) in (rows["parts"] ?? [:]).sorted(by: { $0.key < $1.key })
      where !part.isDeleted && part.fields["note"] == .string(server.deviceID("notes", id)) {
        list.append((server.json(part, "parts", partID), id))
      }
    }
    return list
  }

  func said(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse? {
    guard request.isPush else { return page(answer, by: server) }
    guard answer.status == 200, case .array(let results)? = answer.json?["results"] else { return answer }
    guard let first = results.first else { return nil }
    guard first["outcome"] == "applied" else { return answer.asStatus { _ in [] } }
    if request.method == "DELETE" { return HTTPResponse(status: 204) }
    let parts = request.path.split(separator: "/").map(String.init)
    let id = first["id"]?.wireText ?? (parts.count > 1 ? parts[1] : nil)
    // The same key again: the server says once more which row it has made.
    guard let id, let row = server.rows[parts[0]]?[id] else { return HTTPResponse(status: 204) }
    let children = results.dropFirst().compactMap { result -> JSON? in
      guard let id = result["id"]?.wireText, let row = server.rows["parts"]?[id] else { return nil }
      return entity(server.json(row, "parts", id), by: server)
    }
    return HTTPResponse(
      status: 200, body: entity(server.json(row, parts[0], id), children, by: server).bytes())
  }

  private func page(_ answer: HTTPResponse, by server: ModelServer) -> HTTPResponse {
    guard answer.status == 200, case .array(let rows)? = answer.json?["changes"] else { return answer }
    let parts = rows.filter { $0["entity"] == "parts" }
    let notes = rows.filter { $0["entity"] == "notes" }.map { note in
      let id = server.deviceID("notes", note["id"]?.wireText ?? "")
      let own = parts.filter { $0["fields"]?["note"] == .string(id) }
      return entity(note, own.map { entity($0, by: server) }, by: server)
    }
    return HTTPResponse(status: 200, body: JSON.array(notes).bytes())
  }

  /// A row as document 000 writes it, without the device's id.
  private func entity(_ row: JSON, _ children: [JSON]? = nil, by server: ModelServer) -> JSON {
    var members = [
      JSON.Member("id", row["id"] ?? .null), JSON.Member("updatedAt", row["updated_at"] ?? .null),
    ]
    members += server.outward(row["fields"])
    if let children { members.append(JSON.Member("trackers", .array(children))) }
    return .object(members)
  }
}
