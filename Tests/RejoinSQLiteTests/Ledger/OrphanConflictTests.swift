import Rejoin
import TestSupport
import Testing

/// Writing a child whose parent was deleted elsewhere enters the ledger.
struct OrphanConflictTests {
  private let board = RecordID.numbered(1)
  private let card = RecordID.numbered(11)

  private func withBoards(_ kind: StoreKind, _ body: (Stores, Replica, Replica) throws -> Void) throws {
    try withStores(kind) { stores in
      let one = try stores.replica("one")
      let other = try stores.replica("other")
      try one.insertBoard()
      try other.declareBoards()
      try other.learn(from: one)
      stores.clock.advance(milliseconds: 10)
      try body(stores, one, other)
    }
  }

  /// The fields of the conflicts that name the board's deletion.
  private func fields(_ entries: [LedgerEntry]) -> [FieldName?] {
    entries.filter { entry in
      if case .parent(RecordKey("boards", board), let life) = entry.winner { life.count == 2 } else { false }
    }.map(\.field)
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `an edit and a deletion of its parent that did not know each other are recorded, whoever learns first`(
    _ kind: StoreKind, deleterLearns: Bool
  ) throws {
    try withBoards(kind) { stores, one, other in
      try one.delete(Board.self, board)
      try other.update(Card.self, card) { $0.text = "edited" }
      let (first, second) = deleterLearns ? (one, other) : (other, one)
      #expect(try first.learn(from: second).conflictsRecorded == 1)
      let open = try first.conflicts()
      #expect(fields(open) == ["text"])
      #expect(open.map(\.losingValue) == ["edited"])
      #expect(open.map(\.record) == [RecordKey("cards", card)])
      let report = try second.learn(from: first)
      #expect(report.conflicts.isEmpty && report.conflictsRecorded == 0)
      #expect(try second.conflicts() == open)
      // It shows again with its parent.
      try first.restore(Board.self, board)
      #expect(try first.conflicts().isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an inserted child is recorded field by field`(_ kind: StoreKind) throws {
    try withBoards(kind) { stores, one, other in
      try one.delete(Board.self, board)
      try other.insert(Card(id: .numbered(12), board: board, text: "new"))
      try one.learn(from: other)
      #expect(Set(fields(try one.conflicts())) == ["board", "text"])
      #expect(throws: ReplicaError.self) { try one.resolve(#require(one.conflicts().first), keeping: .loser) }
      try one.resolve(#require(one.conflicts().first), keeping: .winner)
      #expect(try one.conflicts().count == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `who knew of the other is not recorded`(_ kind: StoreKind) throws {
    try withBoards(kind) { stores, one, other in
      try other.update(Card.self, card) { $0.text = "edited" }
      try one.learn(from: other)
      try one.delete(Board.self, board)
      #expect(try other.learn(from: one).conflicts.isEmpty)
      try other.insert(Card(id: .numbered(12), board: board))
      try other.set(["board": .null, "text": "freed"], id: card, in: "cards")
      #expect(try one.learn(from: other).conflicts.isEmpty)
      for replica in [one, other] { #expect(try replica.losers().isEmpty) }
    }
  }
}
