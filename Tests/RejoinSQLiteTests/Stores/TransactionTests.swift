import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// The writes of one transaction share one timestamp, see each other, and stand or fall together.
struct TransactionTests {
  private struct Stop: Error {}
  private let first = RecordID.numbered(1)
  private let second = RecordID.numbered(2)

  @Test(arguments: StoreKind.allCases)
  func `everything that a transaction writes has one timestamp`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: second, email: "old@example.com"))
      let before = replica.version
      let timestamp = try replica.write { transaction in
        try transaction.insert(Account(id: first, email: "ada@example.com"))
        try transaction.delete(Account.self, second)
        try transaction.append(["text": "moved"], to: "activity")
        return transaction.timestamp
      }
      let delta = try replica.delta(since: before)
      var timestamps = Set(delta.winners.map(\.register.precedence.timestamp))
      timestamps.formUnion(delta.lives.values.map(\.timestamp))
      timestamps.formUnion(delta.logEntries.map(\.entry.timestamp))
      #expect(timestamps == [timestamp])
      #expect(delta.lives[.account(second)]?.count == 2)
      #expect(timestamp == Timestamp(time: replica.lastTime, replica: replica.id))
      #expect(replica.version[replica.id] == timestamp.time)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a transaction reads what it wrote`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: second, email: "old@example.com"))
      try replica.write { transaction in
        try transaction.insert(Account(id: first, email: "ada@example.com"))
        #expect(try transaction.get(Account.self, first)?.email == "ada@example.com")
        try transaction.update(Account.self, first) { $0.nickname = "Work" }
        try transaction.update(Account.self, first) { $0.nickname = "Home" }
        #expect(try transaction.get(Account.self, first)?.nickname == "Home")
        #expect(throws: ReplicaError.recordExists(.account(first))) {
          try transaction.insert(Account(id: first, email: "twice@example.com"))
        }
        try transaction.delete(Account.self, second)
        #expect(try transaction.get(Account.self, second) == nil)
        #expect(throws: ReplicaError.recordNotVisible(.account(second))) {
          try transaction.delete(Account.self, second)
        }
        try transaction.restore(Account.self, second)
        #expect(try transaction.get(Account.self, second)?.email == "old@example.com")
      }
      #expect(try replica.get(Account.self, first)?.nickname == "Home")
      #expect(try replica.get(Account.self, second)?.email == "old@example.com")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a transaction that throws leaves nothing, not even the time`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: second, email: "old@example.com"))
      let before = try replica.trace()
      let told = try await replica.told {
        try? abandon(in: replica)
        let after = try replica.trace()
        #expect(after == before)
        #expect(try replica.collections() == ["accounts"])
        #expect(try replica.logs().isEmpty)
      }
      #expect(told.isEmpty)
      try replica.insert(["size": 1], id: first, in: "never")
      #expect(try replica.fields(of: first, in: "never") == ["size": 1])
    }
  }

  private func abandon(in replica: Replica) throws {
    try replica.write("abandoned") { transaction in
      try transaction.insert(Account(id: first, email: "ada@example.com"))
      try transaction.insert(["size": 1], id: first, in: "never")
      try transaction.delete(Account.self, second)
      try transaction.append(["text": "x"], to: "activity")
      throw Stop()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a transaction without writes leaves nothing`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      let before = try replica.trace()
      let told = try await replica.told {
        stores.clock.advance(milliseconds: 1_000)
        try replica.write("empty") { _ in }
        #expect(try replica.trace() == before)
      }
      #expect(told.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a label is kept and explains the write, a write without has none`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.write("Add an account") { try $0.insert(Account(id: first, email: "ada@example.com")) }
      let labelled = replica.lastTime
      try replica.update(Account.self, first) { $0.nickname = "Work" }
      #expect(try replica.label(at: labelled) == "Add an account")
      #expect(try replica.label(at: replica.lastTime) == nil)
      #expect(try replica.explain("email", of: first, in: "accounts").winner?.label == "Add an account")
      #expect(try replica.explain("nickname", of: first, in: "accounts").winner?.label == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `times of one replica ascend though its wall clock stands or goes back`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      var times: [HybridTime] = []
      for step: Int64 in [0, 0, -1_000_000, 5, 2_000_000] {
        stores.clock.advance(milliseconds: step)
        try replica.append([:], to: "activity")
        times.append(replica.lastTime)
      }
      #expect(times == times.sorted())
      #expect(Set(times).count == times.count)
    }
  }
}
