import AccountTrackers
import Rejoin
import Testing
import TestSupport

/// Every action is one transaction with its label and one entry of the activity log.
struct ActionTests {
  private static let day: Int64 = 86_400_000

  @Test(arguments: StoreKind.allCases)
  func `an account is added with one tracker for each provider`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let id = try book.addAccount(
        email: "ada@example.com", nickname: "Work",
        providers: [Provider("openai", cooldownDays: 7), Provider("groq", cooldownDays: 2)])
      let view = try #require(try book.accounts().first)
      #expect(
        view.account
          == Account(
            id: id, email: "ada@example.com", nickname: "Work", createdAt: book.replica.now,
            updatedAt: book.replica.now))
      #expect(view.trackers.map(\.tracker.providerSlug) == ["groq", "openai"])
      #expect(view.trackers.map(\.tracker.cooldownDays) == [2, 7])
      #expect(
        view.trackers.allSatisfy { $0.tracker.account == id && $0.status == .ready && $0.progress == 0 })
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `each action is one transaction under its label with one entry in the log`(kind: StoreKind)
    async throws
  {
    try await withStores(kind) { stores in
      let book = try stores.book()
      let (account, trackers) = try book.addAda()
      let hit = UnixTime(milliseconds: FixtureEnvironment.start - Self.day)
      let told = try await book.replica.told {
        try book.editAccount(account) { $0.nickname = "Home" }
        try book.startCooldown(trackers[0])
        try book.editCooldown(trackers[0], hit: hit)
        try book.restart(trackers[0])
        try book.clear(trackers[0])
        try book.deleteAccount(account)
        try book.restoreAccount(account)
        try book.addAccount(email: "grace@example.com")
      }
      let actions: [AccountAction] = [
        .editAccount, .startCooldown, .editCooldown, .restart, .clear, .deleteAccount, .restoreAccount,
        .addAccount,
      ]
      #expect(told.map(\.cause) == actions.map { .write(label: $0.rawValue) })
      #expect(told.allSatisfy { $0.entries.count == 1 && $0.entries.allSatisfy { $0.log == Activity.log } })
      #expect(told.allSatisfy { !$0.records.isEmpty })
      let log = try book.activity()
      #expect(log.map(\.action) == [.addAccount] + actions)
      #expect(log.prefix(8).allSatisfy { $0.account == account && $0.at == book.replica.now })
      #expect(log.map(\.tracker) == [nil, nil] + Array(repeating: trackers[0], count: 4) + [nil, nil, nil])
      #expect(log.map(\.hitAt) == [nil, nil, book.replica.now, hit, book.replica.now, nil, nil, nil, nil])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a limit was hit now unless another time is given`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (_, trackers) = try book.addAda()
      func hit() throws -> UnixTime? { try book.replica.get(Tracker.self, trackers[0])?.lastLimitHitAt }
      try book.startCooldown(trackers[0])
      #expect(try hit() == UnixTime(milliseconds: FixtureEnvironment.start))
      stores.clock.advance(milliseconds: 5_000)
      try book.restart(trackers[0])
      #expect(try hit() == UnixTime(milliseconds: FixtureEnvironment.start + 5_000))
      try book.startCooldown(trackers[0], hit: UnixTime(milliseconds: 17))
      #expect(try hit() == UnixTime(milliseconds: 17))
      try book.editCooldown(trackers[0], hit: UnixTime(milliseconds: 18))
      #expect(try hit() == UnixTime(milliseconds: 18))
      try book.clear(trackers[0])
      #expect(try hit() == nil)
      #expect(try book.replica.fields(of: trackers[0], in: Tracker.collection)?["lastLimitHitAt"] == .null)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `nothing derived is stored`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (_, trackers) = try book.addAda()
      try book.startCooldown(trackers[0])
      let fields = try #require(try book.replica.fields(of: trackers[0], in: Tracker.collection))
      #expect(Set(fields.keys) == ["accountId", "providerSlug", "cooldownDays", "lastLimitHitAt"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an edit says when it was, and one that changes nothing is none`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (account, _) = try book.addAda()
      stores.clock.advance(milliseconds: 1_000)
      let version = book.replica.version
      try book.editAccount(account) { $0.nickname = nil }
      #expect(book.replica.version == version)
      try book.editAccount(account) { $0.email = "ada@example.org" }
      let edited = try #require(try book.replica.get(Account.self, account))
      #expect(edited.email == "ada@example.org")
      #expect(edited.createdAt.milliseconds == FixtureEnvironment.start)
      #expect(edited.updatedAt.milliseconds == FixtureEnvironment.start + 1_000)
      #expect(try book.activity().count == 2)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `accounts and trackers are found by index`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.book().replica
      let byEmail = Condition.equals("email", .string("ada@example.com"))
      #expect(try replica.plan(in: Account.collection, where: byEmail) == .index("email", isInOrder: true))
      let byAccount = Condition.equals("accountId", .record(RecordID(high: 1, low: 2)))
      #expect(
        try replica.plan(in: Tracker.collection, where: byAccount) == .index("accountId", isInOrder: true))
      #expect(
        try replica.references(of: Tracker.collection) == [Reference("accountId", to: Account.collection)])
    }
  }
}
