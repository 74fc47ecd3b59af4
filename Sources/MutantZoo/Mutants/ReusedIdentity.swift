public import RejoinTesting

/// M11: a collection of notes that may be restored from a backup; the mutant goes on under its old name and number.
///
/// Two notes then have the same name, and each replica keeps the one that it saw first. The same happens when two
/// processes share an identity, or when a device is cloned. Found in rust-crdt, as the log of its property tests tells
/// ("the dots for different adds are the same").
public struct ReusedIdentity<Variant: Twin>: StateBased, Hashable {
  /// A new note.
  public enum Operation: Hashable, Sendable {
    /// Its text.
    case write(Int)
  }

  /// What tells a note from all others.
  struct Name: Hashable, Sendable {
    var replica: Int
    var incarnation: Int
    var count: Int
  }

  private struct Content: Hashable, Sendable {
    var notes: [Name: Int] = [:]
    var count = 0
  }

  private let replica: Int
  private var content = Content()
  private var backup = Content()

  /// How often this replica was restored; in life, a random number that nobody else has.
  private var incarnation = 0

  /// An empty replica.
  public init(replica number: Int, of count: Int) { replica = number }

  /// Writes one of two notes.
  public func operation(_ choices: inout Choices) -> Operation { .write(1 + choices.number(below: 2)) }

  /// Adds a note under a new name.
  public mutating func apply(_ operation: Operation, clockMilliseconds: Int64) {
    guard case .write(let note) = operation else { return }
    content.count += 1
    content.notes[Name(replica: replica, incarnation: incarnation, count: content.count)] = note
  }

  /// Keeps all notes of both.
  public mutating func merge(_ other: ReusedIdentity) {
    content.notes.merge(other.content.notes) { mine, _ in mine }
  }

  /// Only what is in the backup survives.
  public static var savesAtOnce: Bool { false }

  /// Makes a backup.
  public mutating func save() { backup = content }

  /// Restores the backup.
  public mutating func crash() {
    content = backup
    if !Variant.isMutant { incarnation += 1 }
  }

  /// The notes, in order.
  public var observation: [Int] { content.notes.values.sorted() }

  /// All notes.
  public static func expected(after operations: [Operation]) -> [Int]? {
    operations.map { operation in
      switch operation {
      case .write(let note): note
      }
    }.sorted()
  }

  /// Every note is there once, whoever knew of it.
  public static func objection(to observation: [Int], after past: Past<Operation>) -> String? {
    guard let notes = expected(after: past.operations), notes != observation else { return nil }
    return "the notes are \(notes)"
  }
}
