import Rejoin
import TestSupport
import Testing

/// Every write that gives way to one that had not seen it is in the ledger.
struct ConflictsAreRecordedTests {
  @Test(arguments: StoreKind.allCases)
  func `of two concurrent writes the loser is recorded by the first that holds both`(_ kind: StoreKind) throws
  {
    try withStores(kind) { stores in
      let replicas = try stores.level("phone", "laptop")
      let (phone, laptop) = (replicas[0], replicas[1])
      try phone.rename("Phone")
      let lost = phone.version[phone.id]
      stores.clock.advance(milliseconds: 10)
      try laptop.rename("Laptop")
      let won = laptop.version[laptop.id]
      let report = try phone.learn(from: laptop)
      #expect(report.conflictsRecorded == 1)
      let entry = try #require(phone.conflicts().first)
      #expect(try phone.conflicts().count == 1)
      #expect(entry.record == .account(Stores.account))
      #expect(entry.field == "nickname")
      #expect(entry.losingValue == "Phone")
      #expect(entry.loser.timestamp == Timestamp(time: lost, replica: phone.id))
      #expect(entry.winner == .register(Timestamp(time: won, replica: laptop.id)))
      #expect(entry.observed == Timestamp(time: phone.version[phone.id], replica: phone.id))
      #expect(entry.observed > entry.winner.timestamp)
      #expect(entry.resolution == nil && entry.isOpen)
      #expect(try phone.inspect().findings.isEmpty)
      // The other one learns of it with the next delta, and sees no conflict any more.
      let there = try laptop.learn(from: phone)
      #expect(there.conflicts.isEmpty && there.ledgerEntriesReceived == 1 && there.entriesReceived == 0)
      #expect(try laptop.conflicts() == [entry])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what shows nowhere is listed although no conflict showed when it gave way`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.level("A", "C", "D")
      let (a, c, d) = (replicas[0], replicas[1], replicas[2])
      try a.rename("b")
      stores.clock.advance(milliseconds: 10)
      try d.rename("b")
      try c.learn(from: d)
      stores.clock.advance(milliseconds: 10)
      try d.rename("a")
      try a.learn(from: c)
      #expect(try a.conflicts().isEmpty, "what gave way is what shows")
      #expect(try a.losers() == ["b"])
      try c.learn(from: a)
      #expect(try c.conflicts().isEmpty)
      try c.learn(from: d)
      #expect(try c.nickname == "a")
      let open = try c.conflicts()
      #expect(open.map(\.losingValue) == ["b"])
      #expect(open.map(\.loser.timestamp.replica) == [a.id], "D's own had been overwritten by D")
      try a.learn(from: c)
      try d.learn(from: c)
      #expect(try a.conflicts() == open)
      #expect(try d.conflicts() == open)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `causally ordered writes are recorded by nobody`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.level("one", "two", "three")
      for round in 0..<6 {
        stores.clock.advance(milliseconds: 5)
        let (writer, reader) = (replicas[round % 3], replicas[(round + 1) % 3])
        try writer.rename("round \(round)")
        if round == 3 {
          try writer.delete(Account.self, Stores.account)
          try writer.restore(Account.self, Stores.account)
        }
        try reader.learn(from: writer)
        for replica in replicas { #expect(try replica.losers().isEmpty) }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an edit beneath a deletion is recorded, and open until it shows`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.level("phone", "laptop")
      let (phone, laptop) = (replicas[0], replicas[1])
      try laptop.rename("Still here")
      try phone.delete(Account.self, Stores.account)
      try phone.learn(from: laptop)
      let entry = try #require(phone.conflicts().first)
      #expect(entry.losingValue == "Still here")
      guard case .life(let life) = entry.winner else {
        Issue.record("a deletion won")
        return
      }
      #expect(life.count == 2)
      try phone.restore(Account.self, Stores.account)
      #expect(try phone.nickname == "Still here")
      #expect(try phone.conflicts().isEmpty)
      #expect(try phone.losers() == ["Still here"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an edit of an ended life, and a deletion that lost to a restoration, are recorded`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let replicas = try stores.level("phone", "laptop", "tablet")
      let (phone, laptop, tablet) = (replicas[0], replicas[1], replicas[2])
      try tablet.rename("Tablet")
      try phone.delete(Account.self, Stores.account)
      stores.clock.advance(milliseconds: 10)
      try laptop.delete(Account.self, Stores.account)
      try phone.restore(Account.self, Stores.account)
      try phone.learn(from: laptop)
      let deletion = try #require(phone.conflicts().first)
      #expect(deletion.field == nil && deletion.losingValue == nil)
      #expect(deletion.loser.timestamp.replica == laptop.id)
      try phone.learn(from: tablet)
      #expect(try phone.conflicts().map(\.losingValue) == [nil, "Tablet"])
      #expect(try phone.nickname == "Ada")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a local write beneath a register that waits is recorded at once`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.level("phone")[0]
      let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: 3_600_000))
      try fast.learn(from: phone)
      try fast.rename("Tomorrow")
      try phone.learn(from: fast)
      #expect(try phone.losers().isEmpty)
      try phone.update(Account.self, Stores.account) { $0.email = "another field" }
      #expect(try phone.losers().isEmpty, "what the waiting one's author had seen")
      try phone.write { transaction in
        try transaction.set(["nickname": "first"], id: Stores.account, in: "accounts")
        try transaction.set(["nickname": "Today", "email": "x"], id: Stores.account, in: "accounts")
      }
      let entry = try #require(phone.conflicts(includingSettled: true).first)
      #expect(try phone.losers() == ["Today"])
      #expect(entry.observed == entry.loser.timestamp && entry.winner.timestamp.replica == fast.id)
      #expect(try phone.nickname == "Today")
      #expect(!entry.isOpen, "it shows until the time of the other has come")
      stores.clock.advance(milliseconds: 3_600_000)
      #expect(try phone.nickname == "Tomorrow")
      #expect(try phone.conflicts().map(\.id) == [entry.id])
      // Whoever knows less has nothing to add.
      try fast.learn(from: phone)
      #expect(try fast.conflicts(includingSettled: true).map(\.observed) == [entry.observed])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `equal values are recorded and not listed, until a third value shows`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      let account = Account(id: Stores.account, email: "ada@example.com", nickname: "Ada")
      try phone.insert(account)
      stores.clock.advance(milliseconds: 10)
      try laptop.insert(account)
      try phone.learn(from: laptop)
      #expect(Set(try phone.losers()) == ["ada@example.com", "Ada"])
      #expect(try phone.conflicts().isEmpty)
      #expect(try !phone.isInReview(Stores.account, in: "accounts"))
      stores.clock.advance(milliseconds: 10)
      try phone.rename("Countess")
      #expect(try phone.conflicts().map(\.losingValue) == ["Ada"])
      // Nothing is lost of what lies beneath a deletion either.
      try phone.rename("Ada")
      try phone.delete(Account.self, Stores.account)
      #expect(try phone.conflicts().isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `kinds that join without losers are not recorded`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.level("phone")[0]
      let address = RegisterAddress("visits", kind: 7, element: [1])
      for (number, value) in [(1, 5), (2, 6)] as [(UInt64, Int64)] {
        let stamp = Timestamp(
          time: HybridTime(milliseconds: stores.clock.wallMilliseconds), replica: ReplicaID(rawValue: number))
        let fragment = RecordPacker.fragment(
          life: nil, values: [(address, .int(value))], precedence: Precedence(timestamp: stamp))
        let report = try replica.merge(
          Delta(
            dataset: replica.dataset, from: VersionVector(),
            through: VersionVector([(stamp.replica, stamp.time)]),
            records: [Delta.RecordPart(key: .account(Stores.account), fragment: fragment)], entries: []))
        #expect(report.conflicts.isEmpty && report.conflictsRecorded == 0)
      }
      #expect(try replica.losers().isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the deepest and the largest values fit into the ledger`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.level("phone", "laptop")
      var deep: Value = 1
      for _ in 0..<Limits.valueDepth { deep = .array([deep]) }
      let large = Value.data([UInt8](repeating: 7, count: Limits.valueBytes - 8))
      for (replica, number) in zip(replicas, [1, 2] as [Int64]) {
        try replica.set(["deep": deep, "large": large], id: Stores.account, in: "accounts")
        stores.clock.advance(milliseconds: 10)
        if number == 2 { try replica.set(["deep": 2, "large": 2], id: Stores.account, in: "accounts") }
      }
      try replicas[0].learn(from: replicas[1])
      try replicas[1].learn(from: replicas[0])
      for replica in replicas { #expect(Set(try replica.losers()) == [deep, large]) }
    }
  }
}
