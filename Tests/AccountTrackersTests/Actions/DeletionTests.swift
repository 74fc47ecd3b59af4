import AccountTrackers
import Rejoin
import RejoinOutbox
import Testing
import TestSupport

/// Trackers go with their account and come back with it, on every device.
struct DeletionTests {
  @Test(arguments: StoreKind.allCases)
  func `a deleted account takes its trackers along, and brings them back`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (account, trackers) = try book.addAda()
      let (other, _) = try book.addAda("grace@example.com")
      try book.startCooldown(trackers[0])
      let before = try book.accounts()
      try book.deleteAccount(account)
      #expect(try book.accounts().map(\.id) == [other])
      #expect(try book.replica.all(Tracker.self).count == 2)
      try book.restoreAccount(account)
      #expect(try book.accounts().map(\.account) == before.map(\.account))
      #expect(
        try book.accounts().map { $0.trackers.map(\.tracker) } == before.map { $0.trackers.map(\.tracker) })
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what another device edited meanwhile comes back with the account`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (phone, laptop) = (try stores.book("phone"), try stores.book("laptop"))
      let (account, trackers) = try phone.addAda()
      try laptop.replica.merge(phone.replica.delta(since: laptop.replica.version))
      try phone.deleteAccount(account)
      try laptop.startCooldown(trackers[1])
      try phone.replica.sync(with: laptop.replica)
      #expect(try phone.accounts().isEmpty && laptop.accounts().isEmpty)
      try laptop.restoreAccount(account)
      try phone.replica.sync(with: laptop.replica)
      for book in [phone, laptop] {
        let view = try #require(try book.accounts().first)
        #expect(view.trackers.map(\.status) == [.ready, .cooling])
      }
      #expect(try phone.replica.digest() == laptop.replica.digest())
      #expect(try phone.activity() == laptop.activity())
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a deletion shows as pending until the server has acknowledged it`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (account, trackers) = try book.addAda()
      var server = HandServer()
      _ = try server.exchange(book.outbox)
      try book.deleteAccount(account)
      #expect(try book.accounts().isEmpty)
      let pending = try #require(try book.accounts(deleted: .pending).first)
      #expect(pending.offline.tombstoned && pending.offline.dirty)
      #expect(pending.trackers.map(\.id) == trackers)
      #expect(pending.trackers.allSatisfy { $0.offline == OfflineState(tombstoned: true, sync: .synced) })
      _ = try server.exchange(book.outbox)
      #expect(try book.accounts(deleted: .pending).isEmpty)
      let all = try book.accounts(deleted: .all)
      #expect(all.map(\.offline) == [OfflineState(tombstoned: true, sync: .synced)])
      #expect(all.first?.trackers.map(\.id) == trackers)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a tracker that was deleted alone shows as pending beside the others`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book()
      let (_, trackers) = try book.addAda()
      var server = HandServer()
      _ = try server.exchange(book.outbox)
      try book.replica.delete(Tracker.self, trackers[0])
      #expect(try book.accounts().first?.trackers.map(\.id) == [trackers[1]])
      let shown = try #require(try book.accounts(deleted: .pending).first)
      #expect(shown.trackers.map(\.offline.tombstoned) == [true, false] && !shown.offline.tombstoned)
      _ = try server.exchange(book.outbox)
      #expect(try book.accounts(deleted: .pending).first?.trackers.map(\.id) == [trackers[1]])
      #expect(try book.accounts(deleted: .all).first?.trackers.map(\.id) == trackers)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `without a server no deletion is pending, and all can be shown`(kind: StoreKind) throws {
    try withStores(kind) { stores in
      let book = try stores.book(hasServer: false)
      let (account, _) = try book.addAda()
      try book.deleteAccount(account)
      #expect(try book.accounts(deleted: .pending).isEmpty)
      #expect(try book.accounts(deleted: .all).map(\.id) == [account])
    }
  }
}
