package import RejoinOutbox

/// The model server behind one dialect, for tests that say what goes wrong.
package final class SpokenServer {
  private let interpreter: any Interpreter
  /// The model behind it.
  package var model = ModelServer(wallMilliseconds: 1_700_000_000_000, isStrict: true)
  /// What the devices speak.
  package var dialect: any Dialect { interpreter.dialect }
  /// The requests that changed something, as they came.
  package private(set) var pushes: [HTTPRequest] = []
  /// What answers instead of the model.
  package var override: (HTTPRequest) -> HTTPResponse?? = { _ in nil }

  package init(_ tongue: Tongue) {
    interpreter = tongue.interpreter
    model.traits.isStrict = interpreter.saysVersions
  }

  /// Drives an exchange to its end.
  @discardableResult
  package func run(
    _ outbox: Outbox, _ direction: SyncCycle.Direction = .both, fault: ModelServer.Fault = .none
  ) throws -> CycleReport {
    var cycle = outbox.cycle(direction)
    while let request = try cycle.next() { try cycle.receive(answer(request, fault: fault, from: outbox)) }
    return cycle.report
  }

  private func answer(
    _ request: HTTPRequest, fault: ModelServer.Fault, from outbox: Outbox
  ) throws -> HTTPResponse? {
    if request.isPush { pushes.append(request) }
    if let answer = override(request) { return answer }
    let heard = try interpreter.heard(request, by: model, from: outbox.queue())
    return model.answer(heard, fault: fault).map { interpreter.meant($0, to: request, by: model) }
      .flatMap { interpreter.said($0, to: request, by: model) }
  }
}
