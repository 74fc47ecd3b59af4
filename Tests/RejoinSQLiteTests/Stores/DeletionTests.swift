import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// Lives of a record: deleting, bringing back, beginning anew.
struct DeletionTests {
  private let id = RecordID.numbered(1)
  private let account = Account(id: .numbered(1), email: "ada@example.com", nickname: "Work")

  @Test(arguments: StoreKind.allCases)
  func `a deleted record is gone everywhere and comes back as it was`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(account)
      try phone.sync(with: laptop)
      try phone.delete(Account.self, id)
      try phone.sync(with: laptop)
      for replica in [phone, laptop] {
        #expect(try replica.get(Account.self, id) == nil)
        #expect(try replica.all(Account.self).isEmpty)
        let beneath = try replica.records(in: "accounts", includingDeleted: true)
        #expect(beneath.map(\.isDeleted) == [true])
        #expect(beneath.map(\.fields) == [["email": "ada@example.com", "nickname": "Work"]])
      }
      try laptop.restore(Account.self, id)
      try phone.sync(with: laptop)
      for replica in [phone, laptop] { #expect(try replica.get(Account.self, id) == account) }
      #expect(try phone.trace().hasSameContent(as: laptop.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `deletion wins over a concurrent edit, and restoring brings the edit back`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(account)
      try phone.sync(with: laptop)
      try phone.delete(Account.self, id)
      stores.clock.advance(milliseconds: 10)
      try laptop.update(Account.self, id) { $0.nickname = "Home" }
      let (here, there) = try phone.sync(with: laptop)
      #expect(here.conflicts.map(\.address) == [RegisterAddress("nickname")])
      #expect(here.conflicts.map(\.record) == [.account(id)])
      #expect(there.conflicts.isEmpty, "the first replica that holds both reports it, nobody else")
      for replica in [phone, laptop] { #expect(try replica.get(Account.self, id) == nil) }
      try phone.restore(Account.self, id)
      try phone.sync(with: laptop)
      for replica in [phone, laptop] { #expect(try replica.get(Account.self, id)?.nickname == "Home") }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `inserting after a deletion shows only the new fields`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(account)
      try phone.sync(with: laptop)
      try phone.delete(Account.self, id)
      try phone.insert(Account(id: id, email: "new@example.com"))
      let life = Life(count: 3, timestamp: Timestamp(time: phone.lastTime, replica: phone.id))
      #expect(try phone.delta().lives == [.account(id): life])
      try phone.sync(with: laptop)
      for replica in [phone, laptop] { #expect(try replica.shown(id) == ["email": "new@example.com"]) }
      stores.clock.advance(milliseconds: 1)
      try laptop.delete(Account.self, id)
      try laptop.restore(Account.self, id)
      try phone.sync(with: laptop)
      for replica in [phone, laptop] { #expect(try replica.shown(id) == ["email": "new@example.com"]) }
      #expect(try phone.trace().hasSameContent(as: laptop.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `deleting and inserting in one transaction arrives as the new record`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(account)
      try phone.sync(with: laptop)
      try phone.write { transaction in
        try transaction.delete(Account.self, id)
        #expect(try transaction.get(Account.self, id) == nil)
        try transaction.insert(Account(id: id, email: "new@example.com"))
      }
      let report = try laptop.merge(Delta(decoding: phone.delta(since: laptop.version).encoded()))
      #expect(report.changes.records.map(\.kind) == [.updated])
      for replica in [phone, laptop] { #expect(try replica.shown(id) == ["email": "new@example.com"]) }
      #expect(try phone.trace().hasSameContent(as: laptop.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `inserting and deleting in one transaction leaves a deletion that can be undone`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.write { transaction in
        try transaction.insert(account)
        try transaction.delete(Account.self, id)
      }
      try phone.sync(with: laptop)
      for replica in [phone, laptop] { #expect(try replica.get(Account.self, id) == nil) }
      try laptop.restore(Account.self, id)
      try phone.sync(with: laptop)
      for replica in [phone, laptop] { #expect(try replica.get(Account.self, id) == account) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `deleting and restoring in one transaction keeps the record and outlives a concurrent deletion`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(account)
      try phone.sync(with: laptop)
      try phone.write { transaction in
        try transaction.delete(Account.self, id)
        try transaction.restore(Account.self, id)
      }
      #expect(try phone.get(Account.self, id) == account)
      stores.clock.advance(milliseconds: 10)
      try laptop.delete(Account.self, id)
      try phone.sync(with: laptop)
      for replica in [phone, laptop] { #expect(try replica.get(Account.self, id) == account) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an edit of an earlier life that arrives late does not show in the later one`(_ kind: StoreKind) throws
  {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(account)
      try phone.sync(with: laptop)
      try phone.delete(Account.self, id)
      try phone.insert(Account(id: id, email: "new@example.com"))
      stores.clock.advance(milliseconds: 60_000)
      try laptop.update(Account.self, id) { $0.nickname = "late" }
      let (here, _) = try phone.sync(with: laptop)
      #expect(here.conflicts.count == 1, "the edit is reported")
      for replica in [phone, laptop] { #expect(try replica.shown(id) == ["email": "new@example.com"]) }
      #expect(try phone.trace().hasSameContent(as: laptop.trace()))
    }
  }
}
