import Rejoin
import RejoinCore
package import RejoinOutbox

/// One model server that several dialects speak to: each device in its own words, about the same rows.
package final class SharedServer {
  /// The model behind it.
  package var model = ModelServer(wallMilliseconds: 1_700_000_000_000, isStrict: true)

  package init() {}

  /// The dialect of a tongue.
  package func dialect(_ tongue: Tongue) -> any Dialect { tongue.interpreter.dialect }

  /// Answers a request in a tongue; nil where nothing comes back.
  package func answer(
    _ request: HTTPRequest, in tongue: Tongue, from outbox: Outbox, fault: ModelServer.Fault = .none
  ) throws -> HTTPResponse? {
    let interpreter = tongue.interpreter
    // What does not say its version cannot be held against the server's.
    model.traits.isStrict = interpreter.saysVersions
    let heard = try interpreter.heard(request, by: model, from: outbox.queue())
    return model.answer(heard, fault: fault).map { interpreter.meant($0, to: request, by: model) }
      .flatMap { interpreter.said($0, to: request, by: model) }
  }

  /// Drives an exchange to its end, or until it is cut off.
  @discardableResult
  package func run(
    _ outbox: Outbox, in tongue: Tongue, cutAt cut: Int? = nil,
    fault: () -> ModelServer.Fault = { .none }
  ) throws -> CycleReport {
    var cycle = outbox.cycle(ignoringWaits: true)
    var requests = 0
    while let request = try cycle.next() {
      if requests == cut { break }
      requests += 1
      try cycle.receive(answer(request, in: tongue, from: outbox, fault: fault()))
    }
    return cycle.report
  }
}
