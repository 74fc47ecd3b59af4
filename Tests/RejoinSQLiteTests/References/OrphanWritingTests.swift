import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// What can be written to records whose parent is not there.
struct OrphanWritingTests {
  private let board = RecordID.numbered(1)
  private let card = RecordID.numbered(11)
  private let cardKey = RecordKey("cards", .numbered(11))

  /// A card whose board is deleted.
  private func withOrphan(_ kind: StoreKind, _ body: (Replica) throws -> Void) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      try replica.delete(Board.self, board)
      try body(replica)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an orphan cannot be edited or deleted, and trying leaves no trace`(_ kind: StoreKind) throws {
    try withOrphan(kind) { replica in
      let attempts: [@Sendable (Replica, RecordID) throws -> Void] = [
        { try $0.update(Card.self, $1) { $0.text = "x" } },
        { try $0.update(Card.self, $1) { _ in } },
        { try $0.set(["text": "x"], id: $1, in: "cards") },
        { try $0.set([:], id: $1, in: "cards") },
        { try $0.delete(Card.self, $1) },
      ]
      let before = try replica.trace()
      for attempt in attempts {
        #expect(throws: ReplicaError.parentNotVisible(cardKey, parent: RecordKey("boards", board))) {
          try attempt(replica, card)
        }
        #expect(try replica.trace() == before)
      }
      #expect(throws: ReplicaError.recordExists(cardKey)) { try replica.insert(Card(id: card)) }
      #expect(throws: ReplicaError.recordNotDeleted(cardKey)) { try replica.restore(Card.self, card) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a refused edit leaves the rest of its transaction`(_ kind: StoreKind) throws {
    try withOrphan(kind) { replica in
      try replica.write { transaction in
        try transaction.insert(Board(id: .numbered(2)))
        #expect(throws: ReplicaError.self) { try transaction.set(["text": "x"], id: card, in: "cards") }
        try transaction.restore(Board.self, board)
        #expect(try transaction.get(Card.self, card)?.text == "card")
        try transaction.set(["board": .null], id: card, in: "cards")
      }
      #expect(try replica.get(Card.self, card) == Card(id: card))
      #expect(try replica.all(Board.self).count == 2)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an update that gives an orphan a visible parent, or none, brings it back`(_ kind: StoreKind) throws {
    try withOrphan(kind) { replica in
      try replica.insert(Board(id: .numbered(2)))
      #expect(throws: ReplicaError.parentNotVisible(cardKey, parent: RecordKey("boards", .numbered(9)))) {
        try replica.update(Card.self, card) { $0.board = .numbered(9) }
      }
      try replica.update(Card.self, card) { $0.board = .numbered(2) }
      #expect(try replica.get(Card.self, card)?.board == .numbered(2))
      try replica.delete(Board.self, .numbered(2))
      try replica.set(["board": .null], id: card, in: "cards")
      #expect(try replica.get(Card.self, card) == Card(id: card))
      #expect(try replica.all(Note.self).count == 1)
      try replica.delete(Card.self, card)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `children may be inserted before their parent`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insert(Card(id: card, board: board))
      #expect(try replica.get(Card.self, card) == nil)
      #expect(try replica.orphans(in: "cards").map(\.id) == [card])
      try replica.upsert(Card(id: card, board: board, text: "again"))
      #expect(try replica.orphans(in: "cards").map { $0.fields["text"] } == ["again"])
      try replica.insert(Board(id: board))
      #expect(try replica.get(Card.self, card)?.text == "again")
      try replica.write { transaction in
        try transaction.insert(Card(id: .numbered(12), board: .numbered(2)))
        #expect(try transaction.get(Card.self, .numbered(12)) == nil)
        try transaction.insert(Board(id: .numbered(2)))
        #expect(try transaction.get(Card.self, .numbered(12)) != nil)
      }
      #expect(try replica.all(Card.self).count == 2)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `children and parent can be restored in either order`(_ kind: StoreKind) throws {
    for isParentFirst in [true, false] {
      try withStores(kind) { stores in
        let replica = try stores.replica()
        try replica.insertBoard()
        try replica.delete(Card.self, card)
        try replica.delete(Board.self, board)
        if isParentFirst { try replica.restore(Board.self, board) }
        try replica.restore(Card.self, card)
        if !isParentFirst {
          #expect(try replica.visibleNumbers().isEmpty)
          try replica.restore(Board.self, board)
        }
        #expect(try replica.visibleNumbers() == [1, 11, 21])
      }
    }
  }
}
