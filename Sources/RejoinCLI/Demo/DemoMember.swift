import AccountTrackers
import Rejoin
import RejoinSQLite

/// One device of the demo: a replica in a file of its own, and what its merges told.
struct DemoMember {
  let name: String
  let replica: Replica

  /// What the merges of this member brought since it was last asked.
  var received = Received()

  /// Sums over merges.
  struct Received {
    var bytes = 0
    var registers = 0
    var entries = 0
    var ledgerEntries = 0
    var recorded = 0
    var conflicts: [Conflict] = []
  }

  init(name: String, path: String, dataset: DatasetID, environment: ReplicaEnvironment) throws {
    self.name = name
    replica = try Replica(
      at: path, configuration: ReplicaConfiguration(dataset: dataset, environment: environment),
      durability: .normal)
    try replica.declare(["email", "nickname", "createdAt", "updatedAt"], in: Account.collection)
    try replica.declare(
      ["accountId", "providerSlug", "cooldownDays", "lastLimitHitAt"], in: Tracker.collection)
  }

  /// Inserts what an export holds, in one transaction.
  func importAll(_ export: AccountExport) throws {
    try replica.write("Import") { transaction in
      for account in export.accounts { try transaction.insert(account) }
      for tracker in export.trackers { try transaction.insert(tracker) }
    }
  }

  /// Merges a delta that came over the wire, late, twice or never: each answers what this member asked once, so
  /// it never starts further ahead than this member is.
  mutating func receive(_ bytes: [UInt8]) throws {
    let report = try replica.merge(Delta(decoding: bytes))
    received.bytes += bytes.count
    received.registers += report.registersReceived
    received.entries += report.entriesReceived
    received.ledgerEntries += report.ledgerEntriesReceived
    received.recorded += report.conflictsRecorded
    received.conflicts += report.conflicts
  }
}
