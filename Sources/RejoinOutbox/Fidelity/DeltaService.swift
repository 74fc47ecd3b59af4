public import Rejoin
import RejoinCore

/// The other end of a ``DeltaExchange``: any replica can be the server of others.
///
/// It answers requests and knows nothing of connections: put it behind whatever HTTP server you run.
public struct DeltaService: Sendable {
  /// The replica that others meet through.
  public let replica: Replica
  /// The versions of the application's records that it serves.
  public var schemaVersions: ClosedRange<Int>
  /// About how many bytes of registers a page holds at most, whatever is asked for.
  public var pageBytes: Int

  /// Makes a service of a replica.
  public init(_ replica: Replica, schemaVersions: ClosedRange<Int> = 1...1, pageBytes: Int = 1 << 20) {
    self.replica = replica
    self.schemaVersions = schemaVersions
    self.pageBytes = max(1, pageBytes)
  }

  /// Answers a request; one that cannot be understood changes nothing and gets a status from 400 on.
  ///
  /// - Throws: what the store throws, and `ReplicaError.replicaForked` where another replica writes under this one's id;
  ///   answer such a request with 500.
  public func answer(_ request: HTTPRequest) throws -> HTTPResponse {
    guard request.path == "/mutations" || request.path == "/sync" else { return refusal(404, "not_found") }
    guard request.method == "POST" else { return refusal(405, "method_not_allowed") }
    guard let json = try? JSON(parsing: request.body), case .string(let text)? = json["replica"],
      let peer = ReplicaID(text)
    else {
      return refusal(400, "bad_request")
    }
    guard case .int(let version)? = json["schema_version"], schemaVersions.contains(Int(clamping: version)),
      json["format"] == .int(DeltaMessages.format)
    else { return refusal(426, "upgrade_required") }
    do {
      return request.path == "/sync" ? try give(json) : try take(json, from: peer)
    } catch is ForeignAnswer {
      return refusal(400, "bad_request")
    } catch ReplicaError.differentDataset(_, let own, _) {
      return response(
        409, [JSON.Member("error", "other_dataset"), JSON.Member("dataset", .string(own.description))])
    }
  }

  private func take(_ json: JSON, from peer: ReplicaID) throws -> HTTPResponse {
    let (page, sender) = try DeltaPage.read(json, as: "mutations")
    let channel = "client \(peer)"
    let staged = try replica.stage(page, from: sender, in: channel)
    let place = try replica.position(in: channel).members
    switch staged {
    case .kept: return response(200, [JSON.Member("merged", false)] + place)
    case .merged: return response(200, [JSON.Member("merged", true)] + place)
    case .outOfPlace: return response(409, [JSON.Member("error", "gap")] + place)
    }
  }

  private func give(_ json: JSON) throws -> HTTPResponse {
    guard let vector = json["from"].flatMap(VersionVector.init(json:)),
      case .int(let wanted)? = json["limit_bytes"],
      case .string(let text)? = json["dataset"], let dataset = DatasetID(text)
    else { throw ForeignAnswer() }
    guard dataset == replica.dataset || replica.version.isEmpty || vector.isEmpty else {
      throw ReplicaError.differentDataset(replica: replica.id, own: replica.dataset, other: dataset)
    }
    let position = PagePosition(vector: vector, place: try DeltaMessages.place(json["after"]))
    let page = try replica.page(after: position, byteLimit: min(Int(clamping: wanted), pageBytes))
    let members = DeltaMessages.envelope(try replica.sender()) + page.members(as: "changes")
    return response(200, members)
  }

  private func refusal(_ status: Int, _ error: String) -> HTTPResponse {
    response(status, [JSON.Member("error", .string(error))])
  }

  private func response(_ status: Int, _ members: [JSON.Member]) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [HTTPRequest.Parameter("Content-Type", "application/json")],
      body: JSON.object(members).bytes())
  }
}
