import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// A conflict is resolved by an ordinary write that names it, for everybody.
struct ResolvingTests {
  /// Two replicas that are level and hold one open conflict: "Phone" gave way to "Laptop".
  private func withConflict(
    _ kind: StoreKind, _ body: (Stores, Replica, Replica, LedgerEntry) throws -> Void
  ) throws {
    try withStores(kind) { stores in
      let replicas = try stores.level("phone", "laptop")
      try replicas[0].rename("Phone")
      stores.clock.advance(milliseconds: 10)
      try replicas[1].rename("Laptop")
      try replicas[0].learn(from: replicas[1])
      try replicas[1].learn(from: replicas[0])
      stores.clock.advance(milliseconds: 10)
      try body(stores, replicas[0], replicas[1], #require(replicas[0].conflicts().first))
    }
  }

  /// An older version of the application writes a plain number where a newer one counts.
  @Test(arguments: StoreKind.allCases)
  func `a number beside a counter is listed and kept as it showed`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (one, two) = (try stores.replica("one"), try stores.replica("two"))
      let key = RecordKey("pages", .numbered(1))
      func meet() throws {
        for _ in 0..<2 {
          try two.merge(one.delta(since: two.version))
          try one.merge(two.delta(since: one.version))
        }
      }
      try one.insert(["n": 10], id: key.id, in: key.collection)
      try one.increment("n", by: 5, id: key.id, in: key.collection)
      try meet()
      try one.set(["n": 16], id: key.id, in: key.collection)
      stores.clock.advance(milliseconds: 10)
      try two.set(["n": 20], id: key.id, in: key.collection)
      try meet()
      let conflict = try #require(try one.conflicts().first)
      #expect(conflict.losingValue == 16)
      #expect(try one.fields(of: key.id, in: key.collection) == ["n": 20])
      try one.resolve(conflict, keeping: .loser)
      try meet()
      for replica in [one, two] {
        #expect(try replica.fields(of: key.id, in: key.collection) == ["n": 16])
        #expect(try replica.conflicts().isEmpty)
      }
    }
  }

  @Test(
    arguments: StoreKind.allCases,
    [(LedgerEntry.Choice.winner, "Laptop"), (.loser, "Phone"), (.value("Both"), "Both")])
  func `what is kept shows everywhere, and the conflict is listed nowhere`(
    _ kind: StoreKind, kept: (choice: LedgerEntry.Choice, name: String)
  ) throws {
    try withConflict(kind) { _, phone, laptop, entry in
      #expect(try laptop.recordsInReview(in: "accounts") == [Stores.account: ["nickname"]])
      let before = phone.version[phone.id]
      try phone.resolve(entry, keeping: kept.choice)
      let slot = try phone.explain("nickname", of: Stores.account, in: "accounts").winner
      let stamp = try #require(slot?.register.precedence.timestamp)
      #expect(stamp.time > before && stamp.replica == phone.id)
      try laptop.learn(from: phone)
      for replica in [phone, laptop] {
        #expect(try replica.nickname == kept.name)
        #expect(try replica.conflicts().isEmpty)
        let settled = try replica.conflicts(includingSettled: true)
        #expect(settled.map(\.id) == [entry.id])
        #expect(settled.first?.resolution?.timestamp == stamp)
        #expect(try replica.recordsInReview(in: "accounts").isEmpty)
        #expect(try !replica.isInReview(Stores.account, in: "accounts"))
      }
      #expect(try phone.trace().hasSameContent(as: laptop.trace()))
      #expect(try phone.inspect().findings.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `two resolutions at once are a conflict of their own`(_ kind: StoreKind) throws {
    try withConflict(kind) { stores, phone, laptop, entry in
      try phone.resolve(entry, keeping: .loser)
      stores.clock.advance(milliseconds: 10)
      try laptop.resolve(entry, keeping: .winner)
      let report = try phone.learn(from: laptop)
      #expect(report.collisions == 0)
      try laptop.learn(from: phone)
      for replica in [phone, laptop] {
        #expect(try replica.nickname == "Laptop")
        let open = try replica.conflicts()
        #expect(open.map(\.losingValue) == ["Phone"])
        #expect(open.first?.id != entry.id)
        let old = try #require(replica.conflicts(includingSettled: true).first { $0.id == entry.id })
        #expect(old.resolution?.kept == "winner")
      }
      #expect(try phone.trace().hasSameContent(as: laptop.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a transaction resolves with all else that it does, or not at all`(_ kind: StoreKind) throws {
    struct Abandoned: Error {}
    try withConflict(kind) { _, phone, _, entry in
      let before = try phone.trace()
      #expect(throws: Abandoned.self) {
        try phone.write { transaction in
          try transaction.resolve(entry.id, keeping: .loser)
          throw Abandoned()
        }
      }
      #expect(try phone.trace() == before)
      try phone.write { transaction in
        try transaction.resolve(entry.id, keeping: .loser)
        try transaction.resolve(entry.id, keeping: .value("Neither"))
        try transaction.append([:], to: "activity")
      }
      #expect(try phone.nickname == "Neither")
      #expect(try phone.conflicts(includingSettled: true).map(\.resolution?.kept) == ["value"])
      #expect(try phone.log("activity").count == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a field of a deleted record cannot be written, and trying leaves no trace`(_ kind: StoreKind) throws {
    try withConflict(kind) { _, phone, _, entry in
      try phone.delete(Account.self, Stores.account)
      let before = try phone.trace()
      for choice in [LedgerEntry.Choice.loser, .value("x")] {
        #expect(throws: ReplicaError.recordNotVisible(.account(Stores.account))) {
          try phone.resolve(entry, keeping: choice)
        }
      }
      let unknown = EntryID(high: 1, low: 1)
      #expect(throws: ReplicaError.conflictNotFound(unknown)) { try phone.resolve(unknown, keeping: .winner) }
      #expect(try phone.trace() == before)
      // What shows is nothing, and stays so.
      try phone.resolve(entry, keeping: .winner)
      #expect(try phone.conflicts(includingSettled: true).allSatisfy { $0.resolution != nil })
      #expect(try phone.nickname == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `keeping a deletion deletes, keeping a restoration restores`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.level("phone", "laptop")
      let (phone, laptop) = (replicas[0], replicas[1])
      try phone.delete(Account.self, Stores.account)
      stores.clock.advance(milliseconds: 10)
      try laptop.delete(Account.self, Stores.account)
      try phone.restore(Account.self, Stores.account)
      try phone.learn(from: laptop)
      let entry = try #require(phone.conflicts().first)
      #expect(throws: ReplicaError.conflictWithoutField(entry.id)) {
        try phone.resolve(entry, keeping: .value(1))
      }
      #expect(try phone.recordsInReview(in: "accounts") == [Stores.account: []])
      #expect(try phone.recordsInReview(in: "accounts", fields: ["nickname"]).isEmpty)
      try phone.resolve(entry, keeping: .loser)
      #expect(try phone.get(Account.self, Stores.account) == nil)
      #expect(try phone.conflicts().isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a badge looks at the fields that it is asked about`(_ kind: StoreKind) throws {
    try withConflict(kind) { (_, phone, _, _) throws in
      #expect(try phone.recordsInReview(in: "accounts", fields: ["email"]).isEmpty)
      #expect(try phone.recordsInReview(in: "accounts", fields: ["email", "nickname"]).count == 1)
      #expect(try phone.isInReview(Stores.account, in: "accounts", fields: ["nickname"]))
      #expect(try !phone.isInReview(Stores.account, in: "accounts", fields: ["email"]))
      #expect(try !phone.isInReview(.numbered(2), in: "accounts"))
      #expect(try phone.recordsInReview(in: "others").isEmpty)
      #expect(try phone.conflicts(in: "others").isEmpty)
      #expect(try phone.conflicts(in: "accounts").count == 1)
      #expect(try phone.conflicts(of: Stores.account, in: "accounts").count == 1)
      #expect(try phone.conflicts(of: .numbered(2), in: "accounts").isEmpty)
    }
  }
}
