import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// Inserting, writing over and writing parts of records, the same in every store.
struct InsertTests {
  private let id = RecordID.numbered(1)

  @Test(arguments: StoreKind.allCases)
  func `an inserted record reads back equal and alone`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let account = Account(id: id, email: "ada@example.com", nickname: "Work")
      try replica.insert(account)
      #expect(try replica.get(Account.self, id) == account)
      #expect(try Array(replica.all(Account.self)) == [account])
      #expect(try replica.get(Account.self, .numbered(2)) == nil)
      #expect(try replica.fields(of: id, in: "Accounts") == nil, "names are compared by their bytes")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `inserting a visible record again is refused and leaves no trace`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "ada@example.com"))
      stores.clock.advance(milliseconds: 1_000)
      let before = try replica.trace()
      #expect(throws: ReplicaError.recordExists(.account(id))) {
        try replica.insert(Account(id: id, email: "eve@example.com"))
      }
      #expect(try replica.trace() == before)
      #expect(try replica.get(Account.self, id)?.email == "ada@example.com")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `upsert inserts what is missing and writes only what differs`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.upsert(Account(id: id, email: "ada@example.com", nickname: "Work"))
      let before = replica.version
      try replica.upsert(Account(id: id, email: "ada@example.com", nickname: "Home"))
      #expect(try replica.delta(since: before).winners.map(\.address.field) == ["nickname"])
      let after = try replica.trace()
      try replica.upsert(Account(id: id, email: "ada@example.com", nickname: "Home"))
      #expect(try replica.trace() == after, "nothing differs, so nothing is written")
      try replica.upsert(Account(id: id, email: "ada@example.com", nickname: nil))
      #expect(try replica.shown(id)?["nickname"] == .null)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an update writes only the registers that changed`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "ada@example.com", nickname: "Work"))
      let inserted = replica.lastTime
      let before = replica.version
      stores.clock.advance(milliseconds: 1_000)
      try replica.update(Account.self, id) { $0.nickname = "Home" }
      let delta = try replica.delta(since: before)
      #expect(delta.registerCount == 1)
      #expect(delta.winners.map(\.register.value) == ["Home"])

      let email = try replica.explain(id, "email")
      let nickname = try replica.explain(id, "nickname")
      #expect(email.winner?.register.precedence.timestamp.time == inserted)
      #expect(nickname.winner?.register.precedence.timestamp.time == replica.lastTime)
      #expect(replica.lastTime.milliseconds == inserted.milliseconds + 1_000)
      #expect(nickname.slots.count == 1, "the register that lost is gone")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an update that changes nothing writes nothing`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "ada@example.com"))
      let before = try replica.trace()
      stores.clock.advance(milliseconds: 1_000)
      try replica.update(Account.self, id) { $0.email = "ada@example.com" }
      #expect(try replica.trace() == before)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record without fields exists, travels and can be filled`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica("one")
      let other = try stores.replica("two")
      try replica.insert([:], id: id, in: "accounts")
      #expect(try replica.shown(id) == [:])
      try other.merge(replica.delta())
      #expect(try other.shown(id) == [:])
      #expect(try other.records(in: "accounts").map(\.id) == [id])
      try other.set(["email": "ada@example.com"], id: id, in: "accounts")
      #expect(try other.shown(id) == ["email": "ada@example.com"])
      try other.delete(id, in: "accounts")
      #expect(try other.shown(id) == nil)
      try other.restore(id, in: "accounts")
      #expect(try other.shown(id) == ["email": "ada@example.com"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `names that cannot be used are refused and leave no trace`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let before = try replica.trace()
      let long = String(repeating: "n", count: Limits.nameBytes + 1)
      for name in ["", "id", long] {
        #expect(throws: ReplicaError.invalidName(bytes: name.utf8.count)) {
          try replica.insert([FieldName(name): 1], id: id, in: "accounts")
        }
      }
      #expect(throws: ReplicaError.invalidName(bytes: 0)) { try replica.insert([:], id: id, in: "") }
      #expect(throws: ReplicaError.invalidName(bytes: 0)) { try replica.append([:], to: "") }
      #expect(try replica.trace() == before)
      #expect(try replica.collections().isEmpty)
    }
  }
}

extension Replica {
  fileprivate func explain(_ id: RecordID, _ field: FieldName) throws -> Explanation {
    try explain(field, of: id, in: "accounts")
  }
}
