import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// A record that is not visible cannot be written to, and trying leaves no trace.
struct InvisibleRecordTests {
  private let id = RecordID.numbered(1)

  /// What can be tried on a record that is not visible.
  private static let attempts: [@Sendable (Replica, RecordID) throws -> Void] = [
    { try $0.update(Account.self, $1) { $0.email = "eve@example.com" } },
    { try $0.set(["email": "eve@example.com"], id: $1, in: "accounts") },
    { try $0.set([:], id: $1, in: "accounts") },
    { try $0.delete(Account.self, $1) },
    { try $0.delete($1, in: "accounts") },
  ]

  @Test(arguments: StoreKind.allCases)
  func `a record that never was cannot be edited, deleted or restored`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: .numbered(9), email: "ada@example.com"))
      stores.clock.advance(milliseconds: 1_000)
      let before = try replica.trace()
      for attempt in Self.attempts + [{ try $0.restore($1, in: "accounts") }] {
        #expect(throws: ReplicaError.recordNotVisible(.account(id))) { try attempt(replica, id) }
        #expect(try replica.trace() == before)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a deleted record cannot be edited or deleted again`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "ada@example.com"))
      try replica.delete(Account.self, id)
      stores.clock.advance(milliseconds: 1_000)
      let before = try replica.trace()
      for attempt in Self.attempts {
        #expect(throws: ReplicaError.recordNotVisible(.account(id))) { try attempt(replica, id) }
        #expect(try replica.trace() == before)
      }
      #expect(try replica.get(Account.self, id) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record that is alive cannot be restored`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "ada@example.com"))
      let before = try replica.trace()
      #expect(throws: ReplicaError.recordNotDeleted(.account(id))) {
        try replica.restore(Account.self, id)
      }
      #expect(try replica.trace() == before)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `after a refusal the clock goes on as if nothing had been tried`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "ada@example.com"))
      let last = replica.lastTime
      #expect(throws: ReplicaError.self) { try replica.delete(.numbered(2), in: "accounts") }
      try replica.update(Account.self, id) { $0.email = "eve@example.com" }
      #expect(replica.lastTime == last.successor)
    }
  }
}
