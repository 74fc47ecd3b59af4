package import RejoinCore
package import RejoinOutbox

/// A server whose every answer a test decides; keeps what came.
package final class ScriptedServer {
  /// The model behind it.
  package var model: ModelServer
  /// The entries of each push, in order.
  package private(set) var pushes: [[JSON]] = []
  /// How many requests came.
  package private(set) var requests = 0
  /// What answers instead of the model; nil leaves it to the model.
  package var override: (HTTPRequest) -> HTTPResponse?? = { _ in nil }

  package init(isStrict: Bool = true) {
    model = ModelServer(wallMilliseconds: 1_700_000_000_000, isStrict: isStrict)
  }

  /// Drives a cycle to its end.
  package func run(_ outbox: Outbox) throws -> CycleReport {
    var cycle = outbox.cycle()
    while let request = try cycle.next() { try cycle.receive(answer(request)) }
    return cycle.report
  }

  /// Answers one request.
  package func answer(_ request: HTTPRequest) -> HTTPResponse? {
    requests += 1
    if request.method == "POST", let json = try? JSON(parsing: request.body),
      case .array(let entries)? = json["mutations"]
    {
      pushes.append(entries)
    }
    if let answer = override(request) { return answer }
    return model.answer(request, fault: .none)
  }
}
