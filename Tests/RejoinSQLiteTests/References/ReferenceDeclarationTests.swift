import Rejoin
import RejoinSQLite
import RejoinTesting
import TestSupport
import Testing

/// References are local, and it does not matter when they are declared.
struct ReferenceDeclarationTests {
  private let board = RecordID.numbered(1)
  private let card = RecordID.numbered(11)

  @Test(arguments: StoreKind.allCases)
  func `what was there before a reference was declared follows it, too`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let writer = try stores.replica("writer")
      let replica = try stores.replica()
      try writer.insertBoard()
      try writer.insert(Card(id: .numbered(12), board: board))
      try writer.delete(Card.self, .numbered(12))
      try replica.merge(writer.delta())
      try replica.delete(board, in: "boards")
      #expect(try replica.fields(of: card, in: "cards") != nil, "nothing refers to anything yet")
      try replica.declareBoards()
      #expect(try replica.fields(of: card, in: "cards") == nil)
      let told = try await replica.told {
        try replica.restore(board, in: "boards")
        try replica.restore(.numbered(12), in: "cards")
        try replica.delete(board, in: "boards")
      }
      #expect(told.map { $0.records.map(\.key.id.low).sorted() } == [[1, 11, 21], [12], [1, 11, 12, 21]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the first use of a type declares it`(_ kind: StoreKind) throws {
    let uses: [@Sendable (Replica) throws -> Void] = [
      { _ = try $0.all(Card.self) }, { _ = try $0.get(Card.self, .numbered(1)) },
      { try $0.insert(Card(id: .numbered(12))) }, { try $0.upsert(Card(id: .numbered(12))) },
      { try $0.update(Card.self, .numbered(11)) { $0.text = "y" } },
      { try $0.delete(Card.self, .numbered(11)) },
      { try $0.restore(Card.self, .numbered(13)) },
    ]
    for use in uses {
      try withStores(kind) { stores in
        let replica = try stores.replica()
        try replica.insert(["title": "board"], id: board, in: "boards")
        try replica.insert(["board": .record(board), "text": "x"], id: card, in: "cards")
        try replica.insert(["text": "x"], id: .numbered(13), in: "cards")
        try replica.delete(.numbered(13), in: "cards")
        #expect(try replica.references(of: "cards").isEmpty)
        try use(replica)
        #expect(try replica.references(of: "cards") == Card.references)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the transaction that uses a type first knows it already`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      let told = try await replica.told {
        try replica.write { transaction in
          try transaction.insert(Card(id: card, board: board))
          #expect(try transaction.get(Card.self, card) == nil)
        }
      }
      #expect(told.isEmpty)
    }
  }

  @Test func `a file keeps its references and what they hide`() async throws {
    try await withStores(.sqlite) { stores in
      try stores.replica().insertBoard()
      let reopened = try stores.replica()
      #expect(try reopened.references(of: "notes").map(\.field) == ["answered", "card"])
      let told = try await reopened.told { try reopened.delete(board, in: "boards") }
      #expect(told.map { $0.records.map(\.key.id.low).sorted() } == [[1, 11, 21]])
      #expect(try stores.replica().fields(of: card, in: "cards") == nil)
    }
  }

  @Test func `another process learns of a reference at once`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      let other = try stores.replica()
      try replica.insert(["board": .record(board), "text": "x"], id: card, in: "cards")
      #expect(try other.fields(of: card, in: "cards") != nil)
      try replica.declare(Card.self)
      #expect(try other.fields(of: card, in: "cards") == nil)
      try other.declare(Card.self)
      #expect(try other.orphans(in: "cards").count == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a field can refer elsewhere from now on`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      try replica.insert(["name": "x"], id: board, in: "walls")
      try replica.declare([Reference("board", to: "walls")], in: "cards")
      #expect(try replica.references(of: "cards") == [Reference("board", to: "walls")])
      let told = try await replica.told {
        try replica.delete(board, in: "boards")
        try replica.delete(board, in: "walls")
      }
      #expect(told.map { $0.records.map(\.key.id.low).sorted() } == [[1], [1, 11, 21]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a transaction that comes to nothing declares nothing`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      #expect(throws: InjectedFailure.self) {
        try replica.write { transaction in
          try transaction.insert(Card(id: card))
          throw InjectedFailure()
        }
      }
      probe.failCommits()
      #expect(throws: InjectedFailure.self) { try replica.insert(Card(id: card)) }
      #expect(try replica.references(of: "cards").isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `names that cannot be used are refused`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      for reference in [Reference("", to: "boards"), Reference("board", to: "")] {
        #expect(throws: ReplicaError.invalidName(bytes: 0)) { try replica.declare([reference], in: "cards") }
      }
      #expect(throws: ReplicaError.invalidName(bytes: 0)) { try replica.declare(Card.references, in: "") }
      #expect(try replica.collections().isEmpty)
    }
  }

  @Test(arguments: [
    "DELETE FROM rejoin_reference", "DELETE FROM rejoin_child",
    "UPDATE rejoin_child SET id = x'00'", "UPDATE rejoin_reference SET space = 99", "DROP TABLE rejoin_child",
  ])
  func `the library's own tables of references may be edited, and nothing traps`(_ statement: String) throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      let changes = replica.changes()
      try stores.sql(statement)
      for candidate in [replica, try? stores.replica()].compactMap(\.self) {
        try? candidate.delete(Board.self, board)
        try? candidate.restore(Board.self, board)
        try? candidate.declareBoards()
        _ = try? candidate.visibleNumbers()
      }
      _ = changes
    }
  }

  // MARK: Index and cost

  @Test(arguments: StoreKind.allCases)
  func `the index of children holds the living ones, in either slot, and no others`(_ kind: StoreKind) throws
  {
    try withStores(kind) { stores in
      let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: 3_600_000))
      let replica = try stores.replica()
      try replica.insertBoard()
      func children(_ number: UInt64) throws -> [UInt64] {
        try replica.withStore { try $0.children(of: RecordKey("boards", .numbered(number))).map(\.id.low) }
      }
      try replica.insert(Card(id: .numbered(12), board: board))
      #expect(try children(1) == [11, 12])
      try replica.update(Card.self, .numbered(12)) { $0.board = nil }
      #expect(try children(1) == [11])
      try replica.update(Card.self, .numbered(12)) { $0.board = .numbered(2) }
      #expect(try children(1) == [11] && children(2) == [12])
      try fast.merge(replica.delta())
      try fast.set(["board": .record(.numbered(3))], id: card, in: "cards")
      try replica.merge(fast.delta(since: replica.version))
      #expect(try children(1) == [11] && children(3) == [11])
      try replica.delete(Card.self, card)
      #expect(try children(1).isEmpty && children(3).isEmpty)
      try replica.restore(Card.self, card)
      #expect(try children(1).isEmpty && children(3) == [11], "the larger slot is issued again")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what hides costs what it is, whatever else is stored`(_ kind: StoreKind) throws {
    let small = try costs(kind, boards: 10)
    let large = try costs(kind, boards: 1_000)
    print("cost of references, \(kind): 10 boards \(small), 1000 boards \(large)")
    #expect(small.read > 0 && small.delete > 0)
    #expect(
      small.rename < small.delete / 2 && large.rename < large.delete / 2, "nobody asks for the children")
    #expect(Double(large.delete) <= Double(small.delete) * 1.1)
    #expect(Double(large.read) <= Double(small.read) * 1.1)
  }

  /// Deletes one of so many boards, with ten cards each and a deleted one that belonged to it, and reads one card.
  private func costs(_ kind: StoreKind, boards: UInt64) throws -> (rename: Int, delete: Int, read: Int) {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      try replica.declareBoards()
      try replica.write { transaction in
        for board in 1...boards {
          try transaction.insert(["title": "x"], id: .numbered(board), in: "boards")
          for card in 0..<10 as Range<UInt64> {
            try transaction.insert(
              ["board": .record(.numbered(board))], id: .numbered(board * 100 + card), in: "cards")
          }
        }
        for board in 1...boards {
          let gone = RecordID.numbered(board * 100 + 99)
          try transaction.insert(["board": .record(.numbered(5))], id: gone, in: "cards")
          try transaction.delete(gone, in: "cards")
        }
      }
      let changes = replica.changes()
      defer { _ = changes }
      let rename = try probe.cost { try replica.set(["title": "y"], id: .numbered(5), in: "boards") }
      let delete = try probe.cost { try replica.delete(.numbered(5), in: "boards") }
      let read = try probe.cost { _ = try replica.fields(of: .numbered(505), in: "cards") }
      return (rename, delete, read)
    }
  }
}
