import RejoinCore
import RejoinOutbox

/// Stands between devices of one dialect and the model server, which speaks the default one.
///
/// It is written from the documents, as the server's side of the dialect. Histories are judged by what it hears and says
/// in the default dialect.
protocol Interpreter: Sendable {
  /// What the devices speak.
  var dialect: any Dialect { get }

  /// Whether a change says which version it was made on, so that a server can hold it against its own.
  var saysVersions: Bool { get }

  /// Whether a change says if it makes a record or changes one.
  var saysOperations: Bool { get }

  /// Whether a row that is not deleted can be seen.
  func shows(_ row: ModelServer.Row, of server: ModelServer) -> Bool

  /// What a device with such a queue asks for, in the default dialect; a server knows no queues, but histories have to
  /// know what each of its rows is at the devices.
  func heard(_ request: HTTPRequest, by server: ModelServer, from queue: [QueuedChange]) -> HTTPRequest

  /// What remains of the server's answer in this dialect, still in the words of the default one.
  func meant(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse

  /// The answer in the words of this dialect; nil where it has none.
  func said(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse?
}

extension Interpreter {
  /// Whether a row that is not deleted can be seen.
  func shows(_ row: ModelServer.Row, of server: ModelServer) -> Bool { true }
}

/// The dialects that histories are told in, by the documents that describe them.
package enum Tongue: String, CaseIterable, Sendable {
  case accounts = "000"
  case intents = "001"
  case upserts = "002"
  case tables = "003"
  case mutations = "004"
  /// The example of a dialect of one's own.
  case own

  var interpreter: any Interpreter {
    switch self {
    case .accounts: AccountsInterpreter()
    case .intents: IntentInterpreter()
    case .upserts: UpsertInterpreter()
    case .tables: TableInterpreter()
    case .mutations: DefaultInterpreter()
    case .own: OwnInterpreter()
    }
  }
}

/// Nothing has to be interpreted.
struct DefaultInterpreter: Interpreter {
  let dialect: any Dialect = MutationsDialect()
  let saysVersions = true
  let saysOperations = true

  func heard(_ request: HTTPRequest, by server: ModelServer, from queue: [QueuedChange]) -> HTTPRequest {
    request
  }
  func meant(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse {
    answer
  }
  func said(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse? {
    answer
  }
}

extension HTTPRequest {
  /// The value of a header.
  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// A push of one change in the default dialect, with the headers that every push may have.
  static func mutations(_ entries: [JSON]) -> HTTPRequest {
    var request = HTTPRequest("POST", "/mutations")
    request.body = JSON.object([JSON.Member("mutations", .array(entries))]).bytes()
    return request
  }

  /// Whether it is about changes, and not about what is new.
  var isPush: Bool { method != "GET" }
}

extension HTTPResponse {
  /// An answer that is an object.
  static func object(_ status: Int, _ members: [JSON.Member]) -> HTTPResponse {
    HTTPResponse(status: status, body: JSON.object(members).bytes())
  }

  /// What the server says of the only change of a request, in the default dialect; nil where it says nothing of it.
  var onlyResult: JSON? {
    guard status == 200, case .array(let results)? = json?["results"] else { return nil }
    return results.first
  }

  /// The answer where a status alone is a verdict: what somebody else said must not look like one.
  var withoutVerdict: HTTPResponse {
    guard onlyResult == nil, [200, 201, 204, 400, 404, 409, 410, 412, 422].contains(status) else {
      return self
    }
    return HTTPResponse(status: status, headers: headers, body: Array("<html>Sign in</html>".utf8))
  }

  /// The answer to one change as a status; nil where nothing was answered.
  func asStatus(row: (JSON) -> [JSON.Member]) -> HTTPResponse? {
    guard status == 200, json?["results"] != nil else { return self }
    guard let result = onlyResult else { return nil }
    switch result["outcome"] {
    case "applied"?:
      var members: [JSON.Member] = []
      for (name, other) in [("version", "version"), ("updatedAt", "updated_at"), ("id", "id")] {
        if let value = result[other] { members.append(JSON.Member(name, value)) }
      }
      return .object(200, members)
    case "conflict"?: return .object(409, result["server"].map(row) ?? [])
    case "gone"?: return .object(410, [JSON.Member("error", "gone")])
    case "rejected"?: return .object(422, [JSON.Member("reason", result["reason"] ?? "no")])
    default: return HTTPResponse(status: 503)
    }
  }
}

extension ModelServer {
  /// Whether there was such a row.
  func isGone(_ id: String, in entity: String) -> Bool {
    rows[entity]?[id]?.isDeleted ?? (purged["\(entity)/\(id)"] != nil)
  }

  /// The row of a change, under whichever of its ids.
  func row(of entity: String, _ wireID: String) -> Row? {
    rows[entity]?[names[entity]?[wireID] ?? wireID]
  }

  /// A change whose dialect does not say if it makes the record: it does where there is none, or where it says that
  /// there is no deletion any more.
  func operation(on entity: String, _ wireID: String, _ deletedAt: JSON?) -> JSON {
    guard let row = row(of: entity, wireID) else { return "insert" }
    return row.isDeleted && deletedAt == .null ? "insert" : "update"
  }

  /// Fields with references as devices know them.
  func inward(_ fields: [JSON.Member]) -> JSON {
    .object(
      fields.map { member in
        guard member.name == "note", case .string(let id) = member.value else { return member }
        return JSON.Member("note", .string(deviceID("notes", id)))
      })
  }

  /// Fields with references as this server knows them.
  func outward(_ fields: JSON?) -> [JSON.Member] {
    guard case .object(let members)? = fields else { return [] }
    return members.map { member in
      guard member.name == "note", case .string(let id) = member.value else { return member }
      let name = names["notes"]?[id] ?? serversOwn("notes", id) ?? id
      return JSON.Member("note", .string(name))
    }
  }

  /// The id of a row that was made here, where devices know it by another.
  private func serversOwn(_ entity: String, _ id: String) -> String? {
    rows[entity]?.keys.first { deviceID(entity, $0) == id && $0 != id }
  }
}
