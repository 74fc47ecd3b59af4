import Rejoin
import RejoinSQLite
import RejoinTesting
import TestSupport
import Testing

/// Entries of the library's own logs come from other replicas, too, and perhaps from later versions.
struct ForeignEntriesTests {
  private let stamp = Timestamp(
    time: HybridTime(milliseconds: FixtureEnvironment.start), replica: ReplicaID(rawValue: 77))

  /// The entries of a replica that holds a conflict of each shape.
  private func entries(_ stores: Stores) throws -> [(id: EntryID, entry: LogEntry)] {
    let one = try stores.replica("one")
    let other = try stores.replica("other")
    try one.insertBoard()
    try one.insert(Board(id: .numbered(2)))
    try other.declareBoards()
    try other.learn(from: one)
    try one.delete(Board.self, .numbered(1))
    try one.delete(Board.self, .numbered(2))
    stores.clock.advance(milliseconds: 1)
    try other.update(Card.self, .numbered(11)) { $0.text = "edited" }
    try other.update(Board.self, .numbered(1)) { $0.title = "edited" }
    try other.delete(Board.self, .numbered(2))
    try one.insert(Card(id: .numbered(12), text: "one"))
    try other.insert(Card(id: .numbered(12), text: "other"))
    try one.learn(from: other)
    return try one.log(.conflicts)
  }

  @Test(arguments: StoreKind.allCases)
  func `an entry is read as it was written, and its damaged bytes as nothing`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let entries = try entries(stores)
      #expect(entries.count == 4)
      for (id, entry) in entries {
        let read = try #require(LedgerEntry(entry, id: id))
        #expect(read.logEntry == entry)
        guard case .data(let bytes)? = entry.values[""] else {
          Issue.record("an entry is data")
          continue
        }
        for count in bytes.indices {
          // What is cut off within a value may still be a value.
          let cut = LogEntry(["": .data(Array(bytes[..<count]))], timestamp: stamp)
          if let read = LedgerEntry(cut, id: id) { #expect(read.logEntry != entry) }
          var changed = bytes
          changed[count] ^= 0xff
          _ = LedgerEntry(LogEntry(["": .data(changed)], timestamp: stamp), id: id)
        }
        #expect(LedgerEntry(LogEntry(["": .data(bytes), "more": 1], timestamp: stamp), id: id) == nil)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what this version cannot read is kept, passed on and shown to nobody`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica(conflicts: 1)
      let values: [ValueMap] = [
        [:], ["": 1], ["": .data([])], ["": .data([255, 1])], ["log": "rejoin.conflicts"],
      ]
      let entries = LogName.own.flatMap { log in
        zip(1..., values).map { number, values in
          Delta.EntryPart(
            key: EntryKey(log, EntryID(high: 0, low: number)), entry: LogEntry(values, timestamp: stamp))
        }
      }
      try replica.merge(
        Delta(
          dataset: replica.dataset, from: VersionVector(),
          through: VersionVector([(stamp.replica, stamp.time)]), records: [], entries: entries))
      #expect(try replica.conflicts(includingSettled: true).isEmpty)
      #expect(try replica.logs().isEmpty)
      #expect(throws: ReplicaError.conflictNotFound(EntryID(high: 0, low: 1))) {
        try replica.resolve(EntryID(high: 0, low: 1), keeping: .winner)
      }
      try replica.eraseHistory(of: "accounts" as Collection)
      let third = try stores.replica("third")
      try third.learn(from: replica)
      #expect(try third.log(.conflicts).count == values.count)
      #expect(try third.trace().hasSameContent(as: replica.trace()))
      #expect(try third.inspect().findings.isEmpty)
    }
  }

  @Test func `a file that is full of tables still takes in a conflict`() throws {
    try withStores(.sqlite) { stores in
      let replicas = try stores.level("phone", "laptop")
      try stores.sql(
        """
        WITH RECURSIVE numbers(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4300)
        INSERT INTO rejoin_space(number, kind, name, table_name) SELECT n, 'log', 'log ' || n, NULL FROM numbers
        """, in: "phone")
      let phone = try stores.replica("phone")
      #expect(throws: StoreError.self) { try phone.append([:], to: "one more") }
      try phone.rename("Phone")
      try replicas[1].rename("Laptop")
      #expect(try phone.learn(from: replicas[1]).conflictsRecorded == 1)
      #expect(try phone.conflicts().count == 1)
    }
  }
}
