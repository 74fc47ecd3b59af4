import Rejoin
import RejoinCore
import RejoinOutbox

extension Verb {
  /// The verb `rejoin status`.
  static let status = Verb(
    name: "status",
    syntax: Syntax("FILE"),
    abstract: "Shows who a replica is, how far it has come and how much it holds.",
    keys: [
      Key("file", "the path, as given"), Key("replica", "the replica's id"),
      Key("dataset", "the data set's id"),
      Key("last_time", "the last time of its clock, 16 hexadecimal digits"),
      Key("vector", "replica to time: what it covers"),
      Key("digest", "the fingerprint of the state, 32 hexadecimal digits; equal at equal vectors"),
      Key("collections", "a list of {name, visible, deleted}"), Key("logs", "a list of {name, entries}"),
      Key("conflicts", "{open, held}: how many somebody should look at, of those that the ledger holds"),
      Key("waiting", "registers ahead of their time: a list of {collection, id, stamp}"),
      Key(
        "servers",
        "the plain servers that were ever exchanged with: a list of {name, waiting, needs_attention, refused, "
          + "quarantined}"),
    ]
  ) { arguments in
    let configuration = try ReplicaFile.configuration(arguments)
    let latestAcceptable = HybridClock.latestAcceptable(
      wallMilliseconds: configuration.environment.wallMilliseconds(),
      maxDriftMilliseconds: configuration.maxDriftMilliseconds)
    let status = try Status(of: ReplicaFile.open(arguments), latestAcceptable: latestAcceptable)
    return Report(
      text: status.lines(file: arguments.text("FILE")).joined(separator: "\n"),
      json: [JSON.Member("file", .string(arguments.text("FILE")))] + status.json)
  }
}

/// What a replica says about itself.
private struct Status {
  private let replica: ReplicaID
  private let dataset: DatasetID
  private let lastTime: HybridTime
  private let vector: VersionVector
  private let digest: Digest
  private var collections: [(name: Collection, visible: Int, deleted: Int)] = []
  private var logs: [(name: LogName, entries: Int)] = []
  private let conflicts: (open: Int, held: Int)
  private let waiting: [(record: RecordKey, timestamp: Timestamp)]
  private var servers: [ServerStatus] = []

  init(of source: Replica, latestAcceptable: HybridTime) throws {
    replica = source.id
    dataset = source.dataset
    lastTime = source.lastTime
    vector = source.version
    digest = try source.digest()
    // What came due since the last write is shown already, told or not.
    waiting = try source.waiting().filter { $0.timestamp.time > latestAcceptable }
    let held = try source.conflicts(includingSettled: true)
    conflicts = (held.count(where: \.isOpen), held.count)
    for collection in try source.collections() {
      let records = try source.records(in: collection, includingDeleted: true)
      let deleted = records.count(where: \.isDeleted)
      collections.append((collection, records.count { $0.presence == .visible }, deleted))
    }
    for log in try source.logs() { logs.append((log, try source.log(log).count)) }
    servers = try source.servers().map { try ServerStatus($0, of: source) }
  }

  func lines(file: String) -> [String] {
    var lines = [
      "file       \(file)", "replica    \(replica)", "dataset    \(dataset)",
      "last time  \(lastTime) (\(lastTime.milliseconds) ms)", "vector     \(Form.text(vector))",
      "digest     \(digest)",
    ]
    lines += collections.map {
      "collection \(Form.quoted($0.name.text)): \($0.visible) visible, \($0.deleted) deleted"
    }
    lines += logs.map {
      "log \(Form.quoted($0.name.text)): \(Form.count($0.entries, "entry", plural: "entries"))"
    }
    lines.append("conflicts  \(conflicts.open) open, \(conflicts.held) in the ledger")
    lines += waiting.map {
      "waits: \(Form.name($0.record.collection.text)) \($0.record.id) until \($0.timestamp)"
    }
    lines += servers.map(\.line)
    return lines
  }

  var json: [JSON.Member] {
    let collections: [JSON] = collections.map {
      [
        "name": .string($0.name.text), "visible": .int(Int64($0.visible)), "deleted": .int(Int64($0.deleted)),
      ]
    }
    let logs: [JSON] = logs.map { ["name": .string($0.name.text), "entries": .int(Int64($0.entries))] }
    let waiting: [JSON] = waiting.map {
      [
        "collection": .string($0.record.collection.text), "id": .string($0.record.id.description),
        "stamp": .string($0.timestamp.description),
      ]
    }
    return [
      JSON.Member("replica", .string(replica.description)),
      JSON.Member("dataset", .string(dataset.description)),
      JSON.Member("last_time", .string(lastTime.description)),
      JSON.Member("vector", Form.vector(vector)),
      JSON.Member("digest", .string(digest.description)),
      JSON.Member("collections", .array(collections)),
      JSON.Member("logs", .array(logs)),
      JSON.Member(
        "conflicts", ["open": .int(Int64(conflicts.open)), "held": .int(Int64(conflicts.held))]),
      JSON.Member("waiting", .array(waiting)),
      JSON.Member("servers", .array(servers.map(\.json))),
    ]
  }
}
