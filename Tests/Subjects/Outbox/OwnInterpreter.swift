import OwnDialect
import RejoinCore
import RejoinOutbox

/// The server of the example of a dialect of one's own.
struct OwnInterpreter: Interpreter {
  let dialect: any Dialect = OwnDialect()
  let saysVersions = true
  let saysOperations = true

  func heard(_ request: HTTPRequest, by server: ModelServer, from queue: [QueuedChange]) -> HTTPRequest {
    guard request.isPush else {
      var heard = request
      heard.query = [HTTPRequest.Parameter("since", request.query.first?.value ?? "")]
      return heard
    }
    let parts = request.path.split(separator: "/").map(String.init)
    let body = try? JSON(parsing: request.body)
    var fields: [JSON.Member] = []
    if case .object(let members)? = body?["set"] { fields = members }
    let operation: JSON =
      request.method == "DELETE" ? "delete" : body?["new"] == true ? "insert" : "update"
    return .mutations([
      [
        "op_id": .string(request.header("Idempotency-Key") ?? ""), "entity": .string(parts[0]),
        "entity_id": .string(parts[1]), "op": operation, "payload": server.inward(fields),
        "base_version": .int(request.query.first.flatMap { Int64($0.value) } ?? 0),
        "created_at": .int(server.wallMilliseconds),
      ]
    ])
  }

  func meant(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse {
    request.isPush ? answer.withoutVerdict : answer
  }

  func said(_ answer: HTTPResponse, to request: HTTPRequest, by server: ModelServer) -> HTTPResponse? {
    if request.isPush { return answer.asStatus { [JSON.Member("record", $0.flat(server, id: "id"))] } }
    guard let page = answer.json, case .array(let changes)? = page["changes"] else { return answer }
    let members: [JSON.Member] = [
      JSON.Member("records", .array(changes.map { $0.flat(server, id: "id") })),
      JSON.Member("after", page["cursor"] ?? .null), JSON.Member("more", page["has_more"] ?? .null),
    ]
    return .object(answer.status, members)
  }
}
