import AccountTrackers
import Rejoin
import RejoinOutbox
import RejoinTesting
import Testing
import TestSupport

/// Showing a change costs what changed, whatever is stored.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ModelCostTests {
  @Test(arguments: StoreKind.allCases)
  func `a change and a tick cost the same at fifty times as many accounts`(kind: StoreKind) async throws {
    let small = try await costs(kind, stored: 10)
    let large = try await costs(kind, stored: 500)
    #expect(small.change > 0)
    #expect(large.change <= small.change * 2, "\(small) became \(large)")
    #expect(small.tick == large.tick, "\(small) became \(large)")
  }

  private func costs(_ kind: StoreKind, stored count: Int) async throws -> (change: Int, tick: Int) {
    try await withStores(kind) { stores in
      let peer = try stores.replica("peer")
      let now = peer.now
      try peer.write { transaction in
        for number in 0..<count {
          let id = peer.newID()
          try transaction.insert(Account(id: id, email: "\(number)", createdAt: now, updatedAt: now))
          try transaction.insert(
            Tracker(id: peer.newID(), account: id, providerSlug: "groq", cooldownDays: 2))
        }
      }
      let (replica, probe) = try stores.probed("own")
      let book = try AccountBook(replica, outbox: Outbox(replica, configuration: outboxConfiguration))
      try replica.merge(peer.delta())
      let model = AccountsModel(book)
      let ticks = AsyncStream.makeStream(of: Void.self)
      let following = Task { await model.run(ticks: ticks.stream) }
      try book.addAccount(email: "own", providers: [Provider("groq", cooldownDays: 2)])
      await until { model.accounts.count == count + 1 }
      let tracker = try #require(model.accounts.last?.trackers.first?.id)
      let before = probe.cost
      try book.startCooldown(tracker)
      await until { model.accounts.last?.trackers.first?.status == .cooling }
      let change = probe.cost - before
      stores.clock.advance(milliseconds: 1_000)
      ticks.continuation.yield()
      await until { model.accounts.last?.trackers.first?.remainingSeconds == 172_799 }
      let tick = probe.cost - before - change
      following.cancel()
      await following.value
      return (change, tick)
    }
  }
}
