import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// Observers are told of children that hide and come back as of any record that does, each once.
struct ChildrenAreToldTests {
  /// What was told of one record.
  private struct Told: Equatable, CustomStringConvertible {
    var number: UInt64
    var kind: RecordChange.Kind
    var description: String { "\(number) \(kind)" }
  }

  private let board = RecordID.numbered(1)
  private let card = RecordID.numbered(11)

  private func told(_ replica: Replica, during body: () throws -> Void) async throws -> [[Told]] {
    try await replica.told(during: body).map { changes in
      changes.records.map { Told(number: $0.key.id.low, kind: $0.kind) }.sorted { $0.number < $1.number }
    }
  }

  private func all(_ kind: RecordChange.Kind, _ numbers: UInt64...) -> [Told] {
    numbers.map { Told(number: $0, kind: kind) }
  }

  @Test(arguments: StoreKind.allCases)
  func `deleting and restoring a parent is told of all that hides and comes back`(_ kind: StoreKind)
    async throws
  {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      let told = try await told(replica) {
        try replica.delete(Board.self, board)
        try replica.restore(Board.self, board)
      }
      #expect(told == [all(.deleted, 1, 11, 21), all(.inserted, 1, 11, 21)])
      let fields = try await replica.told { try replica.delete(Card.self, card) }
      #expect(fields.first?.records.map { $0.fields.sorted() } == [["board", "text"], ["card"]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what stays hidden or visible is not told`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      try replica.insert(Card(id: .numbered(12), board: board))
      try replica.insert(Card(id: .numbered(13)))
      try replica.delete(Card.self, .numbered(12))
      let told = try await told(replica) {
        try replica.delete(Card.self, card)
        try replica.delete(Board.self, board)
        try replica.restore(Card.self, card)
        try replica.insert(Card(id: .numbered(14), board: board))
        try replica.restore(Board.self, board)
        try replica.update(Board.self, board) { $0.title = "x" }
      }
      #expect(
        told == [
          all(.deleted, 11, 21), all(.deleted, 1), all(.inserted, 1, 11, 14, 21), all(.updated, 1),
        ])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an edit of a reference tells what hides and comes back with it`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.insertBoard()
      try replica.insert(Board(id: .numbered(2)))
      let told = try await told(replica) {
        try replica.set(["board": .record(.numbered(9))], id: card, in: "cards")
        try replica.set(["board": .record(.numbered(2))], id: card, in: "cards")
        try replica.delete(Board.self, board)
        try replica.write { transaction in
          try transaction.delete(Board.self, .numbered(2))
          try transaction.insert(Board(id: .numbered(3)))
          try transaction.set(["board": .record(.numbered(3))], id: card, in: "cards")
        }
      }
      #expect(
        told == [
          all(.deleted, 11, 21), all(.inserted, 11, 21), all(.deleted, 1),
          all(.deleted, 2) + all(.inserted, 3) + all(.updated, 11),
        ])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a merge tells and reports children when their parent arrives, goes and returns`(
    _ kind: StoreKind
  ) async throws {
    try await withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      let tablet = try stores.replica("tablet")
      try laptop.declareBoards()
      try phone.insert(Board(id: board))
      try tablet.insert(Card(id: card, board: board))
      var reports: [ChangeSet] = []
      let told = try await laptop.told {
        reports.append(try laptop.merge(tablet.delta()).changes)
        reports.append(try laptop.merge(phone.delta()).changes)
        try phone.delete(Board.self, board)
        reports.append(try laptop.merge(phone.delta(since: laptop.version)).changes)
        try phone.restore(Board.self, board)
        reports.append(try laptop.merge(phone.delta(since: laptop.version)).changes)
      }
      #expect(told == reports.filter { !$0.isEmpty })
      #expect(reports.map { $0.records.map(\.key.id.low) } == [[], [1, 11], [1, 11], [1, 11]])
      #expect(
        reports.dropFirst().map { Set($0.records.map(\.kind)) } == [[.inserted], [.deleted], [.inserted]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a reference that comes due is told of its children`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: 3_600_000))
      let replica = try stores.replica()
      try replica.insertBoard()
      try replica.insert(Board(id: .numbered(2)))
      try fast.merge(replica.delta())
      try fast.set(["board": .record(.numbered(9))], id: card, in: "cards")
      try fast.delete(Board.self, .numbered(2))
      let told = try await told(replica) {
        try replica.merge(fast.delta(since: replica.version))
        #expect(try replica.all(Note.self).count == 1)
        stores.clock.advance(milliseconds: 3_600_000)
        #expect(try replica.all(Note.self).isEmpty)
        try replica.tellDue()
        stores.clock.advance(milliseconds: -3_600_000)
        #expect(try replica.all(Note.self).isEmpty, "what has come due stays due")
      }
      #expect(told == [all(.deleted, 2), all(.deleted, 11, 21)])
    }
  }

  @Test func `what another process does to a parent is told of its children`() async throws {
    try await withStores(.sqlite) { stores in
      let replica = try stores.replica()
      let other = try stores.replica()
      try replica.insertBoard()
      try other.insert(Board(id: .numbered(2)))
      try replica.refresh()
      let told = try await told(replica) {
        for change: (Replica) throws -> Void in [
          { try $0.delete(Board.self, board) }, { try $0.restore(Board.self, board) },
          { try $0.update(Card.self, card) { $0.board = .numbered(9) } },
          { try $0.update(Card.self, card) { $0.board = .numbered(2) } },
          { try $0.update(Card.self, card) { $0.text = "x" } },
        ] {
          try change(other)
          try replica.refresh()
        }
      }
      #expect(
        told == [
          all(.deleted, 1, 11, 21), all(.inserted, 1, 11, 21), all(.deleted, 11, 21), all(.updated, 11, 21),
          all(.updated, 11),
        ])
    }
  }
}
