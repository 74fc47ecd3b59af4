import RejoinTesting
import Rejoin
import RejoinCore
import RejoinSQLite
import TestSupport

/// Something that a replica does to its file, and may be struck by a fault in the midst of.
enum FaultScenario: String, CaseIterable, Sendable {
  /// An insert, an edit, a deletion, a log entry, a new collection and a new log, in one transaction.
  case write = "local write"
  /// A delta with a new collection, conflicts, a deletion and a waiting register.
  case merge
  /// Columns for a new collection, which makes its table.
  case declareNew = "new collection with columns"
  /// Columns for a collection that has records.
  case declareMore = "more columns"
  /// Opening a file that is not there yet, which lays it out.
  case layOut = "opening a new file"
  /// Opening a file whose last process died, and reading all of it.
  case recover = "opening after a crash"
  /// A write after another replica object of the same file has committed.
  case takeIn = "write after another process"
  /// Telling that a waiting register came due.
  case tellDue = "waiting register comes due"
  /// Opening a file of an older version, which brings it up to the next.
  case migrate = "migration"

  /// Whether it begins without a replica.
  var opens: Bool { [.layOut, .recover, .migrate].contains(self) }

  /// The layout of those who take part.
  var schema: Schema { self == .migrate ? .next : .current }
}

/// The disks and deltas that all scenarios start from.
struct FaultWorld: Sendable {
  static let file = "replica"

  let sharesMemory: Bool
  let disk: FaultyDisk
  let crashed: FaultyDisk
  let delta: Delta
  let dueDelta: Delta

  /// Nothing in it depends on the machine or the hour.
  init(sharesMemory: Bool = true) throws {
    self.sharesMemory = sharesMemory
    disk = FaultyDisk(sharesMemory: sharesMemory)
    let replica = try FaultWorld.open(disk)
    try replica.declare(["email", "nickname"], in: "accounts")
    try replica.write("first") { transaction in
      for number in UInt64(1)...6 {
        try transaction.insert(
          ["email": .string("\(number)@example.com"), "nickname": "first"], id: .numbered(number),
          in: "accounts")
      }
      _ = try transaction.append(["text": "made"], to: "activity", id: .numbered(1))
    }
    try replica.delete(.numbered(6), in: "accounts")

    let peer = Replica(configuration: FaultWorld.configuration(seed: 2))
    let fast = Replica(configuration: FaultWorld.configuration(seed: 3, ahead: 3_600_000))
    try peer.merge(replica.delta())
    try fast.merge(replica.delta())
    let shared = peer.version
    try fast.set(["nickname": "from the future"], id: .numbered(1), in: "accounts")
    dueDelta = try fast.delta(since: shared)
    try fast.set(["nickname": "further"], id: .numbered(4), in: "accounts")
    try peer.write { transaction in
      try transaction.set(["email": "peer@example.com", "city": "Ulm"], id: .numbered(2), in: "accounts")
      try transaction.delete(.numbered(3), in: "accounts")
      try transaction.restore(.numbered(6), in: "accounts")
      try transaction.insert(["state": "started"], id: .numbered(20), in: "trackers")
      _ = try transaction.append(["text": "peer"], to: "activity", id: .numbered(2))
    }
    try peer.merge(fast.delta(since: peer.version))
    delta = try peer.delta(since: shared)
    try replica.set(["email": "own@example.com"], id: .numbered(2), in: "accounts")
    try replica.set(["nickname": "own"], id: .numbered(3), in: "accounts")

    crashed = disk.copy()
    let dying = try FaultWorld.open(crashed)
    try dying.insert(["size": 1], id: .numbered(30), in: "things")
    crashed.restart()
  }

  static func configuration(seed: UInt64 = 1, ahead: Int64 = 0) -> ReplicaConfiguration {
    ReplicaConfiguration(
      dataset: Stores.dataset, environment: FixtureEnvironment(ahead: ahead).environment(seed: seed))
  }

  /// Opens the replica on a disk, with the same randomness each time.
  static func open(
    _ disk: FaultyDisk, ahead: Int64 = 0, durability: Durability = .full, schema: Schema = .current
  ) throws -> Replica {
    try disk.replica(
      file, configuration: configuration(ahead: ahead), durability: durability, schema: schema)
  }

  /// A disk of its own for one run of a scenario.
  func disk(for scenario: FaultScenario) throws -> FaultyDisk {
    switch scenario {
    case .layOut: return FaultyDisk(sharesMemory: sharesMemory)
    case .recover: return crashed.copy()
    case .tellDue:
      let disk = disk.copy()
      try FaultWorld.open(disk).merge(dueDelta)
      return disk
    default: return disk.copy()
    }
  }

  /// Opens what a scenario has open before it begins.
  func replica(for scenario: FaultScenario, on disk: FaultyDisk) throws -> Replica? {
    switch scenario {
    case .layOut, .recover, .migrate: return nil
    case .takeIn:
      let replica = try FaultWorld.open(disk)
      let other = try FaultWorld.open(disk)
      try other.merge(delta)
      try other.declare(["state"], in: "trackers")
      return replica
    case .tellDue: return try FaultWorld.open(disk, ahead: 7_200_000)
    default: return try FaultWorld.open(disk)
    }
  }

  /// Does it.
  func run(_ scenario: FaultScenario, with replica: inout Replica?, on disk: FaultyDisk) throws {
    let replica = try replica ?? FaultWorld.opened(on: disk, scenario.schema, into: &replica)
    switch scenario {
    case .write, .takeIn:
      try replica.write("label") { transaction in
        try transaction.insert(["email": "new@example.com"], id: .numbered(10), in: "accounts")
        try transaction.set(["nickname": "set", "city": "Ulm"], id: .numbered(4), in: "accounts")
        try transaction.delete(.numbered(5), in: "accounts")
        try transaction.insert(["size": 1], id: .numbered(11), in: "things")
        _ = try transaction.append(["text": "wrote"], to: "activity", id: .numbered(3))
        _ = try transaction.append(["text": "wrote"], to: "other log", id: .numbered(4))
      }
    case .merge: try replica.merge(delta)
    case .declareNew: try replica.declare(["size", "colour"], in: "things")
    case .declareMore: try replica.declare(["city", "phone"], in: "accounts")
    case .layOut, .migrate: break
    case .recover: _ = try replica.trace()
    case .tellDue: try replica.tellDue()
    }
  }

  private static func opened(
    on disk: FaultyDisk, _ schema: Schema, into replica: inout Replica?
  ) throws -> Replica {
    let opened = try open(disk, schema: schema)
    replica = opened
    return opened
  }
}

extension EntryID {
  /// An id for tests, of a small number.
  static func numbered(_ number: UInt64) -> EntryID { EntryID(high: 0x0190_0000_0000_7000, low: number) }
}

/// Everything that a file holds, table by table, row by row.
struct FileContents: Equatable, CustomStringConvertible {
  /// What SQLite finds wrong with the file itself.
  let integrity: [String]
  private let rows: [String]

  /// Reads a file past the library.
  ///
  /// One that holds no replica yet counts as empty, laid out or not.
  init(of disk: FaultyDisk, _ name: String = FaultWorld.file) throws {
    let connection = try disk.connection(name)
    integrity = try connection.lines("PRAGMA integrity_check")
    try connection.execute("BEGIN")
    let tables = try connection.lines("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    guard tables.contains("rejoin_replica"), try !connection.lines("SELECT 1 FROM rejoin_replica").isEmpty
    else {
      rows = []
      return
    }
    rows =
      try connection.lines("PRAGMA user_version")
      + connection.lines("SELECT sql FROM sqlite_schema ORDER BY name")
      + tables.flatMap { table in
        try connection.lines("SELECT * FROM \"\(table)\"").map { "\(table): \($0)" }
      }
  }

  /// The rows, one a line.
  var description: String { rows.joined(separator: "\n") }
}

extension SQLiteConnection {
  /// The rows of a query, each as a line.
  func lines(_ sql: String) throws -> [String] {
    let statement = try prepare(sql)
    var lines: [String] = []
    while try statement.step() {
      lines.append(
        try (0..<statement.columnCount).map { column in
          switch statement.type(at: column) {
          case .null: "NULL"
          case .integer: "\(statement.int64(at: column))"
          case .real: "\(statement.double(at: column))"
          case .text: try statement.text(at: column)
          case .blob:
            try "\(statement.blob(at: column).count) bytes, hash \(statement.blob(at: column).hashValue)"
          }
        }.joined(separator: "|"))
    }
    return lines
  }
}
