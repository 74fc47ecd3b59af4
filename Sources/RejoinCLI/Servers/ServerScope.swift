import Rejoin
import RejoinCore
import RejoinOutbox

/// Which server of a file is meant, and what travels to it.
///
/// The outbox of a file is used by many calls of the tool. What one of them says about what travels is kept in the file
/// for the next: a log that one call forgets to name would otherwise never reach the server.
struct ServerScope: Hashable {
  /// What the file calls the server.
  var server = "main"
  /// The collections that travel; nil when nobody said.
  var collections: [String]?
  /// The logs that travel; nil when nobody said.
  var logs: [String]?
  /// The version of the records; nil when nobody said.
  var schemaVersion: Int?

  /// What it means for the outbox.
  var configuration: OutboxConfiguration {
    OutboxConfiguration(
      server: server, collections: collections.map { Set($0.map { Collection($0) }) },
      logs: Set((logs ?? []).map { LogName($0) }), schemaVersion: schemaVersion ?? 1)
  }

  /// The outbox of a replica with this scope, where the file adds what was not said; nothing is kept.
  func outbox(of replica: Replica) throws -> Outbox {
    Outbox(replica, configuration: try completed(by: replica).configuration)
  }

  /// The same with what the file says where this says nothing.
  func completed(by replica: Replica) throws -> ServerScope {
    let kept = try replica.peek(at: server) { try $0.kept(key) }
    guard let json = kept.flatMap({ try? JSON(parsing: $0) }) else { return self }
    var scope = self
    scope.collections = collections ?? ServerScope.names(json["collections"])
    scope.logs = logs ?? ServerScope.names(json["logs"])
    if schemaVersion == nil, case .int(let number)? = json["schema"] { scope.schemaVersion = Int(number) }
    return scope
  }

  /// Keeps it in the file for later calls.
  func keep(in replica: Replica) throws {
    let json: JSON = [
      "collections": ServerScope.form(collections), "logs": ServerScope.form(logs),
      "schema": schemaVersion.map { .int(Int64($0)) } ?? .null,
    ]
    try replica.exchange(with: server) { try $0.keep(json.text(), under: key) }
  }

  private var key: LocalKey { LocalKey("\(server)/tool", Array("scope".utf8)) }

  private static func form(_ names: [String]?) -> JSON {
    names.map { .array($0.map { .string($0) }) } ?? .null
  }

  private static func names(_ json: JSON?) -> [String]? {
    guard case .array(let elements)? = json else { return nil }
    return elements.compactMap { if case .string(let name) = $0 { name } else { nil } }
  }
}
