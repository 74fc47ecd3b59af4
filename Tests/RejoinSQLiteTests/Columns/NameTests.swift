import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// Whatever a field or a collection is called, its values come back, and no other is disturbed.
struct NameTests {
  private let id = RecordID.numbered(1)

  private static let awkward = [
    "a\"b", "\"", "\"\"", "'", "a b", " ", "a;b", "; DROP TABLE rejoin_replica; --", "[a]", "`a`", "%_", "?1",
    ":a",
    "\u{e9}", "e\u{301}", "\u{1f600}", "\u{0}", "a\u{0}b", "\n", "name", "Name", "NAME", "ID", "Id", "iD",
    "rejoin_state", "REJOIN_STATE", "rejoin_replica", "rejoin_x", "sqlite_x", "SQLite_master", "rowid", "oid",
    "_rowid_", "select", "SELECT", "table", "order", "group", "index", "values", "null", "excluded", "ROWID",
    "1",
    String(repeating: "n", count: 255), "\u{130}", "\u{131}", "\u{212a}", "k", "K", "\u{df}", "SS",
  ]

  @Test func `fields of any name keep their values apart`() throws {
    try withStores(.sqlite) { stores in
      let names = Self.awkward.map { FieldName($0) }
      let fields = Dictionary(uniqueKeysWithValues: zip(names, names.map { Value.string($0.text + "!") }))
      try {
        let replica = try stores.replica()
        try replica.declare(names, in: "accounts")
        try replica.insert(fields, id: id, in: "accounts")
        #expect(try replica.shown(id) == fields)
        for name in names { try replica.set([name: .string(name.text + "?")], id: id, in: "accounts") }
      }()
      let replica = try stores.replica()
      let shown = try #require(try replica.shown(id))
      #expect(shown.count == names.count)
      for name in names { #expect(shown[name] == .string(name.text + "?")) }
      #expect(
        try stores.sql("SELECT \"a\"\"b\", \"\u{e9}\", \"e\u{301}\", \"select\" FROM accounts")
          == [["a\"b?", "\u{e9}?", "e\u{301}?", "select?"]])
      #expect(try replica.inspect().findings.isEmpty)
    }
  }

  @Test func `of names that differ in the case of ASCII letters one is a column, all keep their values`()
    throws
  {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.declare(["name", "NAME", "Name"], in: "accounts")
      #expect(try replica.declaredFields(of: "accounts") == ["name"])
      try replica.insert(["name": 1, "NAME": 2, "Name": 3], id: id, in: "accounts")
      #expect(try replica.shown(id) == ["name": 1, "NAME": 2, "Name": 3])
      #expect(try stores.sql("SELECT name FROM accounts") == [["1"]])
    }
  }

  @Test func `collections of any name hold their records apart`() throws {
    try withStores(.sqlite) { stores in
      let collections = Self.awkward.map { Collection($0) } + ["accounts", "Accounts", "id"]
      try {
        let replica = try stores.replica()
        for collection in collections {
          try replica.declare(["a"], in: collection)
          try replica.insert(["a": .string(collection.text)], id: id, in: collection)
          try replica.append(["a": .string(collection.text)], to: LogName(collection.text))
        }
      }()
      let replica = try stores.replica()
      #expect(try replica.collections() == collections.sorted())
      #expect(try replica.logs().map(\.text) == collections.sorted().map(\.text))
      for collection in collections {
        #expect(try replica.fields(of: id, in: collection) == ["a": .string(collection.text)])
        #expect(try replica.records(in: collection).count == 1)
        #expect(
          try replica.log(LogName(collection.text)).map(\.entry.values) == [["a": .string(collection.text)]])
      }
      #expect(try stores.sql("SELECT a FROM \"; DROP TABLE rejoin_replica; --\"").count == 1)
      let other = try stores.replica("other")
      try other.merge(replica.delta())
      #expect(try other.trace().hasSameContent(as: replica.trace()))
      try replica.delete(id, in: "name")
      #expect(try replica.fields(of: id, in: "Name") != nil)
    }
  }

  @Test func `a collection bears its own name wherever SQLite can tell it from others`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      for collection: Collection in [
        "accounts", "ACCOUNTS", "rejoin_x", "sqlite_x", "Select", "it's; \"so\"",
      ] {
        try replica.insert(["a": 1], id: id, in: collection)
      }
      let tables = try stores.sql("SELECT name FROM sqlite_schema WHERE type = 'table'").map { $0[0] }
      for name in ["accounts", "Select", "it's; \"so\""] { #expect(tables.contains(name)) }
      for name in ["ACCOUNTS", "rejoin_x", "sqlite_x"] { #expect(!tables.contains(name)) }
      let mapped = try stores.sql("SELECT name FROM rejoin_space WHERE table_name LIKE 'rejoin_collection_%'")
      #expect(mapped.map { $0[0] } == ["ACCOUNTS", "rejoin_x", "sqlite_x"])
    }
  }
}
