import Rejoin
import RejoinCore
import RejoinSQLite
import TestSupport

/// What a replica goes through before its power is cut: the same steps for the same seed, each time.
struct PowerCutWorkload {
  private static let stepCount = 10
  private static let recordCount = 6

  private let seed: UInt64
  private let durability: Durability
  private let clock = FixtureEnvironment()
  private let peerClock: FixtureEnvironment
  private let disk: FaultyDisk
  private let peer: Replica
  private var generator: SplitMix64
  private var replica: Replica?

  /// How many steps were taken that returned without an error.
  private(set) var acknowledged = 0

  init(seed: UInt64, durability: Durability, disk: FaultyDisk) {
    self.seed = seed
    self.durability = durability
    self.disk = disk
    generator = SplitMix64(seed: seed)
    peerClock = FixtureEnvironment(ahead: Int64(generator.number(below: 1_000_000)) - 200_000)
    peer = Replica(
      configuration: ReplicaConfiguration(
        dataset: Stores.dataset, environment: peerClock.environment(seed: ~seed)))
  }

  /// Takes all steps, and calls `observe` after each.
  mutating func run(_ observe: () throws -> Void = {}) throws {
    for number in 0..<PowerCutWorkload.stepCount {
      try step(number)
      acknowledged += 1
      try observe()
    }
  }

  /// Opens the file as every process does.
  static func open(
    _ disk: FaultyDisk, clock: FixtureEnvironment = FixtureEnvironment(ahead: 3_600_000),
    durability: Durability = .full
  ) throws -> Replica {
    let configuration = ReplicaConfiguration(
      dataset: Stores.dataset, environment: clock.environment(seed: 7))
    return try disk.replica(FaultWorld.file, configuration: configuration, durability: durability)
  }

  private mutating func step(_ number: Int) throws {
    clock.advance(milliseconds: Int64(generator.number(below: 3)))
    peerClock.advance(milliseconds: Int64(generator.number(below: 3)))
    let draw = generator.number(below: 100)
    // The draws of a step do not depend on what is stored.
    var draws = SplitMix64(seed: generator.next())
    let replica = try replica ?? PowerCutWorkload.open(disk, clock: clock, durability: durability)
    self.replica = replica
    // A new file gets its replica in a transaction of its own.
    guard number > 0 else { return }
    switch draw {
    case ..<45: try replica.write { try PowerCutWorkload.write(&$0, step: number, &draws) }
    case ..<70:
      try peer.write { try PowerCutWorkload.write(&$0, step: 100 + number, &draws) }
      try replica.merge(peer.delta(since: replica.version))
      if draws.succeeds(percent: 50) { try peer.merge(replica.delta(since: peer.version)) }
    case ..<78: try replica.declare([FieldName("field \(draws.number(below: 4))"), "name"], in: "records 0")
    case ..<90: try checkpoint(draws.succeeds(percent: 50) ? "TRUNCATE" : "PASSIVE")
    default: self.replica = nil
    }
  }

  /// Moves what the write-ahead log holds into the database, as SQLite does from time to time.
  private func checkpoint(_ mode: String) throws {
    try disk.connection(FaultWorld.file).execute("PRAGMA wal_checkpoint(\(mode))")
  }

  private static func write(
    _ transaction: inout WriteTransaction, step: Int, _ draws: inout SplitMix64
  ) throws {
    for number in 0...draws.number(below: 4) {
      let collection = Collection("records \(draws.number(below: 3))")
      let id = RecordID.numbered(UInt64(draws.number(below: recordCount)))
      let size = draws.succeeds(percent: 5) ? 20_000 : draws.number(below: 100)
      let fields: [FieldName: Value] = [
        FieldName("field \(draws.number(below: 4))"): .string(String(repeating: "\(step % 10)", count: size)),
        "name": .int(Int64(step)),
      ]
      let isVisible = try transaction.fields(of: id, in: collection) != nil
      switch draws.number(below: 10) {
      case ..<6 where isVisible: try transaction.set(fields, id: id, in: collection)
      case ..<6: try transaction.insert(fields, id: id, in: collection)
      case 6 where isVisible: try transaction.delete(id, in: collection)
      default:
        let log = LogName("log \(draws.number(below: 2))")
        try transaction.append(
          ["step": .int(Int64(step))], to: log, id: .numbered(UInt64(step * 10 + number)))
      }
    }
  }
}
