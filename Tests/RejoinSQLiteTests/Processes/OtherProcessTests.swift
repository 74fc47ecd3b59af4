import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// What another process commits to the same file is told here.
struct OtherProcessTests {
  private let id = RecordID.numbered(1)

  /// What the first of two replicas on one file is told while the second does something.
  private func told(_ body: (Replica) throws -> Void) async throws -> [ChangeSet] {
    try await withStores(.sqlite) { stores in
      let (first, second) = (try stores.replica(), try stores.replica())
      try first.insert(Account(id: id, email: "before", nickname: "n"))
      return try await first.told {
        try body(second)
        try first.refresh()
      }
    }
  }

  @Test func `an edit is told with its fields`() async throws {
    let told = try await told { try $0.update(Account.self, id) { $0.email = "after" } }
    #expect(
      told == [
        ChangeSet(
          cause: .otherProcess,
          records: [RecordChange(key: RecordKey("accounts", id), kind: .updated, fields: ["email"])],
          entries: [])
      ])
  }

  @Test func `an insert, a deletion and an entry are told as what they are`() async throws {
    let other = RecordID.numbered(2)
    let told = try await told { replica in
      try replica.insert(Account(id: other, email: "new"))
      try replica.delete(Account.self, id)
      try replica.append(["text": "t"], to: "activity")
    }
    let records = told.flatMap(\.records).sorted { $0.key < $1.key }
    #expect(records.map(\.kind) == [.deleted, .inserted])
    #expect(records.map(\.key.id) == [id, other])
    #expect(told.flatMap(\.entries).map(\.log) == ["activity"])
  }

  @Test func `a restored record is told as inserted`() async throws {
    let told = try await told { replica in
      try replica.delete(Account.self, id)
      try replica.restore(Account.self, id)
    }
    #expect(told.flatMap(\.records).map(\.kind) == [.inserted])
    #expect(told.flatMap(\.records).first?.fields.sorted() == ["email", "nickname"])
  }

  @Test func `nothing is told when nobody wrote`() async throws {
    let told = try await told { _ in }
    #expect(told.isEmpty)
  }

  @Test func `a record that came and went in between is not told`() async throws {
    let other = RecordID.numbered(2)
    let told = try await told { replica in
      try replica.insert(Account(id: other, email: "new"))
      try replica.delete(Account.self, other)
    }
    #expect(told.flatMap(\.records).isEmpty)
  }
}
