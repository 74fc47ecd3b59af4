import AccountTrackers
import Rejoin
import RejoinOutbox
import Testing
import TestSupport

/// The model says honestly how the device stands to the server.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ExchangeTests {
  @Test(arguments: StoreKind.allCases)
  func `an exchange is seen while it runs, and what it did afterwards`(kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let book = try stores.book()
      let server = SharedServer(book.outbox)
      let (_, trackers) = try book.addAda()
      server.change { $0.refused = [trackers[0].description] }
      let gate = AsyncStream.makeStream(of: Void.self)
      let model = AccountsModel(book) {
        for await _ in gate.stream {}
        return try server.exchange()
      }
      #expect(model.statusLine == "4 changes waiting")
      let exchange = Task { await model.exchange() }
      await until { model.isExchanging }
      #expect(model.statusLine == "syncing, 4 changes waiting")
      gate.continuation.finish()
      await exchange.value
      #expect(!model.isExchanging)
      #expect(model.statusLine == "3 sent, 1 needs your attention")
      #expect(model.summary.lastSyncedAt == book.replica.now)
      #expect(model.accounts.first?.trackers.map(\.offline.dirty) == [true, false])
      #expect(model.accounts.first?.offline.dirty == false)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a server that cannot be reached is told, and nothing counts as sent`(kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let book = try stores.book()
      let server = SharedServer(book.outbox)
      server.change { $0.isReachable = false }
      try book.addAccount(email: "ada@example.com")
      let model = AccountsModel(book) { try server.exchange() }
      await model.exchange()
      #expect(model.statusLine == "2 changes waiting, the server cannot be reached")
      #expect(model.summary.lastSyncedAt == nil && model.lastError == nil)
      server.change { $0.isReachable = true }
      await model.exchange()
      #expect(model.statusLine == "2 sent")
      await model.exchange()
      #expect(model.statusLine == "synced")
    }
  }

  @Test func `what was sent is no longer told after the next change`() async throws {
    try await withStores(.memory) { stores in
      let book = try stores.book()
      let server = SharedServer(book.outbox)
      let model = AccountsModel(book) { try server.exchange() }
      let ticks = AsyncStream.makeStream(of: Void.self)
      let following = Task { await model.run(ticks: ticks.stream) }
      try book.addAccount(email: "ada@example.com")
      await until { model.accounts.count == 1 }
      await model.exchange()
      #expect(model.statusLine == "2 sent")
      try book.addAccount(email: "grace@example.com")
      await until { model.accounts.count == 2 && model.summary.waiting > 0 }
      #expect(model.statusLine == "2 changes waiting")
      // Once a minute a tick looks at what has become too old.
      await model.exchange()
      try book.addAccount(email: "zoe@example.com")
      await until { model.summary.waiting == 2 }
      server.change { $0.isReachable = false }
      await model.exchange()
      stores.clock.advance(milliseconds: 3_600_001)
      ticks.continuation.yield()
      await until { model.summary.needsAttention == 2 }
      #expect(model.statusLine == "2 need your attention, the server cannot be reached")
      #expect(model.accounts.last?.offline.needsAttention == true)
      following.cancel()
      await following.value
    }
  }

  @Test func `what an exchange throws is told in plain words, and a cancelled one is no error`() async throws
  {
    try await withStores(.memory) { stores in
      let book = try stores.book()
      let broken = AccountsModel(book) { throw OutboxError.pullDoesNotMove }
      await broken.exchange()
      #expect(broken.lastError == OutboxError.pullDoesNotMove.description && !broken.isExchanging)
      let cancelled = AccountsModel(book) { throw CancellationError() }
      await cancelled.exchange()
      #expect(cancelled.lastError == nil && !cancelled.isExchanging)
    }
  }

  @Test func `exchanges side by side are one state`() async throws {
    try await withStores(.memory) { stores in
      let book = try stores.book()
      let gate = AsyncStream.makeStream(of: Void.self)
      let model = AccountsModel(book) {
        for await _ in gate.stream {}
        return CycleReport()
      }
      let (first, second) = (Task { await model.exchange() }, Task { await model.exchange() })
      await until { model.isExchanging }
      gate.continuation.finish()
      await first.value
      await second.value
      #expect(!model.isExchanging)
    }
  }
}
