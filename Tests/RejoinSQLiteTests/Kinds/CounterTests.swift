import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport
import Testing

/// Counters: no increment is lost, and none counts twice.
struct CounterTests {
  private let id = RecordID.numbered(1)

  @Test(arguments: StoreKind.allCases)
  func `increments that were made apart add up`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(["phone", "laptop", "tablet"], of: Page(visits: 5))
      for (number, replica) in replicas.enumerated() {
        for _ in 0...number { try replica.edit { $0.visits.increment() } }
      }
      try replicas[0].edit { $0.visits.decrement(by: 10) }
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.visits == 1) }
      let delta = try replicas[0].delta()
      for replica in replicas { #expect(try replica.merge(delta).changes.isEmpty, "nothing counts twice") }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a counter that nobody has written reads as 0, without being optional`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(["title": "bare"], id: id, in: "pages")
      #expect(try replica.page() == Page(title: "bare"))
      try replica.edit { $0.visits.increment() }
      #expect(try replica.fields(of: id, in: "pages") == ["title": "bare", "visits": 1])
      try replica.edit { $0.visits.increment(by: 0) }
      #expect(try replica.explain("visits", of: id, in: "pages").contributions.count == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `increments made while the record was deleted elsewhere count when it is restored`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(["phone", "laptop", "tablet"], of: Page(visits: 1))
      try replicas[0].delete(Page.self, id)
      try replicas[0].restore(Page.self, id)
      stores.clock.advance(milliseconds: 10)
      try replicas[1].edit { $0.visits.increment(by: 10) }
      try replicas[2].delete(Page.self, id)
      try stores.meet(replicas)
      try replicas[2].edit { $0.visits.increment(by: 100) }
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.visits == 111) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `beneath a deletion a counter is listed with what it had`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: 2))
      try replicas[1].edit { $0.visits.increment(by: 3) }
      try replicas[0].delete(Page.self, id)
      let report = try replicas[0].merge(replicas[1].delta(since: replicas[0].version))
      #expect(report.conflicts.isEmpty, "nothing gave way")
      #expect(try replicas[0].page() == nil)
      let beneath = try replicas[0].all(Page.self, includingDeleted: true)
      #expect(beneath.map(\.visits) == [5])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an update that assigns a counter and an upsert add the difference`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: 5))
      try replicas[0].edit { $0.visits = 7 }
      try replicas[1].upsert(Page(visits: 4))
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.visits == 6) }
      let version = replicas[0].version
      try replicas[0].edit { $0.visits = 6 }
      #expect(replicas[0].version == version, "an update that changes nothing writes nothing")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a plain number becomes a counter, and whoever knows it as a number reads and writes the sum`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let replicas = [try stores.replica("phone"), try stores.replica("laptop")]
      try replicas[0].insert(PlainPage(visits: 40))
      try stores.meet(replicas)
      try replicas[1].edit { $0.visits.increment(by: 2) }
      #expect(try replicas[1].page()?.visits == 42)
      try stores.meet(replicas)
      try replicas[0].update(PlainPage.self, id) { $0.visits += 8 }
      #expect(try replicas[0].get(PlainPage.self, id)?.visits == 50)
      try replicas[1].edit { $0.visits.increment() }
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.visits == 51) }
      try replicas[0].set(["visits": .null], id: id, in: "pages")
      #expect(try replicas[0].page()?.visits == 0)
      #expect(throws: ReplicaError.fieldOfOtherKind(RecordKey("pages", id), field: "visits")) {
        try replicas[0].set(["visits": "many"], id: id, in: "pages")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what one opening adds has 64 bits, and a sum beyond stays at the end and comes back`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: Counter(.max)))
      let error = ReplicaError.counterOverflow(RecordKey("pages", id), field: "visits")
      let before = try replicas[0].trace()
      #expect(throws: error) { try replicas[0].increment("visits", id: id, in: "pages") }
      #expect(throws: EncodingError.self) { try replicas[0].edit { $0.visits.increment() } }
      #expect(try replicas[0].trace() == before)
      try replicas[1].increment("visits", by: 5, id: id, in: "pages")
      try replicas[0].increment("visits", by: -1, id: id, in: "pages")
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.visits == Counter(.max)) }
      try replicas[1].increment("visits", by: -5, id: id, in: "pages")
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.visits == Counter(.max - 1)) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a reset takes back what it knew of, once, and nothing else`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(["phone", "laptop", "tablet"], of: Page(visits: 5))
      try replicas[0].edit { $0.visits.reset() }
      try replicas[1].edit {
        $0.visits.reset()
        $0.visits.increment(by: 2)
      }
      try replicas[2].edit { $0.visits.increment(by: 10) }
      #expect(try replicas.map { try $0.page()?.visits } == [0, 2, 15])
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.visits == 12) }
      let version = replicas[0].version
      try replicas[0].reset("visits", id: id, in: "pages")
      try replicas[0].reset("never", id: id, in: "pages")
      #expect(try replicas[0].fields(of: id, in: "pages")?["visits"] == 0)
      #expect(try replicas[0].delta(since: version).registerCount == 2)
      try replicas[2].increment("visits", id: id, in: "pages")
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.visits == 1) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a reset takes back a plain number too`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(PlainPage(visits: 40))
      try replica.edit { $0.visits.increment() }
      try replica.edit { $0.visits.reset() }
      #expect(try replica.page()?.visits == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a counter that lies beyond 64 bits can be set like any other, and goes on from there`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: Counter(.max)))
      try replicas[1].increment("visits", by: .max, id: id, in: "pages")
      try stores.meet(replicas)
      try replicas[0].set(["visits": 0], id: id, in: "pages")
      #expect(try replicas[0].page()?.visits == 0)
      try replicas[0].edit { $0.visits.increment(by: -3) }
      try replicas[1].edit { $0.visits.decrement(by: 4) }
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.visits == -7) }
      try replicas[1].set(["visits": .int(.min)], id: id, in: "pages")
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.visits == Counter(.min)) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `counting on a record that nobody sees is refused`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let error = ReplicaError.recordNotVisible(RecordKey("pages", id))
      #expect(throws: error) { try replica.increment("visits", id: id, in: "pages") }
      try replica.insert(Page())
      try replica.delete(Page.self, id)
      #expect(throws: error) { try replica.increment("visits", id: id, in: "pages") }
      #expect(throws: error) { try replica.insert("a", into: "labels", id: id, in: "pages") }
      #expect(throws: error) { try replica.remove("a", from: "labels", id: id, in: "pages") }
      #expect(throws: ReplicaError.invalidName(bytes: 2)) {
        try replica.restore(Page.self, id)
        try replica.increment("id", id: id, in: "pages")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a change of a tally is told as a change of its field`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: 1, labels: ["a"]))
      try replicas[1].edit { $0.visits.increment() }
      let told = try await replicas[0].told {
        try replicas[0].merge(replicas[1].delta(since: replicas[0].version))
        try replicas[0].edit { $0.labels.insert("b") }
        try replicas[0].edit { $0.labels.insert("b") }
      }
      #expect(
        told.map(\.records) == [
          [RecordChange(key: RecordKey("pages", id), kind: .updated, fields: ["visits"])],
          [RecordChange(key: RecordKey("pages", id), kind: .updated, fields: ["labels"])],
        ])
      let deleted = try await replicas[0].told { try replicas[0].delete(Page.self, id) }
      #expect(deleted.flatMap(\.records).map(\.fields) == [["title", "labels", "visits"]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what a clock that is ahead adds counts at once`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: 3_600_000))
      let right = try stores.replica("right")
      try right.insert(Page(visits: 1))
      try fast.merge(right.delta())
      try fast.edit {
        $0.visits.increment(by: 10)
        $0.title = "later"
      }
      let last = right.lastTime
      try right.merge(fast.delta(since: right.version))
      #expect(try right.page() == Page(title: "home", visits: 11))
      #expect(right.lastTime == last)
      try right.edit { $0.visits.increment(by: 100) }
      try fast.merge(right.delta(since: fast.version))
      #expect(try fast.page()?.visits == 111)
      #expect(try right.page()?.visits == 111)
    }
  }
}
