import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// How much the ledger keeps, and how it is erased.
struct RetentionTests {
  /// Makes `count` conflicts of accounts, one after the other, between replicas that end level.
  private func conflict(
    _ one: Replica, _ other: Replica, _ stores: Stores, _ numbers: Range<UInt64>,
    in collection: Collection = "accounts"
  ) throws {
    for number in numbers {
      for (replica, name) in [(one, "one"), (other, "other")] {
        stores.clock.advance(milliseconds: 1)
        try replica.insert(["name": .string(name)], id: .numbered(number), in: collection)
      }
      try one.learn(from: other)
      try other.learn(from: one)
    }
  }

  private func numbers(_ replica: Replica, in collection: Collection = "accounts") throws -> [UInt64] {
    try replica.conflicts(in: collection, includingSettled: true).map(\.record.id.low)
  }

  @Test(arguments: StoreKind.allCases, [3, 40])
  func `of each collection the newest are kept, on all replicas alike`(_ kind: StoreKind, bound: Int) throws {
    try withStores(kind) { stores in
      let one = try stores.replica("one", conflicts: bound)
      let other = try stores.replica("other", conflicts: bound)
      try conflict(one, other, stores, 0..<2, in: "boards")
      try conflict(one, other, stores, 0..<100)
      let newest = (0..<100 as Range<UInt64>).suffix(bound)
      for replica in [one, other] {
        #expect(try numbers(replica) == Array(newest))
        #expect(try numbers(replica, in: "boards") == [0, 1])
        #expect(try replica.log(.conflicts).count < 2 + 3 * bound, "what is beyond is let go now and then")
        #expect(try replica.inspect().findings.isEmpty)
      }
      #expect(one.version == other.version)
      #expect(try one.digest() == other.digest())
      // Whoever learns it in one go keeps the same.
      let late = try stores.replica("late", conflicts: bound)
      try late.learn(from: one)
      #expect(try numbers(late) == Array(newest))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `of resolutions no more are kept than of conflicts`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let one = try stores.replica("one", conflicts: 3)
      let other = try stores.replica("other", conflicts: 3)
      for number: UInt64 in 0..<9 {
        try conflict(one, other, stores, number..<number + 1)
        for entry in try one.conflicts() { try one.resolve(entry, keeping: .loser) }
        try other.learn(from: one)
        for replica in [one, other] {
          #expect(try replica.conflicts().isEmpty)
          #expect(try replica.log(.resolutions).count <= 4)
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what was let go does not come back, and costs no commit`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let one = try stores.replica("one", conflicts: 3)
      let other = try stores.replica("other", conflicts: 3)
      try conflict(one, other, stores, 0..<1)
      let old = try other.delta()
      try conflict(one, other, stores, 1..<8)
      let before = try one.trace()
      #expect(try one.merge(old).conflictsRecorded == 0)
      #expect(try one.trace() == before)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a ledger of no entries records none, and its replica ticks for none`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let one = try stores.replica("one", conflicts: 0)
      let other = try stores.replica("other")
      try one.insert(["name": "one"], id: .numbered(1), in: "accounts")
      try other.insert(["name": "other"], id: .numbered(1), in: "accounts")
      let time = one.version[one.id]
      let report = try one.learn(from: other)
      #expect(report.conflicts.count == 1 && report.conflictsRecorded == 0)
      #expect(one.version[one.id] == time)
      try conflict(other, try stores.replica("third"), stores, 2..<4)
      try one.learn(from: other)
      try other.learn(from: one)
      #expect(try one.losers().isEmpty)
      #expect(try one.log(.conflicts).isEmpty)
      // What the ledger holds is no part of the digest.
      #expect(try !other.losers().isEmpty)
      #expect(one.version == other.version)
      #expect(try one.digest() == other.digest())
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what is erased of the ledger goes everywhere, and only that`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let one = try stores.replica("one")
      let other = try stores.replica("other")
      let third = try stores.replica("third")
      try conflict(one, other, stores, 0..<3)
      try conflict(one, other, stores, 0..<1, in: "boards")
      try one.resolve(#require(one.conflicts(in: "accounts").first), keeping: .loser)
      try third.learn(from: one)
      let old = try one.delta()
      try one.eraseHistory(of: "accounts" as Collection)
      #expect(try numbers(one).isEmpty)
      #expect(try one.log(.resolutions).isEmpty)
      #expect(try one.fields(of: .numbered(2), in: "accounts")?["name"] == "other", "records stay")
      // Noticed without knowing of the erasure.
      try conflict(other, third, stores, 10..<11)
      for replica in [other, third] {
        try replica.learn(from: one)
        #expect(try numbers(replica) == [10])
        #expect(try numbers(replica, in: "boards") == [0])
        try replica.merge(old)
        #expect(try numbers(replica) == [10])
        #expect(try replica.inspect().findings.isEmpty)
      }
      try one.learn(from: other)
      #expect(try numbers(one) == [10])
      try other.learn(from: one)
      #expect(try one.trace().hasSameContent(as: other.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a log that is erased is gone everywhere, and takes new entries`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let one = try stores.replica("one")
      let other = try stores.replica("other")
      let id = try one.append(["text": "secret"], to: "activity")
      try one.append(["text": "kept"], to: "other log")
      try other.learn(from: one)
      let old = try one.delta()
      try other.append(["text": "not seen"], to: "activity")
      let told = try await one.told { try one.eraseHistory(of: "activity" as LogName) }
      #expect(told.isEmpty)
      #expect(try one.log("activity").isEmpty)
      #expect(try one.logs() == ["other log", "end"].sorted())
      try other.learn(from: one)
      try other.merge(old)
      #expect(try other.log("activity").map(\.entry.values) == [["text": "not seen"]])
      try one.learn(from: other)
      #expect(try one.trace().hasSameContent(as: other.trace()))
      #expect(try one.digest() == other.digest())
      try one.append(["text": "again"], to: "activity", id: id)
      try other.learn(from: one)
      #expect(try other.log("activity").count == 2)
      for replica in [one, other] { #expect(try replica.inspect().findings.isEmpty) }
      // In one delta with what it erases.
      let late = try stores.replica("late")
      try late.learn(from: one)
      #expect(try late.log("activity").count == 2)
      #expect(throws: ReplicaError.reservedName(LogName.conflicts.text)) {
        try one.eraseHistory(of: .conflicts)
      }
    }
  }
}
