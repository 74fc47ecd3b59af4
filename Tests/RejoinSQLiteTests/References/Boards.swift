import Rejoin

/// A parent.
struct Board: Record, Equatable {
  static let collection: Collection = "boards"
  var id: RecordID
  var title = "board"
}

/// A child of a board, a parent of notes.
struct Card: Record, Equatable {
  static let collection: Collection = "cards"
  static let references = [Reference(CodingKeys.board, to: Board.self)]
  var id: RecordID
  var board: RecordID?
  var text = "card"
}

/// A child of a card, and of another note or none.
struct Note: Record, Equatable {
  static let collection: Collection = "notes"
  static let references = [
    Reference(CodingKeys.card, to: Card.self), Reference("answered", to: Note.collection),
  ]
  var id: RecordID
  var card: RecordID?
  var answered: RecordID?
}

extension Replica {
  /// Declares the three types.
  func declareBoards() throws {
    try declare(Card.self)
    try declare(Note.self)
  }

  /// Inserts a board with a card with a note, numbered 1, 11 and 21.
  func insertBoard() throws {
    try declareBoards()
    try write { transaction in
      try transaction.insert(Board(id: .numbered(1)))
      try transaction.insert(Card(id: .numbered(11), board: .numbered(1)))
      try transaction.insert(Note(id: .numbered(21), card: .numbered(11)))
    }
  }

  /// The numbers of everything that is visible.
  func visibleNumbers() throws -> [UInt64] {
    try all(Board.self).map(\.id.low) + all(Card.self).map(\.id.low) + all(Note.self).map(\.id.low)
  }
}
