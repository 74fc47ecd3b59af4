import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import TestSupport
import Testing

/// A device of these tests: a SQLite file, and the way to the test server over real HTTP.
struct Device {
  /// What it sends and has fetched.
  let outbox: Outbox
  /// What exchanges it.
  let driver: OutboxDriver

  /// The data on it.
  var replica: Replica { outbox.replica }

  init(_ replica: Replica, _ server: TestServer, _ configuration: OutboxConfiguration = OutboxConfiguration())
    throws
  {
    try self.init(replica, over: HTTPConnection(server.url, timeoutSeconds: 60), configuration)
  }

  init(
    _ replica: Replica, over connection: HTTPConnection,
    _ configuration: OutboxConfiguration = OutboxConfiguration()
  ) throws {
    outbox = Outbox(replica, configuration: configuration)
    driver = OutboxDriver(outbox, over: connection)
  }

  /// Opens the file on the machine's clock, as the worker does that may have written it.
  init(at path: String, _ server: TestServer, _ configuration: OutboxConfiguration = OutboxConfiguration())
    throws
  {
    try self.init(Device.replica(at: path), server, configuration)
  }

  /// Opens the file alone.
  static func replica(at path: String) throws -> Replica {
    try Replica(at: path, configuration: ReplicaConfiguration(dataset: DatasetID(name: "worker")))
  }

  /// Inserts records that are numbered from zero.
  @discardableResult
  func insert(_ count: Int) throws -> [RecordID] {
    try (0..<count).map { number in
      let id = replica.newID()
      try replica.insert(["title": .int(Int64(number))], id: id, in: "task")
      return id
    }
  }

  /// Exchanges until nothing waits any more.
  func drain() async throws {
    for _ in 0..<100 {
      try await driver.exchange(ignoringWaits: true)
      if try outbox.status().isSynced { return }
    }
    Issue.record("it never comes to an end: \(try outbox.status())")
  }

  /// What it shows, by id, as the server would say it.
  func shown() throws -> [String: JSON] {
    var shown: [String: JSON] = [:]
    for record in try replica.records(in: "task") {
      let fields = record.fields.sorted { $0.key < $1.key }.map { JSON.Member($0.key.text, $0.value.json) }
      shown[record.id.description] = .object(fields)
    }
    return shown
  }
}

/// Lets everybody exchange in turn until nobody has anything to say or to hear.
func settle(_ devices: [Device]) async throws {
  for _ in 0..<50 {
    var isQuiet = true
    for device in devices {
      let report = try await device.driver.exchange(ignoringWaits: true)
      #expect(report.push.stopped == nil && report.pull.stopped == nil)
      if report.push.requests > 0 || report.pull.rows > 0 { isQuiet = false }
    }
    if isQuiet { return }
  }
  Issue.record("the devices never come to rest")
}

/// What the server has and has counted.
struct ServerState {
  /// How often each operation came and was carried out, by its key.
  var operations: [String: (received: Int, applied: Int)] = [:]
  /// The rows that are not deleted, by id, with their fields in order.
  var rows: [String: JSON] = [:]
  /// The ids of the rows that are deleted.
  var deleted: Set<String> = []
  /// How many rows all pages had.
  var rowsSent = 0
  /// How many requests came.
  var requests = 0

  init(_ server: TestServer) async throws {
    let json = try await server.state()
    guard case .object(let tally)? = json["operations"], case .array(let all)? = json["rows"],
      case .int(let sent)? = json["rows_sent"], case .object(let counts)? = json["requests"]
    else { throw CocoaError(.formatting) }
    for member in tally {
      guard case .int(let received)? = member.value["received"],
        case .int(let applied)? = member.value["applied"]
      else { continue }
      operations[member.name] = (Int(received), Int(applied))
    }
    for row in all {
      guard case .string(let id)? = row["id"], case .object(let fields)? = row["fields"] else { continue }
      guard row["deleted_at"] == .null else {
        deleted.insert(id)
        continue
      }
      rows[id] = .object(fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    }
    rowsSent = Int(sent)
    requests = counts.reduce(0) { sum, count in
      if case .int(let number) = count.value { sum + Int(number) } else { sum }
    }
  }

  /// Whether each operation that came was carried out once.
  var isOnceEach: Bool { operations.values.allSatisfy { $0.applied == 1 } }
}
