import AccountTrackers
import Rejoin
import RejoinOutbox
import Testing
import TestSupport

/// A view says of each account and tracker how it stands to the server.
struct OfflineTests {
  @Test(arguments: StoreKind.allCases)
  func `what was written here is dirty until the server has it`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (_, trackers) = try book.addAda()
      func dirty() throws -> [Bool] {
        let view = try #require(try book.accounts().first)
        return [view.offline.dirty] + view.trackers.map(\.offline.dirty)
      }
      #expect(try dirty() == [true, true, true])
      var server = HandServer()
      server.isReachable = false
      _ = try server.exchange(book.outbox)
      #expect(try dirty() == [true, true, true])
      server.isReachable = true
      _ = try server.exchange(book.outbox)
      #expect(try dirty() == [false, false, false])
      try book.startCooldown(trackers[1])
      #expect(try dirty() == [false, false, true])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what a peer wrote is the peer's to send`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (phone, laptop) = (try stores.book("phone"), try stores.book("laptop"))
      try phone.addAda()
      try laptop.replica.merge(phone.replica.delta(since: laptop.replica.version))
      #expect(try laptop.accounts().map(\.offline.dirty) == [false])
      #expect(try phone.accounts().map(\.offline.dirty) == [true])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what was refused, or waits for too long, needs attention`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (_, trackers) = try book.addAda()
      var server = HandServer()
      server.refused = [trackers[0].description]
      _ = try server.exchange(book.outbox)
      var view = try #require(try book.accounts().first)
      #expect(view.trackers.map(\.offline.sync) == [.dead(reason: "no"), .synced])
      #expect(view.trackers.map(\.offline.needsAttention) == [true, false])
      #expect(try book.outbox?.status().needsAttention == 1)
      try book.clear(trackers[1])
      try book.startCooldown(trackers[1])
      server.isReachable = false
      _ = try server.exchange(book.outbox)
      view = try #require(try book.accounts().first)
      #expect(view.trackers[1].offline.dirty && !view.trackers[1].offline.needsAttention)
      stores.clock.advance(milliseconds: 3_600_001)
      view = try #require(try book.accounts().first)
      #expect(view.trackers[1].offline.needsAttention)
      // The tracker and two entries of the log no longer count as waiting.
      let status = try #require(try book.outbox?.status())
      #expect(status.waiting == 0 && status.needsAttention == 4)
    }
  }

  @Test func `without a server nothing is dirty`() throws {
    try withStores(.memory) { stores in
      let book = try stores.book(hasServer: false)
      try book.addAda()
      #expect(try book.accounts().allSatisfy { !$0.offline.dirty && !$0.offline.needsAttention })
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record that does not decode hides no other`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (account, trackers) = try book.addAda()
      try book.replica.insert(["email": 5], id: book.replica.newID(), in: Account.collection)
      try book.replica.set(["cooldownDays": "many"], id: trackers[0], in: Tracker.collection)
      #expect(try book.accounts().map(\.id) == [account])
      #expect(try book.accounts().first?.trackers.map(\.id) == [trackers[1]])
    }
  }
}
