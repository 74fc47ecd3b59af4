import AccountTrackers
import Rejoin
import RejoinOutbox
import TestSupport

extension Stores {
  /// The accounts of a device that has a server, or has none.
  func book(_ name: String = "one", hasServer: Bool = true) throws -> AccountBook {
    let replica = try replica(name)
    return try AccountBook(
      replica, outbox: hasServer ? Outbox(replica, configuration: outboxConfiguration) : nil)
  }
}

extension AccountBook {
  /// Adds an account with trackers for two providers of 2 and 7 days, and says its id and theirs.
  @discardableResult
  func addAda(_ email: String = "ada@example.com") throws -> (account: RecordID, trackers: [RecordID]) {
    let id = try addAccount(
      email: email,
      providers: [Provider("openai", cooldownDays: 7), Provider("groq", cooldownDays: 2)])
    let view = try accounts().first { $0.id == id }
    return (id, view?.trackers.map(\.id) ?? [])
  }
}

/// A server whose answers a test gives: what came is kept, and everything is applied but what is refused.
struct HandServer {
  /// The entries of every push, in order.
  var pushed: [JSON] = []

  /// The ids of records that it refuses.
  var refused: Set<String> = []

  /// Whether it can be reached.
  var isReachable = true

  /// Drives an exchange to its end.
  mutating func exchange(_ outbox: Outbox?) throws -> CycleReport {
    guard var cycle = outbox?.cycle() else { return CycleReport() }
    while let request = try cycle.next() { try cycle.receive(try answer(request)) }
    return cycle.report
  }

  private mutating func answer(_ request: HTTPRequest) throws -> HTTPResponse? {
    guard isReachable else { return nil }
    guard request.method == "POST" else {
      let page: JSON = ["changes": .array([]), "cursor": "1", "has_more": false]
      return HTTPResponse(status: 200, body: page.bytes())
    }
    guard case .array(let entries)? = try JSON(parsing: request.body)["mutations"] else {
      return HTTPResponse(status: 400)
    }
    pushed += entries
    let results = entries.map { entry -> JSON in
      let isRefused = entry["entity_id"].map { id in refused.contains { id == .string($0) } } ?? false
      return isRefused
        ? ["op_id": entry["op_id"] ?? .null, "outcome": "rejected", "reason": "no"]
        : ["op_id": entry["op_id"] ?? .null, "outcome": "applied", "version": 1]
    }
    let body: JSON = ["results": .array(results)]
    return HTTPResponse(status: 200, body: body.bytes())
  }
}
