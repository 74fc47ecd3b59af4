import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport
import Testing

/// A plain value that a counter or set hides, neither author knowing of the other, is in the ledger.
struct HiddenByKindTests {
  private let id = RecordID.numbered(1)

  /// Two replicas of a page on which one has written a plain value of a field, and the other counted.
  private func replicas(
    _ stores: Stores, _ name: String, _ value: Value, in field: FieldName,
    _ counting: (Replica) throws -> Void
  ) throws -> [Replica] {
    let replicas = try stores.replicas(["phone \(name)", "laptop \(name)"])
    try replicas[0].set([field: value], id: id, in: "pages")
    try counting(replicas[1])
    return replicas
  }

  @Test(arguments: StoreKind.allCases)
  func `it is listed by whoever sees both first, once, and nothing else is`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      for meetsTextFirst in [true, false] {
        let replicas = try replicas(stores, "\(meetsTextFirst)", "many", in: "visits") {
          try $0.increment("visits", by: 3, id: id, in: "pages")
        }
        let (first, last) = meetsTextFirst ? (replicas[1], replicas[0]) : (replicas[0], replicas[1])
        let delta = try last.delta(since: first.version)
        #expect(try first.merge(delta).conflicts.map(\.address) == [RegisterAddress("visits")])
        #expect(try first.merge(delta).conflicts.isEmpty, "what comes again meets nobody for the first time")
        #expect(try first.conflicts().map(\.losingValue) == ["many"])
        try stores.meet(replicas)
        for replica in replicas {
          #expect(try replica.fields(of: id, in: "pages")?["visits"] == 3)
          #expect(try replica.conflicts(includingSettled: true).map(\.losingValue) == ["many"])
          #expect(try replica.conflicts().count == 1)
          #expect(try replica.recordsInReview(in: "pages") == [id: ["visits"]])
          let explanation = try replica.explain("visits", of: id, in: "pages")
          #expect(explanation.slots.map(\.isShown) == [false])
          #expect(explanation.contributions.map(\.isCounted) == [true])
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what counts for the field, what says nothing and what was known is no loser`(_ kind: StoreKind) throws
  {
    try withStores(kind) { stores in
      let count = { (replica: Replica) in try replica.increment("f", id: id, in: "pages") }
      let add = { (replica: Replica) in try replica.insert("a", into: "f", id: id, in: "pages") }
      let remove = { (replica: Replica) in
        try add(replica)
        try replica.remove("a", from: "f", id: id, in: "pages")
      }
      let cases: [(value: Value, act: (Replica) throws -> Void, losers: [Value])] = [
        (7, count, []), (.null, count, []), (["b"], count, [["b"]]), (true, count, [true]),
        (["b"], add, []), (.null, add, []), (7, add, [7]), ("x", add, ["x"]), ("x", remove, []),
      ]
      for (number, part) in cases.enumerated() {
        let replicas = try replicas(stores, "\(number)", part.value, in: "f", part.act)
        try stores.meet(replicas)
        for replica in replicas {
          #expect(
            try replica.conflicts(includingSettled: true).compactMap(\.losingValue) == part.losers,
            "\(number)")
        }
      }
      let replicas = try stores.replicas(["phone", "laptop"])
      try replicas[0].set(["visits": "many"], id: id, in: "pages")
      try stores.meet(replicas)
      try replicas[1].set(["visits": 3], id: id, in: "pages")
      try replicas[1].increment("visits", id: id, in: "pages")
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.conflicts(includingSettled: true).isEmpty) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `beneath a deletion and in a life that an insert began it is listed, too`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: 5))
      try replicas[0].delete(Page.self, id)
      try replicas[0].insert(["visits": "many"], id: id, in: "pages")
      try replicas[1].edit { $0.visits.increment(by: 10) }
      try stores.meet(replicas)
      for replica in replicas {
        #expect(try replica.fields(of: id, in: "pages")?["visits"] == 10)
        #expect(try replica.conflicts().compactMap(\.losingValue) == ["many"])
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `tallies that elements hide are kept beneath, and do not count`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas()
      try replicas[0].increment("f", by: 3, id: id, in: "pages")
      try replicas[1].insert("a", into: "f", id: id, in: "pages")
      try stores.meet(replicas)
      for replica in replicas {
        #expect(try replica.fields(of: id, in: "pages")?["f"] == ["a"])
        let parts = try replica.explain("f", of: id, in: "pages").contributions
        #expect(parts.map(\.isCounted) == parts.map { $0.element != nil })
        #expect(parts.count == 2)
      }
      try replicas[1].remove("a", from: "f", id: id, in: "pages")
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.fields(of: id, in: "pages")?["f"] == 3) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `keeping the loser brings it back, keeping the winner settles it`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      for (number, keepsLoser) in [true, false, true].enumerated() {
        let replicas = try replicas(stores, "\(number)", number == 2 ? 7 : "many", in: "f") {
          if number == 2 {
            try $0.insert("a", into: "f", id: id, in: "pages")
          } else {
            try $0.increment("f", by: 3, id: id, in: "pages")
          }
        }
        try stores.meet(replicas)
        let entry = try #require(try replicas[0].conflicts().first)
        try replicas[0].resolve(entry, keeping: keepsLoser ? .loser : .winner)
        try stores.meet(replicas)
        for replica in replicas {
          let shown = try replica.fields(of: id, in: "pages")?["f"]
          #expect(shown == (keepsLoser ? entry.losingValue : 3))
          #expect(try replica.conflicts().isEmpty)
        }
      }
    }
  }
}
