import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// Recording a conflict moves the vector, and yet replicas come to rest.
struct LedgerSettlesTests {
  /// Two replicas that both hold both sides of a conflict, and noticed it each for itself.
  private func observers(_ stores: Stores) throws -> (Replica, Replica) {
    let replicas = try stores.level("phone", "laptop")
    try replicas[0].rename("Phone")
    stores.clock.advance(milliseconds: 10)
    try replicas[1].rename("Laptop")
    let deltas = try (
      replicas[0].delta(since: replicas[1].version), replicas[1].delta(since: replicas[0].version)
    )
    stores.clock.advance(milliseconds: 10)
    try replicas[0].merge(deltas.1)
    stores.clock.advance(milliseconds: 10)
    try replicas[1].merge(deltas.0)
    return (replicas[0], replicas[1])
  }

  @Test(arguments: StoreKind.allCases)
  func `two observers make one entry, and one more exchange brings them level`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (phone, laptop) = try observers(stores)
      let stamps = try [phone, laptop].map { try #require($0.conflicts().first).observed }
      #expect(stamps[0].replica == phone.id && stamps[1].replica == laptop.id)
      let reports = try (phone.learn(from: laptop), laptop.learn(from: phone))
      for report in [reports.0, reports.1] {
        #expect(report.conflicts.isEmpty && report.collisions == 0 && report.conflictsRecorded == 0)
        #expect(report.changes.isEmpty)
      }
      #expect(phone.version == laptop.version)
      #expect(try phone.trace().hasSameContent(as: laptop.trace()))
      for replica in [phone, laptop] {
        #expect(try replica.conflicts().map(\.observed) == [stamps.max()])
      }
      #expect(try phone.delta(since: laptop.version).isEmpty)
      #expect(try laptop.delta(since: phone.version).isEmpty)
      for replica in [phone, laptop] { #expect(try replica.inspect().findings.isEmpty) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a delta that comes twice makes no second entry and no commit`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (phone, probe) = try stores.probed("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(Account(id: Stores.account, email: "a", nickname: "Ada"))
      try laptop.learn(from: phone)
      stores.clock.advance(milliseconds: 10)
      try laptop.rename("Laptop")
      stores.clock.advance(milliseconds: 10)
      try phone.rename("Phone")
      try phone.delete(Account.self, Stores.account)
      let delta = try laptop.delta(since: phone.version)
      #expect(try phone.merge(delta).conflictsRecorded == 1)
      let (before, commits) = (try phone.trace(), probe.commitCount)
      for _ in 0..<3 {
        let report = try phone.merge(delta)
        #expect(report.conflictsRecorded == 0 && report.conflicts.isEmpty)
      }
      #expect(try phone.trace() == before)
      #expect(probe.commitCount == commits)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a register that waits meets a local write once, however often it is delivered`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone", conflicts: 1)
      let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: 3_600_000))
      try phone.insert(Account(id: Stores.account, email: "a", nickname: "Ada"))
      try fast.learn(from: phone)
      try fast.update(Account.self, Stores.account) {
        $0.nickname = "Tomorrow"
        $0.email = "b"
      }
      let delta = try fast.delta(since: phone.version)
      try phone.merge(delta)
      // Only one of the two is kept, so that the other would be recorded again if it counted as new.
      try phone.rename("Today")
      try phone.update(Account.self, Stores.account) { $0.email = "c" }
      let before = try phone.trace()
      #expect(try phone.merge(delta).conflictsRecorded == 0)
      #expect(try phone.trace() == before)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a merge that fails or is refused leaves no entry`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (phone, probe) = try stores.probed("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(Account(id: Stores.account, email: "a", nickname: "Ada"))
      try laptop.learn(from: phone)
      stores.clock.advance(milliseconds: 10)
      try phone.rename("Phone")
      try laptop.rename("Laptop")
      let delta = try laptop.delta(since: phone.version)
      try laptop.rename("Later")
      let late = try laptop.delta(since: laptop.version)
      let before = try phone.trace()
      #expect(throws: ReplicaError.self) { try phone.merge(late) }
      probe.failCommits()
      #expect(throws: InjectedFailure.self) { try phone.merge(delta) }
      #expect(try phone.trace() == before)
      #expect(try phone.losers().isEmpty)
      #expect(try phone.merge(delta).conflictsRecorded == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `conflicts that come in several deltas are each recorded once`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.level("phone", "laptop")
      let (phone, laptop) = (replicas[0], replicas[1])
      try phone.update(Account.self, Stores.account) {
        $0.nickname = "Phone"
        $0.email = "phone"
      }
      stores.clock.advance(milliseconds: 10)
      let start = phone.version
      try laptop.rename("Laptop")
      let first = try laptop.delta(since: VersionVector())
      try laptop.update(Account.self, Stores.account) { $0.email = "laptop" }
      let second = try laptop.delta(since: first.through)
      #expect(try phone.merge(first).conflictsRecorded == 1)
      #expect(try phone.merge(second).conflictsRecorded == 1)
      let stamps = try phone.conflicts().map(\.observed)
      #expect(stamps.count == 2 && stamps[0] < stamps[1])
      #expect(stamps[0].time > start[phone.id])
      #expect(try phone.merge(laptop.delta()).conflictsRecorded == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the stamp is after everything that was merged and is not from the future`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.level("phone")
      let phone = replicas[0]
      let ahead = try stores.replica("ahead", clock: FixtureEnvironment(ahead: 200_000))
      try ahead.learn(from: phone)
      try phone.rename("Phone")
      try ahead.rename("Ahead")
      try phone.learn(from: ahead)
      let entry = try #require(phone.conflicts().first)
      #expect(entry.observed.time > entry.winner.timestamp.time)
      #expect(phone.lastTime == entry.observed.time)
      // The clock of a device that is too far ahead is not followed.
      let tooFar = try stores.replica("too far", clock: FixtureEnvironment(ahead: 3_600_000))
      try tooFar.learn(from: phone)
      try phone.rename("Again")
      try tooFar.rename("Too far")
      try phone.learn(from: tooFar)
      let last = try #require(phone.conflicts(includingSettled: true).last)
      #expect(last.losingValue == "Again")
      #expect(last.observed.time < last.winner.timestamp.time)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `readers are told of records and of their own logs, not of the ledger`(_ kind: StoreKind) async throws
  {
    try await withStores(kind) { stores in
      let (phone, laptop) = try observers(stores)
      let told = try await phone.told {
        try phone.learn(from: laptop)
        try phone.resolve(#require(phone.conflicts().first), keeping: .loser)
        try laptop.learn(from: phone)
      }
      #expect(told.flatMap(\.entries).isEmpty)
      #expect(told.flatMap(\.records).map(\.fields) == [["nickname"]])
      #expect(try laptop.logs().isEmpty)
      #expect(try laptop.nickname == "Phone")
    }
  }

  @Test func `nor are those of another process on the same file`() async throws {
    try await withStores(.sqlite) { stores in
      let replicas = try stores.level("phone", "laptop")
      let again = try stores.replica("phone")
      try replicas[0].rename("Phone")
      stores.clock.advance(milliseconds: 10)
      try replicas[1].rename("Laptop")
      let told = try await again.told {
        #expect(try replicas[0].learn(from: replicas[1]).conflictsRecorded == 1)
        try again.refresh()
      }
      #expect(told.map(\.cause) == [.otherProcess])
      #expect(told.flatMap(\.entries).isEmpty)
      #expect(told.flatMap(\.records).map(\.fields) == [["nickname"]])
      #expect(try again.conflicts().map(\.losingValue) == ["Phone"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `nobody else appends to the logs of the library`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      for log in [LogName.conflicts, .resolutions, .erasures, "rejoin.", "rejoin.later"] {
        #expect(throws: ReplicaError.reservedName(log.text)) { try replica.append([:], to: log) }
      }
      try replica.append([:], to: "rejoin")
      #expect(try replica.logs() == ["rejoin"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a merge without conflicts costs the same whatever the ledger holds`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed("phone")
      let other = try stores.replica("other")
      var costs: [Int] = []
      for round in 0..<3 {
        try other.insert(["n": 1], id: .numbered(UInt64(900 + round)), in: "quiet")
        let quiet = try other.delta(since: replica.version)
        costs.append(try probe.cost { try replica.merge(quiet) })
        for side in [replica, other] {
          try side.write { transaction in
            for number: UInt64 in 0..<300 {
              try transaction.upsert(Account(id: .numbered(number), email: "\(round)"))
            }
          }
        }
        try replica.learn(from: other)
        try other.learn(from: replica)
      }
      #expect(try replica.losers().count >= 300)
      // The first one also makes the table.
      #expect(abs(costs[1] - costs[2]) <= costs[1] / 5, "\(costs)")
    }
  }
}
