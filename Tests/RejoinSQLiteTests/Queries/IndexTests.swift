import Rejoin
import RejoinSQLite
import RejoinTesting
import TestSupport
import Testing

/// Indexes are local, hold what records may show and nothing else, and cost what changes.
struct IndexTests {
  /// A type that declares an index.
  private struct Person: Record {
    static let collection: Collection = "accounts"
    static let indexes = [Index(CodingKeys.email)]
    var id: RecordID
    var email: String
  }

  private let id = RecordID.numbered(1)

  /// The texts under which the index by e-mail holds records, with their numbers.
  private func entries(_ replica: Replica) throws -> [String] {
    var entries: [String] = []
    try replica.withStore { store in
      try store.forEachIndexed(in: "accounts", by: "email", within: .all, descending: false) { entry in
        let text = String(decoding: entry.key.bytes.dropFirst().dropLast(2), as: UTF8.self)
        entries.append("\(text) \(entry.id.low)")
        return true
      }
    }
    return entries
  }

  // MARK: Declaring

  @Test(arguments: StoreKind.allCases)
  func `the first use of a type declares its indexes`(_ kind: StoreKind) throws {
    let uses: [@Sendable (Replica) throws -> Void] = [
      { try $0.declare(Person.self) }, { _ = try $0.all(Person.self) },
      { _ = try $0.get(Person.self, .numbered(1)) },
      { try $0.insert(Person(id: .numbered(12), email: "x")) },
      { try $0.upsert(Person(id: .numbered(12), email: "x")) },
      { try $0.update(Person.self, .numbered(1)) { $0.email = "y" } },
      { try $0.delete(Person.self, .numbered(1)) }, { try $0.restore(Person.self, .numbered(2)) },
    ]
    for use in uses {
      try withStores(kind) { stores in
        let replica = try stores.replica()
        for number in 1...2 as ClosedRange<UInt64> {
          try replica.insert(["email": "x"], id: .numbered(number), in: "accounts")
        }
        try replica.delete(.numbered(2), in: "accounts")
        #expect(try replica.indexes(of: "accounts").isEmpty)
        try use(replica)
        #expect(try replica.indexes(of: "accounts") == Person.indexes)
        #expect(try replica.inspect().findings.isEmpty)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a transaction that comes to nothing declares no index`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      #expect(throws: InjectedFailure.self) {
        try replica.write { transaction in
          try transaction.insert(Person(id: id, email: "x"))
          throw InjectedFailure()
        }
      }
      probe.failCommits()
      #expect(throws: InjectedFailure.self) { try replica.insert(Person(id: id, email: "x")) }
      #expect(try replica.indexes(of: "accounts").isEmpty)
    }
  }

  @Test func `a file keeps its indexes, and another process learns of them at once`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      let other = try stores.replica()
      try replica.insert(Person(id: id, email: "x"))
      #expect(try other.indexes(of: "accounts") == Person.indexes)
      try other.set(["email": "y"], id: id, in: "accounts")
      #expect(try entries(replica) == ["y 1"])
      #expect(try stores.replica().plan(in: "accounts", where: .equals("email", "y")) != .scan)
      try other.remove(Person.indexes, in: "accounts")
      #expect(try replica.indexes(of: "accounts").isEmpty)
      #expect(try stores.sql("SELECT * FROM rejoin_index").isEmpty)
      #expect(try stores.sql("SELECT * FROM rejoin_indexed_field").isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a removed index can be declared again`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Person(id: id, email: "x"))
      try replica.remove([Index("email"), Index("none")], in: "accounts")
      #expect(try replica.indexes(of: "accounts").isEmpty)
      try replica.set(["email": "y"], id: id, in: "accounts")
      try replica.declare(Person.self)
      #expect(try entries(replica) == ["y 1"])
    }
  }

  // MARK: What it holds

  @Test(arguments: StoreKind.allCases)
  func `an index holds living records by the values of both slots`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: 3_600_000))
      let replica = try stores.replica()
      try replica.insert(Person(id: id, email: "now"))
      try fast.merge(replica.delta())
      try fast.set(["email": "later"], id: id, in: "accounts")
      try fast.insert(["name": "no e-mail"], id: .numbered(2), in: "accounts")
      try fast.insert(["email": "early"], id: .numbered(3), in: "accounts")
      try replica.merge(fast.delta(since: replica.version))
      #expect(try entries(replica) == [" 2", " 3", "early 3", "later 1", "now 1"])
      try replica.delete(Person.self, id)
      #expect(try entries(replica) == [" 2", " 3", "early 3"])
      try replica.restore(Person.self, id)
      #expect(try entries(replica) == [" 2", " 3", "early 3", "later 1"])
      try replica.set(["email": .null], id: id, in: "accounts")
      #expect(try entries(replica) == [" 1", " 2", " 3", "early 3"])
      #expect(try replica.inspect().findings.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a value that only a newer version knows counts as absent`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.declare([Index("email")], in: "accounts")
      try replica.insert(["email": "x"], id: .numbered(2), in: "accounts")
      let timestamp = Timestamp(
        time: HybridTime(milliseconds: FixtureEnvironment.start), replica: ReplicaID(rawValue: 7))
      let fragment = RecordPacker.fragment(
        life: nil,
        values: [
          (RegisterAddress("email"), .unknown(kind: 0x20, bytes: [1])), (RegisterAddress("name"), "y"),
        ], precedence: Precedence(timestamp: timestamp))
      try replica.merge(
        Delta(
          dataset: replica.dataset, from: VersionVector(),
          through: VersionVector([(timestamp.replica, timestamp.time)]),
          records: [Delta.RecordPart(key: .account(id), fragment: fragment)], entries: []))
      #expect(try replica.records(in: "accounts", where: .isNull("email")).map(\.id) == [id])
      #expect(
        try replica.records(in: "accounts", sort: .ascending("email"), limit: 2).map(\.id.low) == [1, 2])
      #expect(
        try replica.records(in: "accounts", where: .equals("email", .unknown(kind: 0x20, bytes: [1]))).isEmpty
      )
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `long values that start alike are found and sorted exactly`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.declare([Index("email")], in: "accounts")
      let start = String(repeating: "x", count: Limits.indexKeyBytes)
      for (number, end) in ["c", "a", "", "b", "a"].enumerated() {
        try replica.insert(["email": .string(start + end)], id: .numbered(UInt64(number)), in: "accounts")
      }
      func found(_ condition: Condition? = nil, _ sort: Sort? = nil, _ limit: Int? = nil) throws -> [UInt64] {
        try replica.records(in: "accounts", where: condition, sort: sort, limit: limit).map(\.id.low)
      }
      #expect(try found(.equals("email", .string(start + "a"))) == [1, 4])
      #expect(try found(.atLeast("email", .string(start + "b"))) == [0, 3])
      #expect(try found(nil, .ascending("email"), 3) == [2, 1, 4])
      #expect(try found(nil, .descending("email"), 3) == [0, 3, 4])
    }
  }

  // MARK: Damage

  @Test(arguments: [
    ("DELETE FROM rejoin_index WHERE id IN (SELECT max(id) FROM rejoin_index)", 1, 0),
    ("INSERT INTO rejoin_index VALUES(1, x'10', x'01900000000070000000000000000001')", 0, 1),
    ("UPDATE rejoin_index SET key = x'11'", 2, 2),
  ])
  func `an inspection holds an index against the records`(
    _ statement: String, _ missing: Int, _ stray: Int
  ) throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      for number in 1...2 as ClosedRange<UInt64> {
        try replica.insert(Person(id: .numbered(number), email: "x"))
      }
      try stores.sql(statement)
      #expect(
        try replica.inspect().findings == [
          .wrongIndex("accounts", "email", missing: missing, stray: stray)
        ])
      try replica.remove(Person.indexes, in: "accounts")
      try replica.declare(Person.self)
      #expect(try replica.inspect().findings.isEmpty)
    }
  }

  @Test(arguments: [
    ("DELETE FROM rejoin_child", 1, 0), ("UPDATE rejoin_child SET parent = id", 1, 1),
    (
      "INSERT INTO rejoin_child VALUES(1, x'00000000000000000000000000000009', x'00000000000000000000000000000008')",
      0, 1
    ),
  ])
  func `an inspection holds the list of children against the records`(
    _ statement: String, _ missing: Int, _ stray: Int
  ) throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(Board(id: id))
      try replica.insert(Card(id: .numbered(11), board: id))
      try stores.sql(statement)
      #expect(
        try replica.inspect().findings == [.wrongChildren("cards", "board", missing: missing, stray: stray)])
    }
  }

  @Test func `a record that cannot be read is no fault of the index, and is told by who meets it`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      for number in 1...2 as ClosedRange<UInt64> {
        try replica.insert(Person(id: .numbered(number), email: "x"))
      }
      try stores.sql("UPDATE accounts SET rejoin_state = x'' WHERE id = '\(id)'")
      let found = try replica.all(Person.self, where: .equals("email", "x"))
      #expect(found.map(\.id.low) == [2] && found.unreadable.map(\.id) == [id])
      #expect(try replica.all(Person.self, where: .equals("email", "y")).unreadable.isEmpty)
      let findings = try replica.inspect().findings
      #expect(findings.allSatisfy { if case .wrongIndex = $0 { false } else { true } })
    }
  }

  @Test(arguments: [
    "DELETE FROM rejoin_indexed_field", "UPDATE rejoin_index SET id = x'00'",
    "UPDATE rejoin_indexed_field SET space = 99", "UPDATE rejoin_index SET key = 'text'",
    "DROP TABLE rejoin_index",
  ])
  func `the library's own tables of indexes may be edited, and nothing traps`(_ statement: String) throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(Person(id: id, email: "x"))
      try stores.sql(statement)
      for candidate in [replica, try? stores.replica()].compactMap(\.self) {
        _ = try? candidate.all(Person.self, where: .equals("email", "x"), limit: 1)
        _ = try? candidate.all(Person.self, sort: .descending("email"), limit: 1)
        try? candidate.set(["email": "y"], id: id, in: "accounts")
        try? candidate.delete(Person.self, id)
        try? candidate.remove(Person.indexes, in: "accounts")
        try? candidate.declare(Person.self)
        _ = try? candidate.inspect()
      }
    }
  }
}
