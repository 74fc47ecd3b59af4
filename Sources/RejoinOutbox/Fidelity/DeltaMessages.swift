import Rejoin
import RejoinCore

/// The messages between a replica and a server that is one, in JSON; see <doc:FullFidelity>.
enum DeltaMessages {
  /// The version of the messages.
  static let format: Int64 = 1

  /// A page that is sent: the envelope of document 004 with the parts of a delta.
  static func push(_ page: DeltaPage, from sender: PageSender, _ exchange: DeltaExchange) -> HTTPRequest {
    request("/mutations", exchange, envelope(sender) + page.members(as: "mutations"))
  }

  /// Asks for a page.
  ///
  /// With a body, and not in a query, since a vector of many replicas is longer than an address may be.
  static func pull(from position: PagePosition, _ exchange: DeltaExchange) -> HTTPRequest {
    request(
      "/sync", exchange,
      [
        JSON.Member("format", .int(format)), JSON.Member("replica", .string(exchange.replica.id.description)),
        JSON.Member("dataset", .string(exchange.replica.dataset.description)),
        JSON.Member("from", position.vector.json), JSON.Member("after", place(position.place)),
        JSON.Member("limit_bytes", .int(Int64(exchange.pageBytes))),
      ])
  }

  /// Who sends a page.
  static func envelope(_ sender: PageSender) -> [JSON.Member] {
    [
      JSON.Member("format", .int(format)), JSON.Member("replica", .string(sender.replica.description)),
      JSON.Member("incarnation", .string(sender.incarnation)),
    ]
  }

  private static func request(
    _ path: String, _ exchange: DeltaExchange, _ members: [JSON.Member]
  ) -> HTTPRequest {
    var request = HTTPRequest("POST", path)
    request.headers = [HTTPRequest.Parameter("Content-Type", "application/json")]
    let version = JSON.Member("schema_version", .int(Int64(exchange.schemaVersion)))
    request.body = JSON.object([version] + members).bytes()
    return request
  }

  /// A place, or null for none.
  static func place(_ place: DeltaPlace?) -> JSON { place.map { .string($0.description) } ?? .null }

  /// Reads a place, or null for none.
  static func place(_ json: JSON?) throws(ForeignAnswer) -> DeltaPlace? {
    switch json {
    case .null?: return nil
    case .string(let text)?: if let place = DeltaPlace(text) { return place }
    default: break
    }
    throw ForeignAnswer()
  }
}

extension DeltaPage {
  /// The parts of a page; `after` and `cursor` say where it begins and ends.
  ///
  /// What is sent to a server are mutations, what comes from it are changes; the rest of the form is the same.
  func members(as name: String) -> [JSON.Member] {
    guard case .object(let members) = delta.json else { return [] }
    return members.map { JSON.Member($0.name == "mutations" ? name : $0.name, $0.value) }
      + [
        JSON.Member("after", DeltaMessages.place(start)), JSON.Member("cursor", DeltaMessages.place(end)),
      ]
  }

  /// Reads a page, and who sent it.
  static func read(
    _ json: JSON, as name: String
  ) throws(ForeignAnswer) -> (page: DeltaPage, sender: PageSender) {
    guard case .string(let replica)? = json["replica"], let replica = ReplicaID(replica),
      case .string(let incarnation)? = json["incarnation"], case .object(let members) = json,
      json["format"] == .int(DeltaMessages.format)
    else { throw ForeignAnswer() }
    let renamed = members.map { $0.name == name ? JSON.Member("mutations", $0.value) : $0 }
    guard let delta = try? Delta(json: .object(renamed)) else { throw ForeignAnswer() }
    let page = DeltaPage(
      delta, after: try DeltaMessages.place(json["after"]), end: try DeltaMessages.place(json["cursor"]))
    return (page, PageSender(replica: replica, incarnation: incarnation))
  }
}
