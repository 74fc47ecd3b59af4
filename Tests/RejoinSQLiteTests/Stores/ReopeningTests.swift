import RejoinTesting
import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// A file that is opened again is the same replica, and its clock never goes back.
struct ReopeningTests {
  private let id = RecordID.numbered(1)

  private func fill(_ replica: Replica, from other: Replica) throws {
    try replica.insert(Account(id: id, email: "ada@example.com", nickname: "Work"))
    try replica.write("Labelled") { try $0.update(Account.self, id) { $0.nickname = nil } }
    try replica.insert(Account(id: .numbered(2), email: "bob@example.com"))
    try replica.delete(Account.self, .numbered(2))
    try replica.append(["text": "hello"], to: "activity")
    try other.insert(["e\u{301}": .double(-0.0), "\u{e9}": .double(.nan)], id: .numbered(3), in: "other")
    try replica.merge(other.delta())
  }

  @Test func `everything is as it was`() throws {
    try withStores(.sqlite) { stores in
      let before = try { () throws -> ReplicaTrace in
        let replica = try stores.replica()
        try fill(replica, from: stores.replica("other"))
        return try replica.trace()
      }()
      let replica = try stores.replica()
      #expect(try replica.trace() == before)
      #expect(try replica.get(Account.self, id) == Account(id: id, email: "ada@example.com"))
      #expect(try replica.log("activity").map(\.entry.values) == [["text": "hello"]])
      #expect(try replica.declaredFields(of: "accounts") == ["email", "nickname"])
      #expect(try replica.explain("nickname", of: id, in: "accounts").winner?.label == "Labelled")
      let fields = try #require(try replica.fields(of: .numbered(3), in: "other"))
      #expect(fields == ["e\u{301}": .double(-0.0), "\u{e9}": .double(.nan)])
    }
  }

  @Test func `a clock that was stored too early is found again in what is stored`() throws {
    try withStores(.sqlite) { stores in
      let ahead = FixtureEnvironment(ahead: 60_000)
      let last = try { () throws -> HybridTime in
        let replica = try stores.replica()
        let other = try stores.replica("other", clock: ahead)
        try fill(replica, from: other)
        return replica.lastTime
      }()
      #expect(last.milliseconds == ahead.wallMilliseconds)
      try stores.sql("UPDATE rejoin_replica SET last_time = \(Int64.min)")
      let replica = try stores.replica()
      #expect(replica.lastTime == last)
      try replica.append([:], to: "activity")
      #expect(replica.lastTime > last)
    }
  }

  @Test func `no time is issued twice though the last write was deleted and the clock lost`() throws {
    try withStores(.sqlite) { stores in
      let other = try stores.replica("other")
      let last = try { () throws -> HybridTime in
        let replica = try stores.replica()
        try replica.insert(Account(id: id, email: "ada@example.com"))
        try other.merge(replica.delta())
        stores.clock.advance(milliseconds: 60_000)
        try replica.update(Account.self, id) { $0.email = "last@example.com" }
        let last = replica.lastTime
        stores.clock.advance(milliseconds: 1)
        try other.merge(replica.delta())
        try other.update(Account.self, id) { $0.email = "over@example.com" }
        try replica.merge(other.delta())
        return last
      }()
      try stores.sql("UPDATE rejoin_replica SET last_time = \(Int64.min)")
      stores.clock.advance(milliseconds: -120_000)
      let replica = try stores.replica()
      try replica.append([:], to: "activity")
      #expect(replica.lastTime > last)
    }
  }

  @Test func `what waits for its time does not move the clock of a replica that is opened again`() throws {
    try withStores(.sqlite) { stores in
      let ahead = FixtureEnvironment(ahead: 3_600_000)
      let other = try stores.replica("other", clock: ahead)
      let before = try { () throws -> ReplicaTrace in
        let replica = try stores.replica()
        try replica.insert(Account(id: id, email: "ada@example.com"))
        try other.merge(replica.delta())
        try other.update(Account.self, id) { $0.email = "future@example.com" }
        try replica.merge(other.delta())
        return try replica.trace()
      }()
      try stores.sql("UPDATE rejoin_replica SET last_time = \(Int64.min)")
      let replica = try stores.replica()
      #expect(try replica.trace() == before)
      #expect(try replica.waiting().count == 1)
      #expect(replica.lastTime.milliseconds <= stores.clock.wallMilliseconds)
    }
  }

  @Test func `a hundred openings are one replica`() throws {
    try withStores(.sqlite) { stores in
      var ids = Set<ReplicaID>()
      for number: Int64 in 0..<100 {
        let replica = try stores.replica()
        try replica.append(["number": .int(number)], to: "activity")
        ids.insert(replica.id)
      }
      let replica = try stores.replica()
      #expect(ids.count == 1)
      #expect(replica.version.entries.map(\.replica) == [replica.id])
      #expect(try replica.log("activity").map(\.entry.values) == (0..<100).map { ["number": .int($0)] })
    }
  }

  @Test func `opening without writing changes nothing in the file`() throws {
    try withStores(.sqlite) { stores in
      try { try stores.replica().insert(Account(id: id, email: "ada@example.com")) }()
      let before = try stores.sql("SELECT * FROM rejoin_replica")
      for _ in 0..<3 {
        stores.clock.advance(milliseconds: 1_000)
        #expect(try stores.replica().get(Account.self, id) != nil)
      }
      #expect(try stores.sql("SELECT * FROM rejoin_replica") == before)
    }
  }

  @Test func `a stored time that no clock can have is refused`() throws {
    try withStores(.sqlite) { stores in
      try { try stores.replica().insert(Account(id: id, email: "ada@example.com")) }()
      try stores.sql("UPDATE rejoin_replica SET last_time = \(Int64.max)")
      #expect(throws: StoreError.damaged(path: stores.path("one"), what: "its clock")) {
        try stores.replica()
      }
    }
  }
}
