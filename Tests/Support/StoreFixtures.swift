import Foundation
package import Rejoin
package import RejoinTesting
import RejoinSQLite
import Synchronization

/// The stores that must behave alike.
package enum StoreKind: String, CaseIterable, Sendable {
  /// The store in memory.
  case memory
  /// A SQLite file in a temporary folder.
  case sqlite
}

/// A wall clock that stands until it is moved.
package final class FixtureEnvironment: Sendable {
  /// Where every fixture clock starts.
  package static let start: Int64 = 1_700_000_000_000

  private let wall: Mutex<Int64>

  /// Makes a clock that is `ahead` milliseconds ahead of others.
  package init(ahead: Int64 = 0) {
    wall = Mutex(FixtureEnvironment.start + ahead)
  }

  /// What the clock shows.
  package var wallMilliseconds: Int64 { wall.withLock { $0 } }

  /// Moves the clock, backwards too.
  package func advance(milliseconds: Int64) {
    wall.withLock { $0 += milliseconds }
  }

  /// This clock with randomness from a seed.
  package func environment(seed: UInt64) -> ReplicaEnvironment {
    let state = SeededBits(seed: seed)
    return ReplicaEnvironment(
      wallMilliseconds: { self.wallMilliseconds }, randomBits: { state.next() })
  }
}

private final class SeededBits: Sendable {
  private let generator: Mutex<SplitMix64>

  init(seed: UInt64) {
    generator = Mutex(SplitMix64(seed: seed))
  }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// Replicas of one kind of store in a folder that lives as long as a test.
package final class Stores: Sendable {
  /// The data set of all replicas that are not told otherwise.
  package static let dataset = DatasetID(name: "fixtures")

  /// The kind of their stores.
  package let kind: StoreKind
  /// The clock of all replicas that are given no other.
  package let clock = FixtureEnvironment()
  private let folder: URL
  private let seeds: SeededBits

  fileprivate init(kind: StoreKind) throws {
    self.kind = kind
    seeds = SeededBits(seed: kind == .memory ? 1 : 2)
    folder = FileManager.default.temporaryDirectory.appending(path: "rejoin-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  fileprivate func remove() {
    try? FileManager.default.removeItem(at: folder)
  }

  /// The path of a file in the folder.
  package func path(_ name: String) -> String {
    folder.appending(path: name).path(percentEncoded: false)
  }

  /// What a replica is opened with; its randomness is never repeated within a test.
  package func configuration(
    clock: FixtureEnvironment? = nil, dataset: DatasetID? = Stores.dataset,
    conflicts: Int = Limits.conflictsPerCollection
  ) -> ReplicaConfiguration {
    ReplicaConfiguration(
      dataset: dataset, conflictsPerCollection: conflicts,
      environment: (clock ?? self.clock).environment(seed: seeds.next()))
  }

  /// A new replica, or for SQLite the one that was made under this name.
  package func replica(
    _ name: String = "one", clock: FixtureEnvironment? = nil, dataset: DatasetID? = Stores.dataset,
    conflicts: Int = Limits.conflictsPerCollection
  ) throws -> Replica {
    let configuration = configuration(clock: clock, dataset: dataset, conflicts: conflicts)
    switch kind {
    case .memory: return Replica(configuration: configuration)
    case .sqlite: return try Replica(at: path(name), configuration: configuration, durability: .normal)
    }
  }

  /// A new replica whose store can be told to fail, and says what it costs.
  package func probed(
    _ name: String = "one", clock: FixtureEnvironment? = nil
  ) throws -> (replica: Replica, probe: StoreProbe) {
    let probe = StoreProbe()
    let configuration = configuration(clock: clock)
    switch kind {
    case .memory:
      let base = MemoryStore()
      let store = ProbedStore(base, probe: probe, cost: { base.probes })
      return (try Replica(store: store, configuration: configuration), probe)
    case .sqlite:
      let base = try SQLiteStore(path: path(name), durability: .normal)
      let store = ProbedStore(base, probe: probe, cost: { base.steps })
      return (try Replica(store: store, configuration: configuration), probe)
    }
  }

  /// Runs SQL on a replica's file, past the library, and returns the rows as SQLite's `quote` writes them.
  @discardableResult
  package func sql(_ statement: String, in name: String = "one") throws -> [[String]] {
    let connection = try SQLiteConnection(path: path(name))
    connection.busyTimeoutMilliseconds = 5_000
    let prepared = try connection.prepare(statement)
    var rows: [[String]] = []
    while try prepared.step() {
      rows.append(
        try (0..<prepared.columnCount).map { column in
          switch prepared.type(at: column) {
          case .null: "NULL"
          case .integer: "\(prepared.int64(at: column))"
          case .real: "\(prepared.double(at: column))"
          case .text: try prepared.text(at: column)
          case .blob: try prepared.blob(at: column).map { String($0, radix: 16) }.joined(separator: " ")
          }
        })
    }
    return rows
  }
}

/// Gives `body` a folder of stores and removes it afterwards, whatever happens.
package func withStores<Result>(_ kind: StoreKind, _ body: (Stores) throws -> Result) throws -> Result {
  let stores = try Stores(kind: kind)
  defer { stores.remove() }
  return try body(stores)
}

/// As above, for tests that wait for changes.
package func withStores<Result>(
  _ kind: StoreKind, _ body: (Stores) async throws -> Result
) async throws -> Result {
  let stores = try Stores(kind: kind)
  defer { stores.remove() }
  return try await body(stores)
}

extension Replica {
  /// What `body` makes the replica tell, in order; a last write shows that nothing else came.
  package func told(during body: () throws -> Void) async throws -> [ChangeSet] {
    let stream = changes()
    try body()
    try write("end of what is told") { _ = try $0.append([:], to: "end") }
    var told: [ChangeSet] = []
    for await change in stream {
      if change.cause == .write(label: "end of what is told") { break }
      told.append(change)
    }
    return told
  }

  /// The one record's fields, by name.
  package func shown(_ id: RecordID, in collection: Collection = "accounts") throws -> [FieldName: Value]? {
    try fields(of: id, in: collection)
  }
}
