import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// What waited is told when its time has come, once, and then counts like everything else.
struct DueTests {
  private let id = RecordID.numbered(1)
  private static let hour: Int64 = 3_600_000

  private func pair(
    _ stores: Stores, _ clock: FixtureEnvironment = FixtureEnvironment(ahead: hour)
  ) throws -> (right: Replica, fast: Replica) {
    let right = try stores.replica("right")
    let fast = try stores.replica("fast", clock: clock)
    try right.insert(Account(id: id, email: "ada@example.com", nickname: "Work"))
    try fast.merge(right.delta())
    try fast.update(Account.self, id) { $0.email = "future@example.com" }
    try right.merge(fast.delta(since: right.version))
    return (right, fast)
  }

  @Test(arguments: StoreKind.allCases)
  func `a register that comes due is told exactly once and moves the clock`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let (right, fast) = try pair(stores)
      let told = try await right.told {
        try right.tellDue()
        stores.clock.advance(milliseconds: Self.hour)
        #expect(right.lastTime < fast.lastTime)
        try right.tellDue()
        #expect(right.lastTime == fast.lastTime)
        try right.tellDue()
        try right.merge(fast.delta())
        try right.append([:], to: "activity")
      }
      #expect(told.map(\.cause) == [.due, .write(label: nil)])
      #expect(told.first?.records.map(\.key) == [.account(id)])
      #expect(told.first?.records.map(\.kind) == [.updated])
      #expect(told.first?.records.map(\.fields) == [["email"]])
      #expect(try right.waiting().isEmpty)
      #expect(right.lastTime > fast.lastTime)
      let again = try stores.kind == .sqlite ? stores.replica("right") : right
      let toldAgain = try await again.told { try again.tellDue() }
      #expect(toldAgain.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a write or a merge tells what is due before it`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let (right, fast) = try pair(stores)
      stores.clock.advance(milliseconds: Self.hour)
      let told = try await right.told {
        try right.update(Account.self, id) {
          #expect($0.email == "future@example.com")
          $0.email = "after@example.com"
        }
      }
      #expect(told.map(\.cause) == [.due, .write(label: nil)])
      try fast.merge(right.delta(since: fast.version))
      #expect(try fast.get(Account.self, id)?.email == "after@example.com")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `registers that come due at different times are told one after the other`(_ kind: StoreKind)
    async throws
  {
    try await withStores(kind) { stores in
      let (right, _) = try pair(stores)
      let faster = try stores.replica("faster", clock: FixtureEnvironment(ahead: 2 * Self.hour))
      try faster.merge(right.delta())
      try faster.update(Account.self, id) { $0.nickname = "Home" }
      try right.merge(faster.delta(since: right.version))
      let told = try await right.told {
        for _ in 0..<2 {
          stores.clock.advance(milliseconds: Self.hour)
          try right.tellDue()
        }
      }
      #expect(told.map { $0.records.map(\.fields) } == [[["email"]], [["nickname"]]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what showed early is not told again when it comes due`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let right = try stores.replica("right")
      let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: Self.hour))
      try fast.insert(Account(id: id, email: "early@example.com"))
      let told = try await right.told {
        try right.merge(fast.delta())
        stores.clock.advance(milliseconds: Self.hour)
        try right.tellDue()
      }
      #expect(told.map(\.cause) == [.merge])
      #expect(try right.waiting().isEmpty)
    }
  }

  @Test func `columns show what is due from the moment it is told`() throws {
    try withStores(.sqlite) { stores in
      let (right, _) = try pair(stores)
      #expect(try stores.sql("SELECT email FROM accounts", in: "right") == [["ada@example.com"]])
      stores.clock.advance(milliseconds: Self.hour)
      try right.tellDue()
      #expect(try stores.sql("SELECT email FROM accounts", in: "right") == [["future@example.com"]])
      #expect(try stores.sql("SELECT * FROM rejoin_waiting", in: "right").isEmpty)
    }
  }

  @Test func `a waiting register is found again after the file was closed`() async throws {
    try await withStores(.sqlite) { stores in
      _ = try pair(stores)
      let right = try stores.replica("right")
      #expect(try right.waiting().map(\.record) == [.account(id)])
      #expect(try right.get(Account.self, id)?.email == "ada@example.com")
      let told = try await right.told {
        stores.clock.advance(milliseconds: Self.hour)
        try right.tellDue()
      }
      #expect(told.map(\.cause) == [.due])
      #expect(try right.get(Account.self, id)?.email == "future@example.com")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `replicas with right and fast clocks end equal, whichever way it travelled`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let fastClock = FixtureEnvironment(ahead: Self.hour)
      let (right, fast) = try pair(stores, fastClock)
      let third = try stores.replica("third")
      let faster = try stores.replica("faster", clock: FixtureEnvironment(ahead: 2 * Self.hour))
      try third.merge(right.delta())
      try faster.merge(third.delta())
      #expect(try faster.get(Account.self, id)?.email == "future@example.com", "not from its future")
      try faster.update(Account.self, id) { $0.nickname = "faster" }
      try third.update(Account.self, id) { $0.nickname = "third" }
      let all = [right, fast, third, faster]
      for _ in 0..<2 {
        for (one, other) in zip(all, all.dropFirst() + all.prefix(1)) { try one.sync(with: other) }
      }
      for replica in all {
        #expect(try replica.trace().hasSameContent(as: right.trace()))
      }
      #expect(try third.get(Account.self, id)?.nickname == "third")
      for clock in [stores.clock, fastClock] { clock.advance(milliseconds: 2 * Self.hour) }
      for replica in all {
        try replica.tellDue()
        #expect(
          try replica.get(Account.self, id)
            == Account(id: id, email: "future@example.com", nickname: "faster"))
      }
    }
  }
}
