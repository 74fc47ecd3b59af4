import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// Clearing a field is a write of its own; it differs from never having written it, everywhere.
struct ClearingTests {
  private let id = RecordID.numbered(1)

  @Test(arguments: StoreKind.allCases)
  func `a cleared field is null, an unwritten one is absent`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "ada@example.com"))
      #expect(try replica.shown(id) == ["email": "ada@example.com"])
      try replica.update(Account.self, id) { $0.nickname = "Work" }
      try replica.update(Account.self, id) { $0.nickname = nil }
      #expect(try replica.shown(id) == ["email": "ada@example.com", "nickname": .null])
      #expect(try replica.get(Account.self, id) == Account(id: id, email: "ada@example.com"))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a cleared field travels and clears the other replica's value`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(Account(id: id, email: "ada@example.com", nickname: "Work"))
      try laptop.merge(phone.delta(since: laptop.version))
      try phone.update(Account.self, id) { $0.nickname = nil }
      let delta = try Delta(decoding: phone.delta(since: laptop.version).encoded())
      #expect(delta.registerCount == 1)
      let report = try laptop.merge(delta)
      #expect(report.changes.records.map(\.fields) == [["nickname"]])
      #expect(try laptop.shown(id) == ["email": "ada@example.com", "nickname": .null])
      #expect(try laptop.trace().hasSameContent(as: phone.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the later of clearing and writing wins, wherever they meet`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(Account(id: id, email: "ada@example.com", nickname: "Work"))
      try phone.sync(with: laptop)
      stores.clock.advance(milliseconds: 10)
      try laptop.update(Account.self, id) { $0.nickname = "Home" }
      stores.clock.advance(milliseconds: 10)
      try phone.update(Account.self, id) { $0.nickname = nil }
      try phone.sync(with: laptop)
      for replica in [phone, laptop] { #expect(try replica.shown(id)?["nickname"] == .null) }
      stores.clock.advance(milliseconds: 10)
      try laptop.update(Account.self, id) { $0.nickname = "Play" }
      try phone.sync(with: laptop)
      for replica in [phone, laptop] { #expect(try replica.shown(id)?["nickname"] == "Play") }
    }
  }
}
