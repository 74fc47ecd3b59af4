import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// Records are hidden while what they refer to is not there, and nothing is written for it.
struct HiddenChildrenTests {
  private let board = RecordID.numbered(1)
  private let card = RecordID.numbered(11)
  private let note = RecordID.numbered(21)

  @Test(arguments: StoreKind.allCases)
  func `children hide with their parent and come back with it, and theirs with them`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      #expect(try replica.visibleNumbers() == [1, 11, 21])
      let before = replica.version
      try replica.delete(Board.self, board)
      #expect(try replica.visibleNumbers().isEmpty)
      #expect(try replica.get(Note.self, note) == nil)
      #expect(try replica.fields(of: card, in: "cards") == nil)
      #expect(try replica.records(in: "cards").isEmpty)
      #expect(try replica.write { try $0.get(Card.self, card) } == nil)
      let written = try replica.delta(since: before)
      #expect(
        written.lives.keys.sorted() == [RecordKey("boards", board)], "nothing is written to the children")
      #expect(written.registerCount == 0)
      try replica.restore(Board.self, board)
      #expect(try replica.visibleNumbers() == [1, 11, 21])
      #expect(try replica.get(Note.self, note) == Note(id: note, card: card))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `orphans can be listed with the parent that hides them`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      try replica.insert(Card(id: .numbered(12)))
      try replica.delete(Card.self, .numbered(12))
      #expect(try replica.orphans(in: "cards").isEmpty)
      try replica.delete(Board.self, board)
      let fields: [FieldName: Value] = ["board": .record(board), "text": "card"]
      let orphan = UntypedRecord(
        id: card, fields: fields, presence: .orphaned(by: RecordKey("boards", board)))
      #expect(try replica.orphans(in: "cards") == [orphan])
      #expect(try replica.orphans(in: "notes").map(\.presence) == [.orphaned(by: RecordKey("cards", card))])
      let listed = try replica.records(in: "cards", includingDeleted: true)
      #expect(listed.map(\.presence) == [orphan.presence, .deleted])
      #expect(listed.map(\.isDeleted) == [false, true])
      let cards = try replica.all(Card.self, includingDeleted: true)
      #expect(Array(cards) == [Card(id: card, board: board), Card(id: .numbered(12))])
      #expect(cards.hidden == [card: orphan.presence, .numbered(12): .deleted])
      #expect(try replica.all(Card.self).hidden.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a field that refers to nothing hides nothing`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.declareBoards()
      try replica.insert(Card(id: .numbered(11)))
      let values: [Value] = [.null, "text", 5, .array([.record(.numbered(9))])]
      for (number, value) in zip(UInt64(12)..., values) {
        try replica.insert(["board": value, "text": "card"], id: .numbered(number), in: "cards")
      }
      #expect(try replica.records(in: "cards").map(\.id.low) == [11, 12, 13, 14, 15])
      try replica.insert(["other": .record(.numbered(9)), "text": "x"], id: .numbered(16), in: "cards")
      #expect(try replica.fields(of: .numbered(16), in: "cards") != nil, "the field is no reference")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `each of several parents hides`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      try replica.insert(Note(id: .numbered(22), card: card, answered: note))
      #expect(try replica.all(Note.self).count == 2)
      try replica.delete(Note.self, note)
      #expect(try replica.all(Note.self).isEmpty)
      try replica.delete(Card.self, card)
      try replica.restore(Note.self, note)
      #expect(try replica.all(Note.self).isEmpty)
      try replica.restore(Card.self, card)
      #expect(try replica.all(Note.self).count == 2)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `records in a circle are visible until one of them hides`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      try replica.write { transaction in
        for number: UInt64 in 31...33 {
          let next = RecordID.numbered(number == 33 ? 31 : number + 1)
          try transaction.insert(
            Note(id: .numbered(number), card: number == 32 ? card : nil, answered: next))
        }
        try transaction.insert(Note(id: .numbered(34), answered: .numbered(34)))
      }
      #expect(try replica.all(Note.self).map(\.id.low) == [21, 31, 32, 33, 34])
      try replica.delete(Card.self, card)
      #expect(try replica.all(Note.self).map(\.id.low) == [34])
      try replica.restore(Card.self, card)
      #expect(try replica.all(Note.self).map(\.id.low) == [21, 31, 32, 33, 34])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what hides one of a circle hides those that were looked at before`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.declare([Reference("first", to: "nodes"), Reference("last", to: "nodes")], in: "nodes")
      for (gone, other): (FieldName, FieldName) in [("first", "last"), ("last", "first")] {
        for start: UInt64 in [1, 2] {
          let family = UInt64(gone == "first" ? 10 : 20) + start * 100
          let nodes = [start, 3 - start].map { RecordID.numbered(family + $0) }
          try replica.write { transaction in
            try transaction.insert(
              [gone: .record(.numbered(9)), other: .record(nodes[1])], id: nodes[0], in: "nodes")
            try transaction.insert(["first": .record(nodes[0])], id: nodes[1], in: "nodes")
          }
        }
      }
      #expect(try replica.records(in: "nodes").isEmpty)
    }
  }

  /// Every graph of three notes that refer to one note and one card each, whatever the order of asking.
  @Test func `what is hidden is what reaches something that is not there`() throws {
    let replica = try withStores(.memory) { try $0.replica() }
    try replica.declareBoards()
    try replica.insert(Card(id: .numbered(1)))
    let notes: [UInt64] = [0, 1, 2]
    for graph in 0..<(4 * 4 * 4 * 8) {
      let answered = notes.map { UInt64(graph >> (2 * Int($0)) & 3) }
      let isLoose = notes.map { graph >> (6 + Int($0)) & 1 == 1 }
      try replica.write { transaction in
        for note in notes {
          let index = Int(note)
          try transaction.upsert(
            Note(
              id: .numbered(note), card: .numbered(isLoose[index] ? 9 : 1),
              answered: answered[index] == 3 ? nil : .numbered(answered[index])))
        }
      }
      var hidden = Set(notes.filter { isLoose[Int($0)] })
      for _ in notes {
        hidden.formUnion(notes.filter { hidden.contains(answered[Int($0)]) })
      }
      let expected = notes.filter { !hidden.contains($0) }
      #expect(try replica.all(Note.self).map(\.id.low) == expected, "graph \(graph)")
      for note in notes {
        #expect(try (replica.get(Note.self, .numbered(note)) != nil) == expected.contains(note))
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a chain of any length hides and comes back`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.declareBoards()
      let count: UInt64 = 20_000
      try replica.write { transaction in
        for number in 1...count {
          try transaction.insert(
            ["answered": number == 1 ? .null : .record(.numbered(number - 1))], id: .numbered(number),
            in: "notes")
        }
      }
      #expect(try replica.get(Note.self, .numbered(count)) != nil)
      try replica.delete(Note.self, .numbered(1))
      #expect(try replica.get(Note.self, .numbered(count)) == nil)
      #expect(try replica.all(Note.self).isEmpty)
      try replica.restore(Note.self, .numbered(1))
      #expect(try replica.all(Note.self).count == Int(count))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `why a field does not show names the parent`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      try replica.delete(Board.self, board)
      let explanation = try replica.explain("text", of: card, in: "cards")
      #expect(explanation.hidingParent == RecordKey("boards", board))
      #expect(explanation.winner == nil)
      #expect(explanation.description.contains("\(board)"))
      try replica.restore(Board.self, board)
      #expect(try replica.explain("text", of: card, in: "cards").hidingParent == nil)
    }
  }
}
