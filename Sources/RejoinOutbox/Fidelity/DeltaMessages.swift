import Rejoin
import RejoinCore

/// The messages between a replica and a server that is one, in JSON; see <doc:FullFidelity>.
enum DeltaMessages {
  /// The version of the messages.
  static let format: Int64 = 1

  /// A page that is sent: the envelope of document 004 with the parts of a delta.
  static func push(_ page: DeltaPage, from sender: PageSender, _ exchange: DeltaExchange) -> HTTPRequest {
    var members = envelope(exchange)
    members.append(JSON.Member("incarnation", .string(sender.incarnation)))
    members += page.members
    return request("/mutations", members)
  }

  /// Asks for a page.
  ///
  /// With a body, and not in a query, since a vector of many replicas is longer than an address may be.
  static func pull(from position: PagePosition, _ exchange: DeltaExchange) -> HTTPRequest {
    var members = envelope(exchange)
    members.append(JSON.Member("dataset", .string(exchange.replica.dataset.description)))
    members.append(JSON.Member("from", position.vector.json))
    members.append(JSON.Member("after", position.place.map { .string($0.description) } ?? .null))
    members.append(JSON.Member("limit_bytes", .int(Int64(exchange.pageBytes))))
    return request("/sync", members)
  }

  private static func envelope(_ exchange: DeltaExchange) -> [JSON.Member] {
    [
      JSON.Member("schema_version", .int(Int64(exchange.schemaVersion))),
      JSON.Member("format", .int(format)), JSON.Member("replica", .string(exchange.replica.id.description)),
    ]
  }

  private static func request(_ path: String, _ members: [JSON.Member]) -> HTTPRequest {
    var request = HTTPRequest("POST", path)
    request.headers = [HTTPRequest.Parameter("Content-Type", "application/json")]
    request.body = JSON.object(members).bytes()
    return request
  }

  /// What a server says that has taken a page, or could not: where its pages go on.
  struct Receipt {
    var position: PagePosition
    /// Whether everything that was sent so far is merged there.
    var isMerged: Bool

    /// Reads it; nil where it is anything else.
    init?(_ json: JSON) {
      guard let position = PagePosition(json) else { return nil }
      self.position = position
      isMerged = json["merged"] == .bool(true)
    }
  }
}

extension DeltaPage {
  /// The parts of a page that is sent; `after` and `cursor` say where it begins and ends.
  var members: [JSON.Member] {
    guard case .object(let members) = delta.json else { return [] }
    return members + [
      JSON.Member("after", start.map { .string($0.description) } ?? .null),
      JSON.Member("cursor", end.map { .string($0.description) } ?? .null),
    ]
  }

  /// Reads a page that a server sent, and who the server is.
  static func read(_ json: JSON) throws(ForeignAnswer) -> (page: DeltaPage, sender: PageSender) {
    guard case .string(let replica)? = json["replica"], let replica = ReplicaID(replica),
      case .string(let incarnation)? = json["incarnation"], case .object(let members) = json,
      json["format"] == .int(DeltaMessages.format)
    else { throw ForeignAnswer() }
    // What a server sends are changes; the rest of the form is the same.
    let renamed = members.map { $0.name == "changes" ? JSON.Member("mutations", $0.value) : $0 }
    guard let delta = try? Delta(json: .object(renamed)) else { throw ForeignAnswer() }
    let page = DeltaPage(
      delta, after: try place(json["after"]), end: try place(json["cursor"]))
    return (page, PageSender(replica: replica, incarnation: incarnation))
  }

  private static func place(_ json: JSON?) throws(ForeignAnswer) -> DeltaPlace? {
    switch json {
    case .null?: return nil
    case .string(let text)?: if let place = DeltaPlace(text) { return place }
    default: break
    }
    throw ForeignAnswer()
  }
}
