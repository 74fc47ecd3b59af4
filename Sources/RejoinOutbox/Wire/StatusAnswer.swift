public import RejoinCore

/// What a server that answers each entry with a status of its own says.
///
/// A status alone decides nothing: gateways and sign-in pages answer with the same ones. What counts has the protocol's
/// shape, which is a JSON object, or for success and for a deletion of what is not there no body at all.
public enum StatusAnswer: Hashable, Sendable {
  /// 200, 201 or 204: it is done; the object, where there is one.
  case done(JSON?)
  /// 409 or 412: the server had changed the record meanwhile.
  case conflict(JSON)
  /// 404 or 410: there is no such record any more.
  case gone
  /// 400 or 422: refused for good.
  case rejected(reason: String)

  /// Reads a response to an entry.
  ///
  /// Many servers say with no body that what shall be deleted is not there. Should it have been somebody else who says
  /// so, the next pull shows that it is.
  ///
  /// - Throws: ``ForeignAnswer`` when it does not have the protocol's shape.
  public init(_ response: HTTPResponse, to entry: OutboxEntry) throws(ForeignAnswer) {
    if entry.operation == .delete, [404, 410].contains(response.status), response.body.isEmpty {
      self = .gone
      return
    }
    let json = response.json
    if [200, 201, 204].contains(response.status), response.body.isEmpty {
      self = .done(nil)
      return
    }
    guard let json, case .object = json else { throw ForeignAnswer() }
    switch response.status {
    case 200, 201: self = .done(json)
    case 409, 412: self = .conflict(json)
    case 404, 410: self = .gone
    case 400, 422: self = .rejected(reason: response.refusal ?? json["message"]?.wireText ?? "rejected")
    default: throw ForeignAnswer()
    }
  }
}

extension HTTPRequest {
  /// Makes a request about one entry: its key as `Idempotency-Key`, the application's schema version, and JSON as body,
  /// where there is any.
  public init(
    _ method: String, _ path: String, _ entry: OutboxEntry, _ configuration: OutboxConfiguration,
    body: JSON? = nil
  ) {
    self.init(method, path)
    if let body {
      headers.append(Parameter("Content-Type", "application/json"))
      self.body = body.bytes()
    }
    headers.append(Parameter("Idempotency-Key", entry.id.description))
    headers.append(Parameter("Schema-Version", String(configuration.schemaVersion)))
  }
}
