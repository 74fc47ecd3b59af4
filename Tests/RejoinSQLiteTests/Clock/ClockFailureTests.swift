import RejoinTesting
import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// An operation that fails leaves the clock as it was, bit for bit, in memory and on disk.
struct ClockFailureTests {
  private let id = RecordID.numbered(1)

  /// A replica with a probe, and another one whose clock runs four minutes ahead of it: within the bound.
  private struct Pair {
    let stores: Stores
    let replica: Replica
    let probe: StoreProbe
    let ahead: Replica

    init(_ stores: Stores) throws {
      self.stores = stores
      (replica, probe) = try stores.probed()
      ahead = try stores.replica("ahead", clock: FixtureEnvironment(ahead: 240_000))
      try replica.insert(Account(id: .numbered(1), email: "ada@example.com"))
      try ahead.merge(replica.delta())
      try ahead.update(Account.self, .numbered(1)) { $0.nickname = "ahead" }
    }

    /// What the replica knows, and for a file what the disk holds.
    func remembered() throws -> (trace: ReplicaTrace, disk: [[String]]) {
      let disk =
        stores.kind == .sqlite
        ? try stores.sql("SELECT *, (SELECT group_concat(time) FROM rejoin_vector) FROM rejoin_replica") : []
      return (try replica.trace(), disk)
    }

    /// Runs an operation that fails, and holds everything against what was before.
    func expectUntouched(by body: () throws -> Void) throws {
      let before = try remembered()
      #expect(throws: (any Error).self) { try body() }
      let after = try remembered()
      #expect(after.trace == before.trace)
      #expect(after.disk == before.disk)
    }

    /// The next operation works, and only it moves the clock.
    func expectHealthy() throws {
      let last = replica.lastTime
      try replica.append([:], to: "activity")
      #expect(replica.lastTime == last.successor)
      try replica.merge(ahead.delta(since: replica.version))
      #expect(replica.lastTime == ahead.lastTime)
      #expect(try replica.get(Account.self, .numbered(1))?.nickname == "ahead")
      try replica.append([:], to: "activity")
      #expect(replica.lastTime > ahead.lastTime)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a gap does not move the clock`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let pair = try Pair(stores)
      let covered = pair.ahead.version
      try pair.ahead.update(Account.self, id) { $0.nickname = "further ahead" }
      let gapped = try pair.ahead.delta(since: covered)
      try pair.expectUntouched { try pair.replica.merge(gapped) }
      try pair.ahead.update(Account.self, id) { $0.nickname = "ahead" }
      try pair.expectHealthy()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `another data set does not move the clock`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let pair = try Pair(stores)
      var foreign = try pair.ahead.delta()
      foreign.dataset = DatasetID(name: "somebody else")
      try pair.expectUntouched { try pair.replica.merge(foreign) }
      try pair.expectHealthy()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `bytes that are damaged do not move the clock`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let pair = try Pair(stores)
      let bytes = try pair.ahead.delta().encoded()
      for position in bytes.indices {
        var damaged = bytes
        damaged[position] ^= 0x40
        #expect(throws: CodingError.self) { try pair.replica.merge(Delta(decoding: damaged)) }
      }
      try pair.expectUntouched { try pair.replica.merge(Delta(decoding: Array(bytes.dropLast()))) }
      try pair.expectHealthy()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a store that fails to merge does not move the clock`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let pair = try Pair(stores)
      let told = try await pair.replica.told {
        for _ in 0..<3 {
          pair.probe.failCommits()
          try pair.expectUntouched { try pair.replica.merge(pair.ahead.delta(since: pair.replica.version)) }
        }
      }
      #expect(told.isEmpty)
      try pair.expectHealthy()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a store that fails to write does not move the clock`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let pair = try Pair(stores)
      let told = try await pair.replica.told {
        stores.clock.advance(milliseconds: 10)
        for attempt: (Replica) throws -> Void in [
          { try $0.append([:], to: "activity") }, { try $0.delete(id, in: "accounts") },
          { try $0.insert(["size": 1], id: id, in: "new collection") },
          { replica in
            try replica.write("label") { try $0.set(["email": "lost"], id: id, in: "accounts") }
          },
        ] {
          pair.probe.failCommits()
          try pair.expectUntouched { try attempt(pair.replica) }
        }
        stores.clock.advance(milliseconds: -10)
      }
      #expect(told.isEmpty)
      #expect(try pair.replica.get(Account.self, id)?.email == "ada@example.com")
      try pair.expectHealthy()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a store that fails when a register comes due does not move the clock, and it is told later`(
    _ kind: StoreKind
  ) async throws {
    try await withStores(kind) { stores in
      let pair = try Pair(stores)
      let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: 3_600_000))
      try fast.merge(pair.replica.delta())
      try fast.update(Account.self, id) { $0.email = "future@example.com" }
      try pair.replica.merge(fast.delta(since: pair.replica.version))
      stores.clock.advance(milliseconds: 3_600_000)
      let told = try await pair.replica.told {
        pair.probe.failCommits()
        try pair.expectUntouched { try pair.replica.tellDue() }
        try pair.replica.tellDue()
      }
      #expect(told.map(\.cause) == [.due])
      #expect(pair.replica.lastTime > fast.lastTime)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a time that no clock can have is refused, wherever it stands in a delta`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let pair = try Pair(stores)
      var claim = try pair.ahead.delta()
      claim.through.advance(pair.replica.id, to: .distantFuture)
      try pair.expectUntouched { try pair.replica.merge(Delta(decoding: claim.encoded())) }
      let register = Delta.RecordPart(
        key: .account(id),
        fragment: RecordPacker.fragment(
          life: nil, values: [(RegisterAddress("email"), "late@example.com")],
          precedence: Precedence(timestamp: Timestamp(time: .distantFuture, replica: pair.ahead.id))))
      let late = Delta(
        dataset: Stores.dataset, from: VersionVector(), through: pair.ahead.version, records: [register],
        entries: [])
      try pair.expectUntouched { try pair.replica.merge(Delta(decoding: late.encoded())) }
      try pair.expectHealthy()
    }
  }

  @Test func `a file that fails in the midst of a commit keeps nothing of it`() throws {
    try withStores(.sqlite) { stores in
      let pair = try Pair(stores)
      for table in ["rejoin_vector", "rejoin_change", "accounts", "rejoin_log", "rejoin_replica"] {
        let event = ["rejoin_replica", "accounts"].contains(table) ? "UPDATE" : "INSERT"
        try stores.sql(
          "CREATE TRIGGER fail BEFORE \(event) ON \(table) BEGIN SELECT RAISE(ABORT, 'injected'); END")
        try pair.expectUntouched {
          try pair.replica.write { transaction in
            try transaction.set(["email": "lost"], id: id, in: "accounts")
            try transaction.append([:], to: "activity")
          }
        }
        try stores.sql("DROP TRIGGER fail")
      }
      try pair.expectHealthy()
    }
  }
}
