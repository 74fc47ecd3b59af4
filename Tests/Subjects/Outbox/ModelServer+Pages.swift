import RejoinCore
import RejoinOutbox

/// What a server shows: pages of rows in the order in which they became visible.
extension ModelServer {
  private static let pageLimit = 3

  var unknownCursor: HTTPResponse {
    HTTPResponse(status: 410, body: Array(#"{"error":"unknown_cursor"}"#.utf8))
  }

  func page(_ request: HTTPRequest, fault: Fault, _ device: Int?) -> HTTPResponse {
    let since = request.query.first { $0.name == "since" }?.value ?? ""
    var position: Int64 = 0
    if !since.isEmpty {
      let parts = since.split(separator: "/").compactMap { Int64($0) }
      guard parts.count >= 3, parts[1] >= horizon || parts[2] == Int64(purges) else { return unknownCursor }
      guard parts[0] == Int64(epoch) || traits.saysEpoch else { return unknownCursor }
      position = parts[1]
    }
    var start = position
    if case .earlierPage = fault { start = max(0, position - 2) }
    let source = traits.isLagging ? shown : contents
    var changed: [(entity: String, id: String, row: Row)] = []
    for (entity, byID) in source.rows {
      for (id, row) in byID where row.order > start { changed.append((entity, id, row)) }
    }
    changed.sort { $0.row.order < $1.row.order }
    let isEmpty: Bool
    var nonce = ""
    if circles > 0 {
      isEmpty = true
      nonce = "/\(circles % 3)"
    } else if case .emptyPage(let isMoving) = fault, !changed.isEmpty {
      isEmpty = true
      if isMoving { nonce = "/\(wallMilliseconds)" }
    } else {
      isEmpty = false
    }
    let taken = isEmpty ? [] : Array(changed.prefix(Self.pageLimit))
    let visible = taken.filter { traits.echoesOwnWrites || device == nil || $0.row.writer != device }
    let end = max(position, taken.last?.row.order ?? position)
    var body: [JSON.Member] = [
      JSON.Member("changes", .array(visible.map { json($0.row, $0.entity, $0.id) })),
      JSON.Member("cursor", .string("\(epoch)/\(end)/\(purges)\(nonce)")),
      JSON.Member("has_more", .bool(isEmpty || changed.count > taken.count)),
    ]
    if traits.saysEpoch { body.append(JSON.Member("epoch", .string(String(epoch)))) }
    return HTTPResponse(status: 200, body: JSON.object(body).bytes())
  }

  func json(_ row: Row, _ entity: String, _ id: String) -> JSON {
    var members: [JSON.Member] = [
      JSON.Member("entity", .string(entity)), JSON.Member("id", .string(id)),
      JSON.Member("version", .int(row.version)), JSON.Member("updated_at", time(row.updatedAt)),
      JSON.Member("deleted_at", row.isDeleted ? time(row.updatedAt) : .null),
      JSON.Member(
        "fields", .object(row.fields.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value) })),
    ]
    if let local = localIDs[entity]?[id] { members.append(JSON.Member("local_id", .string(local))) }
    return .object(members)
  }

  func time(_ milliseconds: Int64) -> JSON {
    guard traits.writesMicroseconds, let text = ISO8601.text(milliseconds) else { return .int(milliseconds) }
    return .string(text.dropLast() + "678Z")
  }
}
