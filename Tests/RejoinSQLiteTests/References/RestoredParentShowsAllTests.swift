import Foundation
import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// A parent is deleted here, a child edited there, the parent restored: in every order of these and of what the
/// replicas exchange, all of them are visible again in the end, with the edit.
struct RestoredParentShowsAllTests {
  /// What happens: the first replica deletes, the second edits, and pairs meet.
  private enum Step: Hashable {
    case delete
    case edit
    /// The replica restores the parent if it knows of the deletion, else the first one does.
    case restore(Int)
    /// One replica learns all that another knows.
    case pull(Int, from: Int)
  }

  private static let pulls: [Step] = [0, 1, 2].flatMap { here in
    [0, 1, 2].filter { $0 != here }.map { .pull(here, from: $0) }
  }

  /// How many pulls there are in between at most; `REJOIN_REFERENCE_PULLS` sets another number.
  private static let pullCount =
    ProcessInfo.processInfo.environment["REJOIN_REFERENCE_PULLS"].flatMap(Int.init) ?? 2

  /// Every order of the three operations, deleting before restoring, with up to so many pulls in between.
  private static func histories(pulls count: Int) -> [[Step]] {
    var histories: [[Step]] = []
    func extend(_ steps: [Step], _ operations: [Step], pulls: Int) {
      if operations.isEmpty { return histories.append(steps) }
      for (index, operation) in operations.enumerated() {
        if case .restore = operation, operations.contains(.delete) { continue }
        var rest = operations
        rest.remove(at: index)
        extend(steps + [operation], rest, pulls: pulls)
      }
      guard pulls > 0 else { return }
      for pull in Self.pulls where steps.last != pull { extend(steps + [pull], operations, pulls: pulls - 1) }
    }
    for restorer in 0..<3 { extend([], [.delete, .edit, .restore(restorer)], pulls: count) }
    return histories
  }

  @Test(arguments: StoreKind.allCases)
  func `in every order all are visible again`(_ kind: StoreKind) throws {
    let histories = Self.histories(pulls: Self.pullCount)
    var counts = Counts()
    try withStores(kind) { stores in
      let replicas = try (0..<3).map { try stores.replica("\($0)") }
      for replica in replicas { try replica.declareBoards() }
      for (number, steps) in histories.enumerated() {
        try run(steps, on: replicas, family: UInt64(number + 1) * 1_000, clock: stores.clock, &counts)
      }
    }
    print("parent restored, \(kind), up to \(Self.pullCount) pulls in between: \(counts)")
    #expect(counts.histories == histories.count)
    #expect(counts.shownAtTheEnd == histories.count * 3 * 3, "three records on three replicas each")
    #expect(counts.refusedEdits > 0 && counts.hiddenMeanwhile > 0 && counts.restoredElsewhere > 0)
  }

  private struct Counts {
    var histories = 0
    var hiddenMeanwhile = 0
    var refusedEdits = 0
    var restoredElsewhere = 0
    var shownAtTheEnd = 0
  }

  /// Plays one history with a family of records of its own, so that all can share three replicas.
  private func run(
    _ steps: [Step], on replicas: [Replica], family: UInt64, clock: FixtureEnvironment, _ counts: inout Counts
  ) throws {
    let board = RecordID.numbered(family)
    let card = RecordID.numbered(family + 1)
    let note = RecordID.numbered(family + 2)
    try replicas[0].write { transaction in
      try transaction.insert(Board(id: board))
      try transaction.insert(Card(id: card, board: board))
      try transaction.insert(Note(id: note, card: card))
    }
    for replica in replicas[1...] { try replica.merge(replicas[0].delta(since: replica.version)) }
    let keys = [RecordKey("boards", board), RecordKey("cards", card), RecordKey("notes", note)]
    func isShown(at number: Int) throws -> [Bool] {
      try keys.map { try replicas[number].fields(of: $0.id, in: $0.collection) != nil }
    }
    func pull(_ here: Int, from there: Int) throws {
      try replicas[here].merge(replicas[there].delta(since: replicas[here].version))
    }
    var isEdited = true
    for step in steps {
      clock.advance(milliseconds: 1)
      let changed: Int
      switch step {
      case .delete:
        try replicas[0].delete(Board.self, board)
        changed = 0
      case .restore(let number):
        let isKnown = try !isShown(at: number)[0]
        if isKnown, number > 0 { counts.restoredElsewhere += 1 }
        changed = isKnown ? number : 0
        try replicas[changed].restore(Board.self, board)
      case .edit:
        changed = 1
        isEdited = try isShown(at: 1)[1]
        if isEdited {
          try replicas[1].update(Card.self, card) { $0.text = "edited" }
        } else {
          counts.refusedEdits += 1
          #expect(throws: ReplicaError.parentNotVisible(keys[1], parent: keys[0])) {
            try replicas[1].update(Card.self, card) { $0.text = "edited" }
          }
        }
      case .pull(let here, let there):
        changed = here
        try pull(here, from: there)
      }
      let shown = try isShown(at: changed)
      #expect(Set(shown).count == 1, "\(steps) at \(step)")
      if !shown[0] { counts.hiddenMeanwhile += 1 }
    }
    for (here, there) in [(0, 1), (0, 2), (1, 0), (2, 0)] { try pull(here, from: there) }
    counts.histories += 1
    for (number, replica) in replicas.enumerated() {
      #expect(try replica.get(Card.self, card)?.text == (isEdited ? "edited" : "card"), "\(steps)")
      counts.shownAtTheEnd += try isShown(at: number).count(where: \.self)
    }
  }
}
