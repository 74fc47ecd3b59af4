import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// Defaults and converters are for reading: nothing is written that nobody changed.
struct FieldReadingTests {
  private typealias One = TaskVersion.One
  private typealias Two = TaskVersion.Two
  private typealias Three = TaskVersion.Three

  private let id = RecordID.numbered(1)
  private let old: [FieldName: Value] = ["title": "t", "size": "7", "legacy": "l"]

  private func replica(in stores: Stores, _ fields: [FieldName: Value]? = nil) throws -> Replica {
    let replica = try stores.replica()
    try replica.insert(fields ?? old, id: id, in: "tasks")
    return replica
  }

  @Test(arguments: StoreKind.allCases)
  func `a field that was never written reads as the default, by every way of reading`(_ kind: StoreKind)
    throws
  {
    try withStores(kind) { stores in
      let replica = try replica(in: stores)
      let expected = Three(id: id, name: "t", priority: 1, size: 7)
      #expect(try replica.get(Three.self, id) == expected)
      #expect(try Array(replica.all(Three.self)) == [expected])
      try replica.write { transaction in
        #expect(try transaction.get(Three.self, id) == expected)
        try transaction.append([:], to: "log")
      }
      #expect(try replica.fields(of: id, in: "tasks") == old, "reading writes nothing")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an update writes what changed, and neither defaults nor what was converted`(_ kind: StoreKind) throws
  {
    try withStores(kind) { stores in
      let replica = try replica(in: stores)
      try replica.update(Three.self, id) { $0.name = "u" }
      #expect(try replica.fields(of: id, in: "tasks") == old.merging(["title": "u"]) { $1 })
      try replica.update(Three.self, id) { $0.priority = 1 }
      #expect(try replica.fields(of: id, in: "tasks")?["priority"] == nil, "it reads so already")
      try replica.update(Three.self, id) {
        $0.priority = 2
        $0.size = 8
      }
      #expect(
        try replica.fields(of: id, in: "tasks") == [
          "title": "u", "size": 8, "legacy": "l", "priority": 2,
        ])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an upsert of what was read writes nothing`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try replica(in: stores)
      let version = replica.version
      var record = try #require(try replica.get(Three.self, id))
      try replica.upsert(record)
      #expect(replica.version == version)
      record.tag = "x"
      try replica.upsert(record)
      #expect(try replica.fields(of: id, in: "tasks") == old.merging(["tag": "x"]) { $1 })
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an insert writes what the record holds, equal to the default or not`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Three(id: id, name: "t", priority: 1, size: 3))
      #expect(try replica.fields(of: id, in: "tasks") == ["title": "t", "priority": 1, "size": 3])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a cleared field reads as the default, and so does what a converter gives up`(_ kind: StoreKind) throws
  {
    try withStores(kind) { stores in
      let replica = try replica(in: stores, ["title": "t", "size": "many", "priority": .null])
      #expect(try replica.get(Three.self, id) == Three(id: id, name: "t", priority: 1, size: 0))
      try replica.set(["size": .null], id: id, in: "tasks")
      #expect(try replica.get(Three.self, id)?.size == 0)
    }
  }

  /// A type that turns whatever its title holds into one text.
  private struct Leveller: Record {
    static let collection: Collection = "tasks"
    static let converters = [FieldConverter("title") { _ in "level" }]
    var id: RecordID
    var title: String?
  }

  @Test(arguments: StoreKind.allCases)
  func `a converter is not asked about what is null or absent`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try replica(in: stores)
      #expect(try replica.get(Leveller.self, id)?.title == "level")
      try replica.set(["title": .null], id: id, in: "tasks")
      #expect(try replica.get(Leveller.self, id)?.title == nil)
      try replica.insert(["size": "1"], id: .numbered(2), in: "tasks")
      #expect(try replica.all(Leveller.self).map(\.title) == [nil, nil])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what a converter leaves alone stays undecodable, and hides no other`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try replica(in: stores)
      try replica.insert(["title": "t", "size": true], id: .numbered(2), in: "tasks")
      for condition in [Condition.atLeast("title", ""), .atLeast("size", 0), nil] {
        let found = try replica.all(Three.self, where: condition, sort: .ascending("title"), limit: 5)
        #expect(found.map(\.id) == [id])
        #expect(found.undecodable.map(\.id) == (condition == .atLeast("size", 0) ? [] : [.numbered(2)]))
      }
      #expect(throws: ReplicaError.self) { try replica.get(Three.self, .numbered(2)) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `queries of a type go by what it reads, those by field by what is stored`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try replica(in: stores)
      try replica.declare(Three.self)
      try replica.declare(Two.self)
      try replica.insert(Three(id: .numbered(2), name: "u", priority: 2, size: 7))
      let (size, priority) = (Three.CodingKeys.size, Three.CodingKeys.priority)
      #expect(try replica.all(Three.self, where: .equals(size, 7)).map(\.id.low) == [1, 2])
      #expect(try replica.all(Two.self, where: .equals(size, "7")).map(\.id.low) == [1, 2])
      #expect(try replica.all(Three.self, where: .equals(priority, 1)).map(\.id.low) == [1])
      #expect(try replica.all(Three.self, where: .isNull(priority)).isEmpty)
      #expect(try replica.all(Three.self, sort: .descending(priority), limit: 1).map(\.id.low) == [2])
      #expect(try replica.all(Three.self, where: .equals("title", "u")).map(\.id.low) == [2])
      #expect(try replica.records(in: "tasks", where: .equals("size", 7)).map(\.id.low) == [2])
      #expect(try replica.records(in: "tasks", where: .isNull("priority")).map(\.id.low) == [1])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a renamed property keeps its stored name`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try replica(in: stores)
      #expect(try replica.get(Two.self, id)?.name == "t")
      try replica.update(Two.self, id) { $0.name = "u" }
      #expect(try replica.get(One.self, id)?.title == "u")
    }
  }
}
