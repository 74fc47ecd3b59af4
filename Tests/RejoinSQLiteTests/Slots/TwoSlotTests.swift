import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// A register stamped beyond the drift bound stands in a slot of its own until its time has come.
struct TwoSlotTests {
  private let id = RecordID.numbered(1)
  private static let hour: Int64 = 3_600_000
  /// When a register of an hour ahead is no longer beyond the drift bound.
  private static let untilDue = hour - Limits.maxDriftMilliseconds

  /// A replica whose clock is right, and one whose clock runs an hour ahead; both hold one account.
  private func pair(_ stores: Stores) throws -> (right: Replica, fast: Replica) {
    let right = try stores.replica("right")
    let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: Self.hour))
    try right.insert(Account(id: id, email: "ada@example.com", nickname: "Work"))
    try fast.merge(right.delta())
    return (right, fast)
  }

  @Test(arguments: StoreKind.allCases)
  func
    `a register stamped beyond the drift bound waits, is passed on, moves no clock, shows when due or when nothing else exists, is reported`(
      _ kind: StoreKind
    ) throws
  {
    try withStores(kind) { stores in
      let (right, fast) = try pair(stores)
      try fast.update(Account.self, id) { $0.email = "future@example.com" }
      try fast.insert(Account(id: .numbered(2), email: "alone@example.com"))
      let last = right.lastTime

      let report = try right.merge(fast.delta(since: right.version))
      #expect(report.waiting.map(\.origin) == [fast.id])
      #expect(report.waiting.map(\.offsetMilliseconds) == [Self.untilDue])
      #expect(report.changes.records.map(\.key) == [.account(.numbered(2))])
      #expect(right.lastTime == last)
      #expect(right.version == fast.version, "the vector moves as usual")
      #expect(try right.get(Account.self, id)?.email == "ada@example.com")
      #expect(try right.get(Account.self, .numbered(2))?.email == "alone@example.com")
      #expect(try right.waiting().count == 2)
      let slots = try right.explain("email", of: id, in: "accounts").slots
      #expect(slots.map(\.isFuture) == [false, true])
      #expect(slots.map(\.isShown) == [true, false])

      let third = try stores.replica("third")
      try third.merge(right.delta())
      #expect(try third.get(Account.self, id)?.email == "ada@example.com")
      #expect(try third.trace().hasSameContent(as: fast.trace()))

      stores.clock.advance(milliseconds: Self.untilDue - 1)
      #expect(try right.get(Account.self, id)?.email == "ada@example.com")
      stores.clock.advance(milliseconds: 1)
      for replica in [right, third] {
        #expect(try replica.get(Account.self, id)?.email == "future@example.com")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the drift bound itself is not the future`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let right = try stores.replica("right")
      for extra: Int64 in [0, 1] {
        let clock = FixtureEnvironment(ahead: Limits.maxDriftMilliseconds + extra)
        let fast = try stores.replica("fast \(extra)", clock: clock)
        try fast.append([:], to: "activity")
        try fast.insert(["extra": .int(extra)], id: fast.newID(), in: "accounts")
        let last = right.lastTime
        let report = try right.merge(fast.delta())
        #expect(report.waiting.isEmpty == (extra == 0))
        #expect(right.lastTime == (extra == 0 ? fast.lastTime : last))
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a transaction from the future shows early whole or not at all`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (right, fast) = try pair(stores)
      try fast.write { transaction in
        try transaction.insert(Account(id: .numbered(2), email: "new@example.com"))
        try transaction.insert(Account(id: .numbered(3), email: "new@example.com"))
      }
      try right.merge(fast.delta(since: right.version))
      for number: UInt64 in 2...3 { #expect(try right.get(Account.self, .numbered(number)) != nil) }

      try fast.write { transaction in
        try transaction.insert(Account(id: .numbered(4), email: "new@example.com"))
        try transaction.update(Account.self, id) { $0.nickname = "Home" }
      }
      try right.merge(fast.delta(since: right.version))
      #expect(try right.get(Account.self, .numbered(4)) == nil, "the other half has to wait")
      #expect(try right.get(Account.self, id)?.nickname == "Work")
      stores.clock.advance(milliseconds: Self.hour)
      #expect(try right.get(Account.self, .numbered(4)) != nil)
      #expect(try right.get(Account.self, id)?.nickname == "Home")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an early record hides again when another of its transaction gets something else to show`(
    _ kind: StoreKind
  ) async throws {
    try await withStores(kind) { stores in
      let empty = try stores.replica("empty")
      try empty.declare(["email"], in: "accounts")
      let bare = try stores.replica("bare", clock: FixtureEnvironment(ahead: Self.hour))
      try bare.write { transaction in
        try transaction.insert(["email": "early@example.com"], id: .numbered(5), in: "accounts")
        try transaction.insert(["email": "early@example.com"], id: .numbered(6), in: "accounts")
      }
      try empty.merge(bare.delta())
      #expect(try empty.get(Account.self, .numbered(6)) != nil)
      let third = try stores.replica("third")
      try third.insert(["email": "now@example.com"], id: .numbered(5), in: "accounts")
      let told = try await empty.told { try empty.merge(third.delta()) }
      #expect(try empty.get(Account.self, .numbered(5))?.email == "now@example.com")
      #expect(try empty.get(Account.self, .numbered(6)) == nil)
      #expect(told.map { Set($0.records.map(\.kind)) } == [[.updated, .deleted]])
      if kind == .sqlite {
        #expect(try stores.sql("SELECT email FROM accounts", in: "empty") == [["now@example.com"]])
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a local write shows at once, and what waits wins when it comes due`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (right, fast) = try pair(stores)
      try fast.update(Account.self, id) { $0.email = "future@example.com" }
      try right.merge(fast.delta(since: right.version))
      stores.clock.advance(milliseconds: 1_000)
      try right.update(Account.self, id) { $0.email = "local@example.com" }
      #expect(try right.get(Account.self, id)?.email == "local@example.com")
      #expect(right.lastTime.milliseconds == stores.clock.wallMilliseconds)
      let third = try stores.replica("third")
      try third.merge(right.delta())
      #expect(try third.get(Account.self, id)?.email == "local@example.com")
      try fast.merge(right.delta(since: fast.version))
      #expect(try fast.get(Account.self, id)?.email == "future@example.com")
      stores.clock.advance(milliseconds: Self.hour)
      for replica in [right, third, fast] {
        try replica.tellDue()
        #expect(try replica.get(Account.self, id)?.email == "future@example.com")
      }
      try right.update(Account.self, id) { $0.email = "after@example.com" }
      #expect(try right.get(Account.self, id)?.email == "after@example.com")
      #expect(try right.explain("email", of: id, in: "accounts").slots.count == 1)
    }
  }

  @Test func `a local write against a waiting register is a conflict that the waiting one wins`() {
    let fast = Timestamp(time: HybridTime(milliseconds: 2_000), replica: ReplicaID(rawValue: 1))
    let local = Timestamp(time: HybridTime(milliseconds: 1_000), replica: ReplicaID(rawValue: 2))
    func fragment(_ value: Value, _ timestamp: Timestamp) -> PackedRecord {
      RecordPacker.fragment(
        life: nil, values: [(RegisterAddress("email"), value)], precedence: Precedence(timestamp: timestamp))
    }
    let covered = VersionVector([(fast.replica, fast.time)])
    let key = RecordKey.account(id)
    let waiting = RecordMerger(
      fragment("future", fast), into: nil, key: key,
      rules: MergeRules(
        latestAcceptable: HybridTime(milliseconds: 1_500), own: VersionVector(), through: covered)
    ).result
    let merger = RecordMerger(
      fragment("local", local), into: waiting, key: key, rules: MergeRules(localWritesOver: covered))
    #expect(merger.conflicts.map(\.winner.timestamp) == [fast])
    #expect(merger.conflicts.map(\.loser.timestamp) == [local])
    #expect(merger.result.registers.map(\.isFuture) == [false, true])
  }

  @Test(arguments: StoreKind.allCases)
  func `a deletion from the future is in force at once, and so is its undoing`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (right, fast) = try pair(stores)
      try fast.delete(Account.self, id)
      let last = right.lastTime
      let report = try right.merge(fast.delta(since: right.version))
      #expect(report.changes.records.map(\.kind) == [.deleted])
      #expect(try right.get(Account.self, id) == nil)
      #expect(right.lastTime == last)
      #expect(try right.waiting().isEmpty, "a deletion needs no slot")
      try right.restore(Account.self, id)
      #expect(try right.get(Account.self, id)?.email == "ada@example.com")
      try fast.merge(right.delta(since: fast.version))
      #expect(try fast.get(Account.self, id)?.email == "ada@example.com")
      #expect(try fast.trace().hasSameContent(as: right.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record that was deleted and inserted again in the future shows its new life`(_ kind: StoreKind)
    throws
  {
    try withStores(kind) { stores in
      let (right, fast) = try pair(stores)
      try fast.delete(Account.self, id)
      try fast.insert(Account(id: id, email: "new@example.com"))
      try right.merge(fast.delta(since: right.version))
      #expect(try right.shown(id) == ["email": "new@example.com"])
      try right.update(Account.self, id) { $0.email = "local@example.com" }
      #expect(try right.shown(id) == ["email": "local@example.com"])
      stores.clock.advance(milliseconds: Self.hour)
      #expect(try right.shown(id) == ["email": "new@example.com"])
    }
  }
}
