import Rejoin
import RejoinSQLite
import RejoinTesting
import TestSupport
import Testing

/// A data set can require a version of the application: older ones read and merge on, and write no more.
struct SchemaVersionTests {
  private let id = RecordID.numbered(1)

  private func replica(_ stores: Stores, _ name: String, version: Int?) throws -> Replica {
    var configuration = stores.configuration()
    configuration.schemaVersion = version
    return switch stores.kind {
    case .memory: Replica(configuration: configuration)
    case .sqlite: try Replica(at: stores.path(name), configuration: configuration, durability: .normal)
    }
  }

  private static let writes: [@Sendable (Replica, RecordID) throws -> Void] = [
    { replica, _ in try replica.insert(Account(id: .numbered(2), email: "x")) },
    { try $0.set(["email": "y"], id: $1, in: "accounts") },
    { try $0.update(Account.self, $1) { $0.email = "y" } }, { try $0.upsert(Account(id: $1, email: "y")) },
    { try $0.delete($1, in: "accounts") },
    { replica, _ in try replica.restore(.numbered(3), in: "accounts") },
    { replica, _ in try replica.append([:], to: "log") }, { replica, _ in try replica.write { _ in } },
    { replica, _ in try replica.requireSchemaVersion(2) },
  ]

  @Test(arguments: StoreKind.allCases)
  func `an older version writes no more, and loses nothing`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let old = try replica(stores, "old", version: 1)
      let new = try replica(stores, "new", version: 2)
      try old.insert(Account(id: id, email: "x"))
      try old.insert(Account(id: .numbered(3), email: "x"))
      try old.delete(Account.self, .numbered(3))
      try new.merge(old.delta())
      try old.set(["nickname": "written before it knew"], id: id, in: "accounts")
      try new.requireSchemaVersion(2)
      #expect(new.requiredSchemaVersion == 2 && old.requiredSchemaVersion == nil)
      try old.merge(new.delta(since: old.version))
      #expect(old.requiredSchemaVersion == 2)
      let before = try old.trace()
      for write in Self.writes {
        #expect(throws: ReplicaError.upgradeRequired(required: 2, own: 1)) { try write(old, id) }
        #expect(try old.trace() == before)
      }
      try new.insert(Account(id: .numbered(4), email: "z"))
      try old.merge(new.delta(since: old.version))
      #expect(try old.all(Account.self).map(\.id.low) == [1, 4])
      try old.declare([Index("email")], in: "accounts")
      try new.merge(old.delta(since: new.version))
      #expect(try new.get(Account.self, id)?.nickname == "written before it knew")
      #expect(try old.digest() == new.digest())
      #expect(try old.inspect().findings.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the largest version counts, in whatever order they arrive`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try (0..<3).map { try replica(stores, "\($0)", version: 9) }
      for (index, version) in [4, 6, 5].enumerated() { try replicas[index].requireSchemaVersion(version) }
      for first in replicas {
        for second in replicas where first !== second { try first.sync(with: second) }
      }
      #expect(replicas.map(\.requiredSchemaVersion) == [6, 6, 6])
      let version = replicas[0].version
      try replicas[0].requireSchemaVersion(5)
      try replicas[0].requireSchemaVersion(6)
      #expect(replicas[0].version == version, "what is required already is not written again")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `who says no version is not refused, and may require one`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let tool = try replica(stores, "tool", version: nil)
      try tool.requireSchemaVersion(7)
      try tool.insert(Account(id: id, email: "x"))
      #expect(tool.requiredSchemaVersion == 7)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `nobody shuts themselves out, or requires what is no version`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try replica(stores, "one", version: 3)
      #expect(throws: ReplicaError.upgradeRequired(required: 4, own: 3)) {
        try replica.requireSchemaVersion(4)
      }
      for version in [0, -1, 1 << 31] {
        #expect(throws: ReplicaError.invalidSchemaVersion(version)) {
          try replica.requireSchemaVersion(version)
        }
      }
      #expect(replica.requiredSchemaVersion == nil && replica.version.isEmpty)
      try replica.requireSchemaVersion(3)
      try replica.insert(Account(id: id, email: "x"))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the library's own collections are written by nobody else`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try replica(stores, "one", version: 3)
      try replica.requireSchemaVersion(3)
      let own = try #require(try replica.records(in: "rejoin.schema").first)
      #expect(own.fields == ["version": 3])
      let before = try replica.trace()
      for collection in ["rejoin.schema", "rejoin.anything"] as [Collection] {
        let expected = ReplicaError.reservedName(collection.text)
        #expect(throws: expected) { try replica.insert(["a": 1], id: id, in: collection) }
        #expect(throws: expected) { try replica.set(["version": 9], id: own.id, in: collection) }
        #expect(throws: expected) { try replica.delete(own.id, in: collection) }
        #expect(throws: expected) { try replica.restore(own.id, in: collection) }
      }
      #expect(try replica.trace() == before)
    }
  }

  @Test func `a file keeps what is required, and another process learns of it at once`() throws {
    try withStores(.sqlite) { stores in
      let old = try replica(stores, "one", version: 1)
      try old.insert(Account(id: id, email: "x"))
      try replica(stores, "one", version: 2).requireSchemaVersion(2)
      #expect(throws: ReplicaError.upgradeRequired(required: 2, own: 1)) {
        try old.set(["email": "y"], id: id, in: "accounts")
      }
      let reopened = try replica(stores, "one", version: 1)
      #expect(reopened.requiredSchemaVersion == 2)
      #expect(throws: ReplicaError.upgradeRequired(required: 2, own: 1)) {
        try reopened.delete(Account.self, id)
      }
      #expect(try reopened.get(Account.self, id)?.email == "x")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a requirement that fails to be written is none`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      probe.failCommits()
      #expect(throws: InjectedFailure.self) { try replica.requireSchemaVersion(2) }
      #expect(replica.requiredSchemaVersion == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a write costs the same whether a version is said and required or not`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      try replica.insert(Account(id: id, email: "x"))
      try replica.set(["email": "z"], id: id, in: "accounts")
      let before = try probe.cost { try replica.set(["email": "y"], id: id, in: "accounts") }
      try replica.requireSchemaVersion(2)
      try replica.set(["email": "x"], id: id, in: "accounts")
      let after = try probe.cost { try replica.set(["email": "z"], id: id, in: "accounts") }
      #expect(before == after && before > 0)
    }
  }
}
