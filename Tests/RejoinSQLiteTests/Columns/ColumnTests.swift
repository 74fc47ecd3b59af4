import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// A collection is a table with real columns, which any program can read.
struct ColumnTests {
  private let id = RecordID.numbered(1)

  @Test func `email and nickname are columns of accounts, readable by any SQLite`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "ada@example.com", nickname: "Work"))
      try replica.insert(Account(id: .numbered(2), email: "bob@example.com"))
      let query = "SELECT email, nickname FROM accounts ORDER BY id"
      #expect(try stores.sql(query) == [["ada@example.com", "Work"], ["bob@example.com", "NULL"]])
      try replica.update(Account.self, id) { $0.nickname = nil }
      #expect(try stores.sql(query) == [["ada@example.com", "NULL"], ["bob@example.com", "NULL"]])
      #expect(try stores.sql("SELECT id FROM accounts ORDER BY id LIMIT 1") == [[id.description]])
    }
  }

  @Test func `deleted records are not in the table, restored ones are`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "ada@example.com", nickname: "Work"))
      try replica.delete(Account.self, id)
      #expect(try stores.sql("SELECT * FROM accounts").isEmpty)
      #expect(try stores.sql("SELECT id FROM rejoin_hidden") == [[id.description]])
      try replica.restore(Account.self, id)
      #expect(try stores.sql("SELECT email, nickname FROM accounts") == [["ada@example.com", "Work"]])
      #expect(try stores.sql("SELECT * FROM rejoin_hidden").isEmpty)
      try replica.write { transaction in
        try transaction.delete(Account.self, id)
        try transaction.insert(Account(id: id, email: "new@example.com"))
      }
      #expect(try stores.sql("SELECT email, nickname FROM accounts") == [["new@example.com", "NULL"]])
    }
  }

  @Test func `what a merge brings is in the columns too`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      let other = try stores.replica("other")
      try replica.insert(Account(id: id, email: "ada@example.com"))
      try other.merge(replica.delta())
      try other.update(Account.self, id) { $0.nickname = "Work" }
      try other.insert(Account(id: .numbered(2), email: "bob@example.com"))
      try replica.merge(other.delta())
      #expect(
        try stores.sql("SELECT email, nickname FROM accounts ORDER BY id") == [
          ["ada@example.com", "Work"], ["bob@example.com", "NULL"],
        ])
      try other.delete(Account.self, id)
      try replica.merge(other.delta())
      #expect(try stores.sql("SELECT email FROM accounts") == [["bob@example.com"]])
    }
  }

  @Test func `values that a column can hold are stored there once and nowhere else`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      let marks = "unmistakable-text"
      try replica.insert(Account(id: id, email: marks))
      let state = try #require(try stores.sql("SELECT hex(rejoin_state) FROM accounts").first?.first)
      let hexadecimal = marks.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
      #expect(!state.contains(hexadecimal.joined()))
    }
  }

  @Test(
    arguments: [
      (Value.null, "NULL"), (.bool(true), "1"), (.bool(false), "0"), (.int(.min), "-9223372036854775808"),
      (.int(7), "7"), (.double(3), "3.0"), (.double(-0.0), "-0.0"), (.double(.nan), "NULL"),
      (.double(.infinity), "inf"), (.double(.leastNonzeroMagnitude), "5e-324"), (.string(""), ""),
      (.string("7"), "7"), (.string("e\u{301}\0x"), "e\u{301}\0x"), (.data([]), ""),
      (.data([1, 255]), "1 ff"),
      (.time(-5), "-5"), (.record(.numbered(9)), RecordID.numbered(9).description),
      (.array([1, "a"]), #"[1,"a"]"#),
      (.map(["a": .map(["b": .null])]), #"{"a":{"b":null}}"#), (.array([]), "[]"),
      (.array([.double(-0.0)]), nil), (.string(String(repeating: "x", count: 100_000)), nil),
    ] as [(Value, String?)])
  func `a column shows a readable copy, and the value reads back exactly`(
    _ value: Value, _ readable: String?
  ) throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.declare(["a", "b"], in: "values")
      try replica.insert(["a": value, "b": "beside", "c": value], id: id, in: "values")
      #expect(try replica.fields(of: id, in: "values") == ["a": value, "b": "beside", "c": value])
      let column = try stores.sql("SELECT a FROM \"values\"").first?.first
      if let readable { #expect(column == readable) }
      try replica.set(["b": "again"], id: id, in: "values")
      let reopened = try stores.replica()
      #expect(try reopened.fields(of: id, in: "values") == ["a": value, "b": "again", "c": value])
      #expect(try reopened.inspect().findings.isEmpty)
    }
  }

  @Test func `a field that is declared later becomes a column when its record is written again`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(["email": "ada@example.com"], id: id, in: "accounts")
      try replica.declare(["email"], in: "accounts")
      #expect(try replica.shown(id) == ["email": "ada@example.com"])
      try replica.set(["theme": "dark"], id: id, in: "accounts")
      #expect(try stores.sql("SELECT email FROM accounts") == [["ada@example.com"]])
      #expect(try replica.declaredFields(of: "accounts") == ["email"])
    }
  }

  @Test func `a thousand fields are kept, five hundred of them as columns`() throws {
    try withStores(.sqlite) { stores in
      let names = (0..<1_000).map { FieldName("field\($0)") }
      let fields = Dictionary(uniqueKeysWithValues: zip(names, (0..<1_000).map { Value.int($0) }))
      let replica = try stores.replica()
      try replica.declare(names, in: "wide")
      try replica.insert(fields, id: id, in: "wide")
      #expect(try replica.fields(of: id, in: "wide") == fields)
      #expect(try replica.declaredFields(of: "wide").count == Limits.columnsPerCollection)
      #expect(try stores.sql("SELECT field499 FROM wide") == [["499"]])
      #expect(try stores.replica().fields(of: id, in: "wide") == fields)
    }
  }
}
