import Rejoin
import RejoinSQLite
import RejoinTesting
import TestSupport
import Testing

/// One record that cannot be decoded or read never hides the others.
struct UnreadableRecordTests {
  /// A type that decodes itself, and refuses with an error of its own.
  private struct Choosy: Record {
    static let collection: Collection = "accounts"
    struct Refusal: Error {}
    enum CodingKeys: CodingKey { case email }
    var id: RecordID
    var email: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      email = try container.decode(String.self, forKey: .email)
      id = .numbered(0)
      guard email.contains("@") else { throw Refusal() }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record that its type refuses is listed beside the others`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: .numbered(1), email: "ada@example.com"))
      try replica.insert(Account(id: .numbered(2), email: "secret"))
      let all = try replica.all(Choosy.self)
      #expect(all.map(\.email) == ["ada@example.com"])
      #expect(all.undecodable.map(\.id) == [.numbered(2)])
      #expect(all.undecodable.allSatisfy { $0.reason.contains("Refusal") && !$0.reason.contains("secret") })
      #expect(throws: ReplicaError.undecodable(.account(.numbered(2)), reason: all.undecodable[0].reason)) {
        try replica.get(Choosy.self, .numbered(2))
      }
    }
  }

  /// Rows in which somebody meddled, and whether the id can still be told.
  private static let damages: [(statement: String, id: RecordID?)] = [
    ("UPDATE accounts SET id = 'nobody' WHERE id = ?", nil),
    ("UPDATE accounts SET id = '' WHERE id = ?", nil),
    ("UPDATE accounts SET id = 7 WHERE id = ?", nil),
    ("UPDATE accounts SET id = x'ff00' WHERE id = ?", nil),
    ("UPDATE accounts SET id = CAST(x'ff' AS TEXT) WHERE id = ?", nil),
    ("UPDATE accounts SET id = CAST(id AS BLOB) WHERE id = ?", nil),
    ("UPDATE accounts SET id = upper('0190000a' || substr(id, 9)) WHERE id = ?", nil),
    ("UPDATE accounts SET rejoin_state = x'' WHERE id = ?", .numbered(2)),
    ("UPDATE accounts SET rejoin_state = 'text' WHERE id = ?", .numbered(2)),
    ("UPDATE accounts SET email = CAST(x'ff' AS TEXT) WHERE id = ?", .numbered(2)),
    ("UPDATE rejoin_hidden SET id = 'nobody'", nil), ("UPDATE rejoin_hidden SET id = x'ff00'", nil),
    ("UPDATE rejoin_hidden SET rejoin_state = x''", .numbered(4)),
  ]

  @Test(arguments: damages.map(\.statement))
  func `a row that cannot be read is listed beside the others`(_ statement: String) async throws {
    try await withStores(.sqlite) { stores in
      let replica = try stores.replica()
      for number: UInt64 in 1...4 {
        try replica.insert(Account(id: .numbered(number), email: "\(number)@example.com"))
      }
      try replica.delete(Account.self, .numbered(4))
      try stores.sql(statement.replacing("?", with: "'\(RecordID.numbered(2))'"))
      let diagnostics = replica.diagnostics()
      let all = try replica.all(Account.self)
      let others: [UInt64] = statement.contains("rejoin_hidden") ? [1, 2, 3] : [1, 3]
      #expect(all.map(\.id.low) == others)
      let id = Self.damages.first { $0.statement == statement }?.id
      #expect(all.unreadable.map(\.id) == [id])
      let error = try #require(all.unreadable.first?.error as? StoreError)
      #expect("\(error)".contains("accounts") && !"\(error)".contains("example.com"))
      #expect(all.undecodable.isEmpty)
      #expect(try replica.records(in: "accounts").map(\.id.low) == others)
      #expect(try replica.unreadable(in: "accounts").map(\.id) == [id])
      var iterator = diagnostics.makeAsyncIterator()
      var told = await iterator.next()
      if told == .otherProcessCommitted { told = await iterator.next() }
      #expect(told == .unreadable(collection: "accounts", count: 1))
      #expect(throws: StoreError.self, "a digest of a part would be no digest") { try replica.digest() }
      #expect(try !replica.inspect().findings.isEmpty)
    }
  }

  @Test func `a child of a parent that cannot be read is not hidden, and hinders nothing when it cannot be`()
    throws
  {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      try replica.insert(Card(id: .numbered(12), board: .numbered(1)))
      try replica.insert(Board(id: .numbered(2)))
      try replica.insert(Card(id: .numbered(13), board: .numbered(2)))
      try stores.sql("UPDATE boards SET rejoin_state = x'' WHERE id = '\(RecordID.numbered(2))'")
      try stores.sql("UPDATE cards SET rejoin_state = x'' WHERE id = '\(RecordID.numbered(12))'")
      #expect(try replica.get(Card.self, .numbered(13)) != nil)
      #expect(try replica.visibleNumbers() == [1, 11, 13, 21])
      let changes = replica.changes()
      defer { _ = changes }
      try replica.delete(Board.self, .numbered(1))
      #expect(try replica.visibleNumbers() == [13])
      try replica.restore(Board.self, .numbered(1))
      #expect(try replica.visibleNumbers() == [1, 11, 13, 21])
      try replica.declare([Reference("text", to: "boards")], in: "cards")
    }
  }
}
