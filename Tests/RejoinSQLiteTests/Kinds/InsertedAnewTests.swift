import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport
import Testing

/// An insert under the id of a deleted record takes back what its author had seen of counters and sets, and no more.
struct InsertedAnewTests {
  private let id = RecordID.numbered(1)

  @Test(arguments: StoreKind.allCases)
  func `counters and sets begin with what the insert says`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: 5, labels: ["old", "both"]))
      try replicas[1].edit { $0.visits.increment(by: 10) }
      try stores.meet(replicas)
      try replicas[0].delete(Page.self, id)
      try replicas[0].insert(Page(title: "again", visits: 2, labels: ["new", "both"]))
      let expected = Page(title: "again", visits: 2, labels: ["new", "both"])
      #expect(try replicas[0].page() == expected)
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page() == expected) }
      try replicas[1].edit {
        $0.visits.increment()
        $0.labels.insert("old")
      }
      try stores.meet(replicas)
      for replica in replicas {
        #expect(
          try replica.page() == Page(title: "again", visits: 3, labels: ["new", "both", "old"]),
          "what was taken back can come again")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `no increment and no element is lost that the insert had not seen`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      for countsLast in [true, false] {
        let names = ["phone", "laptop", "tablet"].map { "\($0) \(countsLast)" }
        let replicas = try stores.replicas(names, of: Page(visits: 5, labels: ["old", "x"]))
        try replicas[1].edit { $0.visits.increment(by: 10) }
        try replicas[2].edit { $0.labels.insert("x") }
        try stores.meet(replicas)
        let acts = [
          {
            try replicas[0].delete(Page.self, id)
            try replicas[0].insert(Page(visits: 2, labels: ["new"]))
          },
          {
            try replicas[1].edit { $0.visits.increment(by: 100) }
            try replicas[2].edit {
              $0.visits.increment(by: 1_000)
              $0.labels.insert("late")
              $0.labels.insert("x")
            }
          },
        ]
        for act in countsLast ? acts : acts.reversed() {
          try act()
          stores.clock.advance(milliseconds: 10)
        }
        try stores.meet(replicas)
        for replica in replicas {
          #expect(try replica.page() == Page(visits: 1_102, labels: ["new", "late", "x"]))
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `two inserts at once take back what both saw once, and begin with both their values`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: 5, labels: ["old"]))
      try replicas[0].delete(Page.self, id)
      try stores.meet(replicas)
      try replicas[0].insert(Page(visits: 2, labels: ["a"]))
      try replicas[1].insert(Page(visits: 3, labels: ["b"]))
      try stores.meet(replicas)
      for replica in replicas {
        #expect(try replica.page() == Page(visits: 5, labels: ["a", "b"]))
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what was counted beneath a deletion shows after a restoration, and goes with an insert`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      for isInserted in [true, false] {
        let replicas = try stores.replicas(
          ["phone", "laptop"].map { "\($0) \(isInserted)" }, of: Page(visits: 5))
        try replicas[1].edit { $0.visits.increment(by: 10) }
        try replicas[0].delete(Page.self, id)
        try stores.meet(replicas)
        if isInserted {
          try replicas[0].insert(Page(visits: 1))
        } else {
          try replicas[0].restore(Page.self, id)
        }
        try stores.meet(replicas)
        for replica in replicas { #expect(try replica.page()?.visits == (isInserted ? 1 : 15)) }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `deleted, inserted again, deleted and restored, a record goes on where it ended`(_ kind: StoreKind)
    throws
  {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: 5))
      try replicas[0].delete(Page.self, id)
      try replicas[0].insert(Page(visits: 2))
      try stores.meet(replicas)
      try replicas[1].delete(Page.self, id)
      try replicas[0].edit { $0.visits.increment() }
      try replicas[1].restore(Page.self, id)
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.visits == 3) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `of a restoration and a concurrent insert, the insert takes back, whichever was later`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      for restoresLast in [true, false] {
        let names = ["phone", "laptop"].map { "\($0) \(restoresLast)" }
        let replicas = try stores.replicas(names, of: Page(title: "old", visits: 5))
        try replicas[0].delete(Page.self, id)
        try stores.meet(replicas)
        let acts = [
          {
            try replicas[0].restore(Page.self, id)
            try replicas[0].edit { $0.visits.increment(by: 10) }
          },
          { try replicas[1].insert(Page(title: "new", visits: 2)) },
        ]
        for act in restoresLast ? acts.reversed() : acts {
          try act()
          stores.clock.advance(milliseconds: 10)
        }
        try stores.meet(replicas)
        for replica in replicas {
          #expect(try replica.page() == Page(title: restoresLast ? "old" : "new", visits: 12))
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an insert by a version that does not know the fields takes back all the same`(_ kind: StoreKind)
    throws
  {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: 5, labels: ["old"]))
      try replicas[0].delete(Page.self, id)
      try replicas[0].insert(["other": 1], id: id, in: "pages")
      try replicas[1].edit { $0.visits.increment() }
      try stores.meet(replicas)
      for replica in replicas {
        #expect(try replica.fields(of: id, in: "pages") == ["other": 1, "visits": 1, "labels": []])
        #expect(try replica.inspect().findings.isEmpty)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a field that was a counter or set may come again as anything else`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: 5, labels: ["old"]))
      try replicas[0].delete(Page.self, id)
      try replicas[0].insert(["visits": "many", "labels": 7], id: id, in: "pages")
      #expect(try replicas[0].fields(of: id, in: "pages") == ["visits": "many", "labels": 7])
      try replicas[0].set(["visits": "few"], id: id, in: "pages")
      try stores.meet(replicas)
      for replica in replicas {
        #expect(try replica.fields(of: id, in: "pages") == ["visits": "few", "labels": 7])
        #expect(try replica.conflicts(includingSettled: true).isEmpty)
      }
      #expect(throws: ReplicaError.fieldOfOtherKind(RecordKey("pages", id), field: "visits")) {
        try replicas[1].increment("visits", id: id, in: "pages")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `within one transaction a record is deleted, inserted and counted on`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Page(visits: 5, labels: ["old"]))
      try replica.write { transaction in
        try transaction.increment("visits", by: 7, id: id, in: "pages")
        try transaction.insert("new", into: "labels", id: id, in: "pages")
        try transaction.delete(id, in: "pages")
        try transaction.insert(["title": "again"], id: id, in: "pages")
        try transaction.increment("visits", by: 2, id: id, in: "pages")
      }
      #expect(try replica.page() == Page(title: "again", visits: 2, labels: []))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what is taken back is told, and what a query finds follows`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(visits: 5, labels: ["old"]))
      for replica in replicas { try replica.declare([Index("visits")], in: "pages") }
      try replicas[0].delete(Page.self, id)
      try replicas[0].insert(Page(visits: 2))
      let told = try await replicas[1].told {
        try replicas[1].merge(replicas[0].delta(since: replicas[1].version))
      }
      #expect(Set(told.flatMap(\.records).flatMap(\.fields)) == ["visits", "labels"])
      for replica in replicas {
        #expect(try replica.records(in: "pages", where: .equals("visits", 2)).map(\.id) == [id])
        #expect(try replica.records(in: "pages", where: .equals("visits", 7)).isEmpty)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record that counted much comes again, and one of too many fields does not`(_ kind: StoreKind)
    throws
  {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Page(visits: 1))
      let author = ReplicaID(rawValue: 9)
      let precedence = Precedence(
        life: 0, rank: 1, timestamp: Timestamp(time: HybridTime.zero.successor, replica: author))
      // Tallies and elements, half of each, and all but as many as a record takes.
      let counted = (1...UInt64(Limits.registersPerRecord - 4)).map { session in
        let isTally = session.isMultiple(of: 2)
        let mark = SessionMark(session: session, element: isTally ? [] : Value("x").canonicalBytes)
        return RegisterWrite(
          address: isTally ? .tally(of: "visits", mark) : .element(of: "labels", mark),
          value: isTally ? 1 : true, precedence: precedence)
      }
      try replica.merge(
        Delta(
          dataset: replica.dataset, from: replica.version,
          through: replica.version.merging(
            VersionVector([(author, HybridTime.zero.successor)])),
          records: [
            .init(key: RecordKey("pages", id), fragment: RecordPacker.fragment(life: nil, writes: counted))
          ],
          entries: []))
      #expect(try replica.page() == Page(visits: Counter(Int64(counted.count) / 2 + 1), labels: ["x"]))
      try replica.delete(Page.self, id)
      let fields = (0..<Limits.registersPerRecord).map { (FieldName("f\($0)"), Value.null) }
      #expect(throws: ReplicaError.tooManyFields(RecordKey("pages", id))) {
        try replica.insert(
          Dictionary(uniqueKeysWithValues: fields + [("one", 1)]), id: id, in: "pages")
      }
      let again = Page(visits: 2, labels: ["a", "b", "c", "d", "e"])
      try replica.insert(again)
      #expect(try replica.page() == again)
    }
  }
}
