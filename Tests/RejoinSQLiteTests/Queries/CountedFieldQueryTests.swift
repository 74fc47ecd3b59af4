import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport
import Testing

/// Records are found by what their counters and sets come to, with an index as without one.
struct CountedFieldQueryTests {
  private let collection: Collection = "pages"

  private func numbers(_ records: [UntypedRecord]) -> [UInt64] { records.map(\.id.low) }

  @Test(arguments: StoreKind.allCases)
  func `an index of a counter or set changes no result`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      for seed in TestSeeds.seeds(20) {
        var generator = SplitMix64(seed: seed)
        let clocks = [FixtureEnvironment(), FixtureEnvironment(ahead: 3_600_000)]
        let replicas = try [0, 1].map { try stores.replica("\(seed)-\($0)", clock: clocks[$0]) }
        try replicas[0].declare([Index("n"), Index("s")], in: collection)
        for _ in 0..<40 {
          let replica = replicas[Int(generator.next() % 2)]
          let id = RecordID.numbered(generator.next() % 3)
          switch generator.next() % 9 {
          case 0: try? replica.insert([:], id: id, in: collection)
          case 1: try? replica.insert(["n": 1, "s": ["a"]], id: id, in: collection)
          case 2: try? replica.increment("n", by: Int64(generator.next() % 3), id: id, in: collection)
          case 3: try? replica.insert("b", into: "s", id: id, in: collection)
          case 4: try? replica.remove("b", from: "s", id: id, in: collection)
          case 5: try? replica.set(["n": 2], id: id, in: collection)
          case 6: try? replica.delete(id, in: collection)
          case 7: try? replica.restore(id, in: collection)
          default: try replicas[0].merge(replicas[1].delta(since: replicas[0].version))
          }
          try compare(replicas[0], seed: seed)
        }
        clocks[0].advance(milliseconds: 2 * 3_600_000)
        try compare(replicas[0], seed: seed)
        // A write takes in what has come due.
        try replicas[0].append([:], to: "log")
        #expect(try replicas[0].inspect().findings.map(\.description) == [], "seed \(seed)")
      }
    }
  }

  /// Holds answers by the index against a plain filter of everything.
  private func compare(_ replica: Replica, seed: UInt64) throws {
    let all = try replica.records(in: collection)
    for value in [0, 1, 2, 3, .null] as [Value] {
      let found = try replica.records(in: collection, where: .equals("n", value))
      #expect(numbers(found) == numbers(all.filter { ($0.fields["n"] ?? .null) == value }), "seed \(seed)")
    }
    for value in [["a"], ["b"], ["a", "b"], []] as [Value] {
      let found = try replica.records(in: collection, where: .equals("s", value))
      #expect(numbers(found) == numbers(all.filter { $0.fields["s"] == value }), "seed \(seed)")
    }
    let sorted = try replica.records(in: collection, sort: .ascending("n"), limit: 2)
    let expected = all.map { (key: QueryKey($0.fields["n"] ?? .null), record: $0) }
      .sorted { ($0.key, $0.record.id) < ($1.key, $1.record.id) }.prefix(2).map(\.record)
    #expect(numbers(sorted) == numbers(expected), "seed \(seed)")
  }

  @Test(arguments: StoreKind.allCases)
  func `a value nested too deep is refused before anything goes down into it`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      var deep: Value = 1
      for _ in 0..<(Limits.valueDepth + 1) { deep = .array([deep]) }
      for condition in [.equals("n", deep), .atLeast("n", deep)] as [Condition] {
        #expect(throws: ReplicaError.invalidCondition("n")) {
          try replica.records(in: collection, where: condition)
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `no counter or set hides a value of another kind that is seen`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let key = RecordKey(collection, .numbered(1))
      try replica.insert(["text": "precious", "list": [1], "clear": .null], id: key.id, in: collection)
      try replica.increment("count", id: key.id, in: collection)
      func refusal(_ field: FieldName) -> ReplicaError { .fieldOfOtherKind(key, field: field) }
      #expect(throws: refusal("text")) { try replica.increment("text", id: key.id, in: collection) }
      #expect(throws: refusal("list")) { try replica.increment("list", id: key.id, in: collection) }
      #expect(throws: refusal("text")) { try replica.insert("a", into: "text", id: key.id, in: collection) }
      #expect(throws: refusal("count")) { try replica.insert("a", into: "count", id: key.id, in: collection) }
      try replica.increment("clear", id: key.id, in: collection)
      try replica.insert(2, into: "list", id: key.id, in: collection)
      let shown: [FieldName: Value] = ["text": "precious", "list": [1, 2], "clear": 1, "count": 1]
      #expect(try replica.fields(of: key.id, in: collection) == shown)
      #expect(throws: refusal("list")) { try replica.increment("list", id: key.id, in: collection) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `nothing of a name that nobody can use is erased`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let long = String(repeating: "x", count: Limits.nameBytes + 1)
      for (name, bytes) in [("", 0), (long, long.utf8.count)] {
        let refusal = ReplicaError.invalidName(bytes: bytes)
        #expect(throws: refusal) { try replica.eraseHistory(of: LogName(name)) }
        #expect(throws: refusal) { try replica.eraseHistory(of: Collection(name)) }
      }
    }
  }
}
