import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport
import Testing

/// Sets: an addition wins over every removal that did not know of it, and over no other.
struct AddWinsSetTests {
  private let id = RecordID.numbered(1)

  @Test(arguments: StoreKind.allCases)
  func `elements that were added and removed apart come together`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(labels: ["a", "b", "c"]))
      try replicas[0].edit {
        $0.labels.insert("d")
        $0.labels.remove("a")
      }
      try replicas[1].edit {
        $0.labels.insert("e")
        $0.labels.remove("b")
      }
      try stores.meet(replicas)
      for replica in replicas {
        #expect(try replica.page()?.labels == ["c", "d", "e"])
        #expect(try replica.fields(of: id, in: "pages")?["labels"] == ["c", "d", "e"])
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `adding again wins over a concurrent removal, whichever was later`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      for addsLast in [true, false] {
        let names = ["phone", "laptop"].map { "\($0) \(addsLast)" }
        let replicas = try stores.replicas(names, of: Page(labels: ["x"]))
        let acts = [
          { try replicas[0].edit { $0.labels.insert("x") } },
          { try replicas[1].edit { $0.labels.remove("x") } },
        ]
        for act in addsLast ? acts.reversed() : acts {
          try act()
          stores.clock.advance(milliseconds: 10)
        }
        #expect(try replicas[1].page()?.labels == [])
        try stores.meet(replicas)
        for replica in replicas { #expect(try replica.page()?.labels == ["x"], "\(addsLast)") }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an addition by another replica survives the removal of the first`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(["phone", "laptop", "tablet"], of: Page(labels: ["x"]))
      try replicas[1].edit { $0.labels.insert("x") }
      stores.clock.advance(milliseconds: 10)
      try replicas[2].edit { $0.labels.remove("x") }
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.labels == ["x"]) }
      try replicas[0].edit { $0.labels.remove("x") }
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.labels == []) }
      try replicas[2].edit { $0.labels.insert("x") }
      try stores.meet(replicas)
      for replica in replicas {
        #expect(try replica.page()?.labels == ["x"], "what was removed can be added")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `removing twice apart and adding once removes neither more nor less`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(["phone", "laptop", "tablet"], of: Page(labels: ["x"]))
      try replicas[1].edit { $0.labels.remove("x") }
      try replicas[2].edit { $0.labels.remove("x") }
      try replicas[0].merge(replicas[1].delta(since: replicas[0].version))
      try replicas[0].edit { $0.labels.insert("x") }
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.labels == ["x"]) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a removal holds though what it removes was added by a clock that is ahead`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: 3_600_000))
      let right = try stores.replica("right")
      try right.insert(Page())
      try fast.merge(right.delta())
      try fast.edit { $0.labels.insert("x") }
      try right.merge(fast.delta(since: right.version))
      #expect(try right.page()?.labels == ["x"])
      try right.edit { $0.labels.remove("x") }
      #expect(try right.page()?.labels == [])
      try fast.merge(right.delta(since: fast.version))
      stores.clock.advance(milliseconds: 7_200_000)
      for replica in [fast, right] {
        #expect(try replica.page()?.labels == [], "also when its time has come")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `assigning another set, an upsert and a list without types write the difference`(_ kind: StoreKind)
    throws
  {
    try withStores(kind) { stores in
      let replicas = try stores.replicas(of: Page(labels: ["a", "b"]))
      try replicas[0].edit { $0.labels = ["b", "c"] }
      try replicas[1].upsert(Page(labels: ["a", "b", "d"]))
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.labels == ["b", "c", "d"]) }
      let version = replicas[0].version
      try replicas[0].edit { $0.labels = ["b", "c", "d"] }
      try replicas[0].edit { $0.labels.remove("never there") }
      #expect(replicas[0].version == version, "what changes nothing writes nothing")
      try replicas[0].set(["labels": ["d", "z"]], id: id, in: "pages")
      try replicas[1].edit { $0.labels.insert("e") }
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.labels == ["d", "e", "z"]) }
      try replicas[0].set(["labels": .null], id: id, in: "pages")
      #expect(try replicas[0].page()?.labels == [])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a plain list becomes a set, and whoever knows it as a list reads and writes its elements`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let replicas = [try stores.replica("phone"), try stores.replica("laptop")]
      try replicas[0].insert(PlainPage(labels: ["a", "b"]))
      try stores.meet(replicas)
      #expect(try replicas[1].page()?.labels == ["a", "b"])
      try replicas[1].edit {
        $0.labels.insert("c")
        $0.labels.remove("a")
      }
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.labels == ["b", "c"]) }
      try replicas[0].update(PlainPage.self, id) { $0.labels = ["b", "d"] }
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.get(PlainPage.self, id)?.labels == ["b", "d"]) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `elements that are equal in Swift and differ in bytes stay until they are removed, both at once`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
      let replicas = try stores.replicas(of: Page(labels: [composed]))
      try replicas[1].insert(.string(decomposed), into: "labels", id: id, in: "pages")
      try stores.meet(replicas)
      let both: Value = [.string(composed), .string(decomposed)]
      #expect(try replicas[0].fields(of: id, in: "pages")?["labels"] == both)
      try replicas[0].edit { $0.labels.insert("tea") }
      try replicas[0].edit { $0.labels.remove("tea") }
      #expect(try replicas[0].fields(of: id, in: "pages")?["labels"] == both, "nobody removed one of them")
      #expect(try replicas[0].page()?.labels == [composed])
      try stores.meet(replicas)
      // Which of the two is written again does not matter: the set holds it for everybody who uses Swift.
      try replicas[0].edit { $0.labels.insert(composed) }
      try replicas[1].edit { $0.labels.remove(decomposed) }
      #expect(try replicas[1].fields(of: id, in: "pages")?["labels"] == [], "both are removed")
      try stores.meet(replicas)
      for replica in replicas { #expect(try replica.page()?.labels == [composed]) }
      try replicas[0].edit { $0.labels.insert(decomposed) }
      try replicas[1].edit { $0.labels.remove(composed) }
      try stores.meet(replicas)
      for replica in replicas {
        #expect(try replica.page()?.labels == [composed], "written again, so it wins")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an element that no address has room for is refused`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Page())
      let name = FieldName(String(repeating: "n", count: Limits.nameBytes))
      let longest = Value.data([UInt8](repeating: 7, count: Limits.elementBytes - 3))
      try replica.insert(longest, into: name, id: id, in: "pages")
      #expect(try Delta(decoding: replica.delta().encoded()) == replica.delta())
      #expect(throws: ReplicaError.elementTooLong(RecordKey("pages", id), field: name)) {
        try replica.insert(
          .data([UInt8](repeating: 7, count: Limits.elementBytes - 2)), into: name, id: id, in: "pages")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record takes no more elements than registers`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Page(title: nil))
      let numbers = (1..<Limits.registersPerRecord).map { Value.int(Int64($0)) }
      try replica.write { transaction in
        for number in numbers.prefix(100) { try transaction.insert(number, into: "ids", id: id, in: "pages") }
      }
      #expect(try replica.fields(of: id, in: "pages")?["ids"] == .array(numbers.prefix(100).sorted()))
      #expect(throws: ReplicaError.tooManyFields(RecordKey("pages", .numbered(2)))) {
        try replica.insert(Many(id: .numbered(2), numbers: AddWinsSet(0..<Limits.registersPerRecord)))
      }
    }
  }
}

private struct Many: Record {
  static let collection: Collection = "pages"
  var id: RecordID
  var numbers: AddWinsSet<Int>
}
