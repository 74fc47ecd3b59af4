import RejoinCore
public import RejoinOutbox

/// A dialect for a server of one's own: `PUT` and `DELETE` of a record, and a feed of what changed.
public struct OwnDialect: Dialect {
  /// One record for each request.
  public let rules: DialectRules

  /// Makes the dialect.
  public init() {
    var rules = DialectRules()
    rules.batchLimit = 1
    rules.refersByServerIDs = true
    self.rules = rules
  }

  /// `PUT` of the changed fields on the version that they were made on, or `DELETE`.
  public func push(_ entries: [OutboxEntry], _ configuration: OutboxConfiguration) -> HTTPRequest {
    let entry = entries[0]
    let path = "/\(HTTPRequest.escaped(entry.subject.entity))/\(HTTPRequest.escaped(entry.entityID))"
    let isDeletion = entry.operation == .delete
    let body: JSON = ["new": .bool(entry.operation == .insert), "set": .object(entry.wirePayload)]
    var request = HTTPRequest(
      isDeletion ? "DELETE" : "PUT", path, entry, configuration, body: isDeletion ? nil : body)
    request.query = [HTTPRequest.Parameter("on", String(entry.baseVersion))]
    return request
  }

  /// Reads the status, and with a conflict the server's record.
  public func answers(
    to entries: [OutboxEntry], in response: HTTPResponse
  ) throws(ForeignAnswer) -> [EntryAnswer?] {
    switch try StatusAnswer(response, to: entries[0]) {
    case .done(let json):
      let id = json?["id"]?.wireText
      return [.applied(version: json?["version"]?.wireNumber, updatedAt: nil, serverID: id, row: nil)]
    case .conflict(let json): return [.conflict(row: json["record"].flatMap { ServerRow(flat: $0) })]
    case .gone: return [.gone]
    case .rejected(let reason): return [.rejected(reason: reason)]
    }
  }

  /// `GET /feed` behind the last page.
  public func pull(from cursor: String?, _ configuration: OutboxConfiguration) -> HTTPRequest? {
    var request = HTTPRequest("GET", "/feed")
    request.query = [HTTPRequest.Parameter("after", cursor ?? "")]
    return request
  }

  /// Reads `{"records": […], "after": …, "more": …}`.
  public func page(in response: HTTPResponse, from cursor: String?) throws(ForeignAnswer) -> PullPage {
    guard let json = response.json, case .array(let records)? = json["records"] else { throw ForeignAnswer() }
    var page = PullPage(rows: [], cursor: json["after"]?.wireText, hasMore: json["more"] == true)
    page.add(records) { ServerRow(flat: $0) }
    return page
  }
}
