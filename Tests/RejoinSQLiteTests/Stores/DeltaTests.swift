import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// What deltas carry, and what a replica refuses to merge.
struct DeltaTests {
  private let id = RecordID.numbered(1)

  @Test(arguments: StoreKind.allCases)
  func `a delta carries only what the receiver lacks, each winner once`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(Account(id: id, email: "ada@example.com"))
      try laptop.merge(phone.delta(since: laptop.version))
      #expect(try phone.delta(since: laptop.version).isEmpty)
      for number in 0..<5 { try phone.update(Account.self, id) { $0.nickname = "edit \(number)" } }
      let delta = try phone.delta(since: laptop.version)
      #expect(delta.registerCount == 1)
      #expect(delta.from == laptop.version)
      #expect(delta.through == phone.version)
      try laptop.merge(delta)
      #expect(laptop.version == phone.version)
      #expect(try laptop.trace().hasSameContent(as: phone.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a gap is refused with a name for what is missing, and leaves no trace`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(Account(id: id, email: "ada@example.com"))
      let missing = phone.version
      try phone.update(Account.self, id) { $0.nickname = "Work" }
      let late = try phone.delta(since: missing)
      try laptop.append(["text": "own"], to: "activity")
      let before = try laptop.trace()
      #expect(throws: ReplicaError.gap(replica: laptop.id, missing: missing)) { try laptop.merge(late) }
      #expect(try laptop.trace() == before)
      try laptop.merge(phone.delta(since: laptop.version))
      #expect(try laptop.get(Account.self, id)?.nickname == "Work")
      #expect(try laptop.merge(late).changes.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `merging twice, or an old delta after a new one, changes nothing`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(Account(id: id, email: "ada@example.com"))
      let old = try phone.delta()
      try phone.delete(Account.self, id)
      try phone.append(["text": "deleted"], to: "activity")
      let new = try phone.delta()
      try laptop.merge(new)
      let before = try laptop.trace()
      let told = try await laptop.told {
        for delta in [new, old, new] {
          let report = try laptop.merge(delta)
          #expect(report.changes.isEmpty)
          #expect(report.conflicts.isEmpty)
          #expect(report.collisions == 0)
          #expect(try laptop.trace() == before)
        }
      }
      #expect(told.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a replica takes nothing from another data set once it holds something`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone", dataset: DatasetID(name: "ada"))
      let laptop = try stores.replica("laptop", dataset: DatasetID(name: "eve"))
      try phone.insert(Account(id: id, email: "ada@example.com"))
      try laptop.append(["text": "own"], to: "activity")
      let before = try laptop.trace()
      let refusal = ReplicaError.differentDataset(
        replica: laptop.id, own: laptop.dataset, other: phone.dataset)
      #expect(throws: refusal) { try laptop.merge(phone.delta()) }
      #expect(try laptop.trace() == before)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an empty replica takes over the data set of its first peer`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone", dataset: nil)
      let laptop = try stores.replica("laptop", dataset: nil)
      let third = try stores.replica("third", dataset: nil)
      let own = laptop.dataset
      try laptop.merge(third.delta())
      #expect(laptop.dataset == own, "an empty delta teaches nothing")
      try phone.insert(Account(id: id, email: "ada@example.com"))
      try laptop.merge(phone.delta())
      #expect(laptop.dataset == phone.dataset)
      try laptop.update(Account.self, id) { $0.nickname = "Work" }
      try phone.merge(laptop.delta(since: phone.version))
      #expect(try phone.trace().hasSameContent(as: laptop.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `concurrent edits of one field are reported once, by the first that holds both`(_ kind: StoreKind)
    throws
  {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(Account(id: id, email: "ada@example.com"))
      try phone.sync(with: laptop)
      try phone.update(Account.self, id) { $0.email = "phone@example.com" }
      stores.clock.advance(milliseconds: 10)
      try laptop.update(Account.self, id) { $0.email = "laptop@example.com" }
      let (here, there) = try phone.sync(with: laptop)
      let conflict = try #require(here.conflicts.first)
      #expect(here.conflicts.count == 1)
      #expect(conflict.winner.timestamp.replica == laptop.id)
      #expect(conflict.loser.timestamp.replica == phone.id)
      #expect(there.conflicts.isEmpty)
      #expect(try phone.get(Account.self, id)?.email == "laptop@example.com")
    }
  }

  @Test func `a file and a store in memory exchange everything and end equal`() throws {
    try withStores(.sqlite) { files in
      try withStores(.memory) { memories in
        let file = try files.replica()
        let memory = try memories.replica()
        try file.insert(Account(id: id, email: "ada@example.com"))
        try memory.insert(Account(id: .numbered(2), email: "bob@example.com", nickname: "Bob"))
        try memory.append(["text": "hello"], to: "activity")
        try file.sync(with: memory)
        try memory.delete(Account.self, id)
        try file.update(Account.self, .numbered(2)) { $0.nickname = nil }
        try file.sync(with: memory)
        #expect(try file.trace().hasSameContent(as: memory.trace()))
      }
    }
  }
}
