import AccountTrackers
import Rejoin
import RejoinOutbox
import Testing
import TestSupport

/// The model follows the replica and the ticks, and shows what a fresh reading would.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct FollowingTests {
  /// A model that follows its book, with ticks by hand, until `body` is over.
  private func following(
    _ book: AccountBook, exchange: AccountsModel.Exchange? = nil,
    _ body: (AccountsModel, AsyncStream<Void>.Continuation) async throws -> Void
  ) async throws {
    let model = AccountsModel(book, exchange: exchange)
    let (ticks, continuation) = AsyncStream.makeStream(of: Void.self)
    try book.addAccount(email: "first@example.com")
    let following = Task { await model.run(ticks: ticks) }
    await until { model.accounts.contains { $0.account.email == "first@example.com" } }
    try await body(model, continuation)
    following.cancel()
    await following.value
  }

  @Test(arguments: StoreKind.allCases)
  func `every change shows, as a fresh reading shows it`(kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let book = try stores.book()
      try await following(book) { model, _ in
        @MainActor func shows(_ isSo: @MainActor @escaping (AccountsModel) -> Bool) async throws {
          await until { isSo(model) }
          #expect(try model.accounts == book.accounts())
        }
        let (account, trackers) = try book.addAda()
        try await shows { $0.accounts.count == 2 }
        #expect(model.statusLine == "6 changes waiting")
        try book.startCooldown(trackers[0])
        try await shows { $0.accounts.first?.trackers.first?.status == .cooling }
        try book.editAccount(account) { $0.email = "zoe@example.com" }
        try await shows { $0.accounts.last?.id == account }
        try book.addAccount(email: "Zoe@example.com")
        try await shows { $0.accounts.count(where: \.isPossibleDouble) == 2 }
        try book.deleteAccount(account)
        try await shows { $0.accounts.count == 2 && $0.accounts.allSatisfy { !$0.isPossibleDouble } }
        try book.restoreAccount(account)
        try await shows { $0.accounts.count == 3 }
        try book.replica.delete(Tracker.self, trackers[1])
        try await shows { $0.accounts.contains { $0.trackers.count == 1 } }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what a peer wrote shows`(kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let (phone, laptop) = (try stores.book("phone"), try stores.book("laptop"))
      let (_, trackers) = try laptop.addAda()
      try await following(phone) { model, _ in
        try phone.replica.sync(with: laptop.replica)
        await until { model.accounts.count == 2 }
        try laptop.startCooldown(trackers[1])
        try phone.replica.sync(with: laptop.replica)
        await until { model.accounts.first?.trackers.last?.status == .cooling }
        // A tracker that moves to another account leaves the one and shows under the other.
        let other = try #require(model.accounts.last?.id)
        try laptop.replica.merge(phone.replica.delta(since: laptop.replica.version))
        try laptop.replica.update(Tracker.self, trackers[0]) { $0.account = other }
        try phone.replica.sync(with: laptop.replica)
        await until { model.accounts.map(\.trackers.count) == [1, 1] }
        #expect(try model.accounts == phone.accounts())
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a tick derives the cooldowns anew, in either direction of the clock`(kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let book = try stores.book()
      try await following(book) { model, ticks in
        let (_, trackers) = try book.addAda()
        try book.startCooldown(trackers[0])
        await until { model.accounts.first?.trackers.first?.remainingSeconds == 172_800 }
        stores.clock.advance(milliseconds: 1_000)
        #expect(model.accounts.first?.trackers.first?.remainingSeconds == 172_800)
        ticks.yield()
        await until { model.accounts.first?.trackers.first?.remainingSeconds == 172_799 }
        stores.clock.advance(milliseconds: 172_799_000)
        ticks.yield()
        await until { model.accounts.first?.trackers.first?.status == .ready }
        stores.clock.advance(milliseconds: -10_000)
        ticks.yield()
        await until { model.accounts.first?.trackers.first?.remainingSeconds == 10 }
        ticks.finish()
        try book.clear(trackers[0])
        await until { model.accounts.first?.trackers.first?.restoreAt == nil }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `pending deletions show as they were, until the server has them`(kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let book = try stores.book()
      let server = SharedServer(book.outbox)
      let (account, trackers) = try book.addAda()
      try await following(book, exchange: { try server.exchange() }) { model, _ in
        await model.exchange()
        model.deletionsShown = .pending
        try book.replica.delete(Tracker.self, trackers[1])
        await until { model.accounts.first?.trackers.last?.offline.tombstoned == true }
        #expect(try model.accounts == book.accounts(deleted: .pending))
        await model.exchange()
        #expect(model.accounts.first?.trackers.map(\.id) == [trackers[0]])
        model.deleteAccount(account)
        await until { model.accounts.first?.offline.tombstoned == true }
        #expect(try model.accounts == book.accounts(deleted: .pending))
        await model.exchange()
        #expect(model.accounts.count == 1)
        model.deletionsShown = .all
        #expect(model.accounts.map(\.offline.tombstoned) == [true, false])
        model.deletionsShown = .none
        #expect(model.accounts.map(\.offline.tombstoned) == [false])
      }
    }
  }
}
