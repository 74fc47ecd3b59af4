import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// Records are found and sorted by their fields, alike with an index and without, on both stores.
struct QueryTests {
  private enum CodingKeys: CodingKey { case title, size, due }

  /// A record with fields of several types.
  private struct Task: Record, Equatable {
    static let collection: Collection = "tasks"
    var id: RecordID
    var title: String
    var size: Int?
    var due: UnixTime?
  }

  private static let indexings: [[Index]] = [
    [], [Index("title")], [Index("size"), Index("due")], [Index("due"), Index("size"), Index("title")],
  ]

  /// A replica with five tasks; the third is deleted.
  private func tasks(in stores: Stores, _ indexes: [Index]) throws -> Replica {
    let replica = try stores.replica()
    try replica.declare(indexes, in: "tasks")
    let titles = ["b", "a", "a", "c", "a"]
    for (number, title) in titles.enumerated() {
      let id = RecordID.numbered(UInt64(number + 1))
      let size = number == 3 ? nil : 10 - number
      try replica.insert(
        Task(id: id, title: title, size: size, due: UnixTime(milliseconds: Int64(number))))
    }
    try replica.delete(Task.self, .numbered(3))
    return replica
  }

  private func numbers(
    _ replica: Replica, _ condition: Condition? = nil, sort: Sort? = nil, limit: Int? = nil
  ) throws -> [UInt64] {
    let typed = try replica.all(Task.self, where: condition, sort: sort, limit: limit).map(\.id.low)
    let untyped = try replica.records(in: "tasks", where: condition, sort: sort, limit: limit).map(\.id.low)
    #expect(typed == untyped)
    return untyped
  }

  @Test(arguments: StoreKind.allCases, indexings)
  func `conditions by coding key find what they say`(_ kind: StoreKind, _ indexes: [Index]) throws {
    try withStores(kind) { stores in
      let replica = try tasks(in: stores, indexes)
      let (title, size, due) = (CodingKeys.title, CodingKeys.size, CodingKeys.due)
      #expect(try numbers(replica, .equals(title, "a")) == [2, 5])
      #expect(try numbers(replica, .oneOf(title, ["c", "b"])) == [1, 4])
      #expect(try numbers(replica, .oneOf("title", [])) == [])
      #expect(try numbers(replica, .atLeast(size, 9)) == [1, 2])
      #expect(try numbers(replica, .atMost(size, 9)) == [2, 5])
      #expect(try numbers(replica, .between(size, 7, 9)) == [2])
      #expect(try numbers(replica, .between(size, 9, 7)) == [])
      #expect(try numbers(replica, .isNull(size)) == [4])
      #expect(try numbers(replica, .equals(size, Int?.none)) == [4])
      #expect(try numbers(replica, .atLeast(due, UnixTime(milliseconds: 3))) == [4, 5])
      #expect(try numbers(replica, .all([.equals(title, "a"), .atLeast(size, 8)])) == [2])
      #expect(try numbers(replica, .all([])) == [1, 2, 4, 5])
    }
  }

  @Test(arguments: StoreKind.allCases, indexings)
  func `an order is total, descending is its reverse, and a limit cuts it`(
    _ kind: StoreKind, _ indexes: [Index]
  ) throws {
    try withStores(kind) { stores in
      let replica = try tasks(in: stores, indexes)
      #expect(try numbers(replica, sort: .ascending(CodingKeys.title)) == [2, 5, 1, 4])
      #expect(try numbers(replica, sort: .descending(CodingKeys.title)) == [4, 1, 5, 2])
      #expect(try numbers(replica, sort: .ascending(CodingKeys.size)) == [4, 5, 2, 1], "null comes first")
      for limit in 0...5 {
        #expect(
          try numbers(replica, sort: .ascending("title"), limit: limit) == Array([2, 5, 1, 4].prefix(limit)))
        #expect(
          try numbers(replica, sort: .descending("title"), limit: limit) == Array([4, 1, 5, 2].prefix(limit)))
        #expect(try numbers(replica, limit: limit) == Array([1, 2, 4, 5].prefix(limit)))
      }
      #expect(try numbers(replica, .equals("title", "a"), sort: .descending("due"), limit: 1) == [5])
    }
  }

  @Test(arguments: StoreKind.allCases, [[], [Index("n")]])
  func `equality is exact, ranges go by the numbers`(_ kind: StoreKind, _ indexes: [Index]) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.declare(indexes, in: "c")
      let values: [Value] = [
        1, 1.0, .double(-0.0), 0.0, 0, .double(.nan), "1", .int((1 << 53) + 1), .double(0x1p53),
      ]
      for (number, value) in values.enumerated() {
        try replica.insert(["n": value], id: .numbered(UInt64(number)), in: "c")
      }
      func found(_ condition: Condition) throws -> [UInt64] {
        try replica.records(in: "c", where: condition).map(\.id.low)
      }
      #expect(try found(.equals("n", 1)) == [0])
      #expect(try found(.equals("n", 1.0)) == [1])
      #expect(try found(.equals("n", .double(-0.0))) == [2])
      #expect(try found(.equals("n", .double(.nan))) == [5])
      #expect(try found(.between("n", 1.0, 1)) == [0, 1])
      #expect(try found(.atMost("n", 0)) == [2, 3, 4])
      #expect(try found(.atLeast("n", 2)) == [7, 8], "what is no number is not larger than one")
      #expect(try found(.atLeast("n", .int((1 << 53) + 1))) == [7])
      #expect(try found(.between("n", 1, "1")) == [])
      #expect(
        try replica.records(in: "c", sort: .ascending("n")).map(\.id.low) == [2, 3, 4, 0, 1, 8, 7, 5, 6])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what cannot be asked is refused`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      #expect(throws: ReplicaError.invalidLimit(-1)) { try replica.records(in: "c", limit: -1) }
      #expect(throws: ReplicaError.invalidLimit(-1)) { try replica.all(Account.self, limit: -1) }
      #expect(throws: ReplicaError.invalidLimit(-2)) { try replica.plan(in: "c", limit: -2) }
      #expect(throws: ReplicaError.invalidCondition("size")) {
        try replica.all(Task.self, where: .all([.equals(CodingKeys.size, UInt64.max)]))
      }
      for name in ["id", ""] as [FieldName] {
        let expected = ReplicaError.invalidName(bytes: name.text.utf8.count)
        #expect(throws: expected) { try replica.records(in: "c", where: .equals(name, 1)) }
        #expect(throws: expected) { try replica.records(in: "c", sort: .ascending(name)) }
        #expect(throws: expected) { try replica.declare([Index(name)], in: "c") }
        #expect(throws: expected) { try replica.declare([Index(name)], in: Collection(name.text + "x")) }
      }
      #expect(throws: ReplicaError.invalidName(bytes: 0)) { try replica.declare([Index("a")], in: "") }
      try replica.declare([Index("a")], in: "id")
      #expect(try replica.records(in: "nowhere", where: .equals("a", 1)).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `deleted records can be asked for, too`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try tasks(in: stores, [Index("title")])
      let found = try replica.records(in: "tasks", includingDeleted: true, where: .equals("title", "a"))
      #expect(found.map(\.id.low) == [2, 3, 5])
      #expect(
        try replica.all(Task.self, includingDeleted: true, sort: .descending("title"), limit: 3).map(\.id.low)
          == [4, 1, 5])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what does not decode is told beside, and does not count for the limit`(_ kind: StoreKind) throws {
    for indexes in [[], [Index("email")]] {
      try withStores(kind) { stores in
        let replica = try stores.replica()
        try replica.declare(indexes, in: "accounts")
        for number in 1...6 as ClosedRange<UInt64> {
          let email: Value = number <= 3 ? .int(Int64(number)) : .string("\(number)")
          try replica.insert(["email": email], id: .numbered(number), in: "accounts")
        }
        let found = try replica.all(Account.self, sort: .ascending("email"), limit: 2)
        #expect(found.map(\.id.low) == [4, 5])
        #expect(found.undecodable.map(\.id.low) == [1, 2, 3])
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the plan follows the rule that is documented`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.declare([Index("a"), Index("b")], in: "c")
      func plan(_ condition: Condition? = nil, _ sort: Sort? = nil, _ limit: Int? = nil) throws -> QueryPlan {
        try replica.plan(in: "c", where: condition, sort: sort, limit: limit)
      }
      #expect(try plan() == .scan)
      #expect(try plan(.equals("z", 1), .ascending("z"), 1) == .scan)
      #expect(try plan(.equals("a", 1)) == .index("a", isInOrder: true))
      #expect(try plan(.oneOf("a", [1, 2])) == .index("a", isInOrder: false))
      #expect(
        try plan(.all([.atLeast("b", 1), .equals("a", 1)]), .ascending("b"), 1)
          == .index("a", isInOrder: false))
      #expect(try plan(.atLeast("a", 1), .ascending("b"), 1) == .index("b", isInOrder: true))
      #expect(try plan(.isNull("a"), .ascending("b"), 1) == .index("b", isInOrder: true))
      #expect(try plan(.atLeast("a", 1), .ascending("b")) == .index("a", isInOrder: false))
      #expect(try plan(.atLeast("a", 1), .descending("a")) == .index("a", isInOrder: true))
      #expect(try plan(nil, .ascending("a")) == .scan)
      #expect(try plan(nil, .ascending("a"), 9) == .index("a", isInOrder: true))
      #expect(try replica.plan(in: "c", includingDeleted: true, where: .equals("a", 1)) == .scan)
    }
  }
}
