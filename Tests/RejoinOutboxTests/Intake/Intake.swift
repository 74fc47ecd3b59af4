import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// A device and a server that says what a test puts into its mouth, in bytes.
struct Intake {
  let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 11)
  let outbox: Outbox
  let server = ScriptedServer()

  var replica: Replica { outbox.replica }

  init(
    _ configuration: OutboxConfiguration = OutboxConfiguration(logs: ["visits"]), on replica: Replica? = nil
  ) {
    let own = Replica(configuration: ReplicaConfiguration(environment: environment.environment))
    outbox = Outbox(replica ?? own, configuration: configuration)
  }

  /// Exchanges once; the pull brings a page with these changes, and pushes are answered with `results`, or by the model.
  @discardableResult
  func exchange(changes: String = "", cursor: String = "c", results: ((String) -> String)? = nil) throws
    -> CycleReport
  {
    server.override = { request in
      guard request.method == "POST" else {
        return HTTPResponse(
          status: 200, body: Array(#"{"changes":[\#(changes)],"cursor":"\#(cursor)","has_more":false}"#.utf8))
      }
      guard let results, case .array(let entries)? = try? JSON(parsing: request.body)["mutations"] else {
        return nil
      }
      let all = entries.map { entry in
        guard case .string(let id)? = entry["op_id"] else { return "null" }
        return results(id)
      }
      return HTTPResponse(status: 200, body: Array(#"{"results":[\#(all.joined(separator: ","))]}"#.utf8))
    }
    defer { environment.pass(milliseconds: 4_000_000) }
    return try server.run(outbox)
  }

  /// A row of the collection `jobs`, or of another.
  static func row(
    _ id: String, entity: String = "jobs", version: String = "1", _ fields: String = #"{"a":1}"#,
    more: String = ""
  ) -> String {
    let names = [("entity", entity), ("id", id)].map { #""\#($0.0)":\#(JSON.string($0.1).text())"# }
    return #"{\#(names.joined(separator: ",")),"version":\#(version),"fields":\#(fields)\#(more)}"#
  }

  /// An array in an array, so many of them.
  static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  /// What the records of a collection show.
  func shown(_ collection: Collection = "jobs") throws -> [[FieldName: Value]] {
    try replica.records(in: collection).map(\.fields)
  }

  /// Where the next page begins.
  var cursor: String? {
    get throws {
      try replica.peek(at: "main") { try $0.kept(LocalKey("main/state", Array("cursor".utf8))) }
    }
  }

  /// Another replica takes in everything over the wire, and an edit still arrives at a server that says what it should.
  func requireSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let peer = Replica(configuration: ReplicaConfiguration(environment: environment.environment))
    try peer.merge(Delta(decoding: replica.delta().encoded()))
    #expect(try peer.digest() == replica.digest(), sourceLocation: sourceLocation)
    #expect(try replica.inspect().findings == [], sourceLocation: sourceLocation)
    let id = replica.newID()
    try replica.insert(["last": 1], id: id, in: "jobs")
    let report = try exchange(changes: Self.row("sane", #"{"sane":true}"#), cursor: "sane") {
      #"{"op_id":"\#($0)","outcome":"applied","version":9}"#
    }
    #expect(report.push.stopped == nil && report.pull.stopped == nil, sourceLocation: sourceLocation)
    #expect(try outbox.state(of: id, in: "jobs") == .synced, sourceLocation: sourceLocation)
    #expect(
      try replica.records(in: "jobs").contains { $0.fields["sane"] == true }, sourceLocation: sourceLocation)
  }
}
