import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// Editing a record that shows ahead of its time makes nothing vanish, here or at others.
struct EditingWhatShowsEarlyTests {
  private static let account = RecordID(high: 0, low: 1)
  private static let tracker = RecordID(high: 0, low: 2)

  private let ahead = SimulatedEnvironment(wallMilliseconds: 100_000, seed: 1)
  private let right = SimulatedEnvironment(wallMilliseconds: 1_000, seed: 2)

  private func replica(_ environment: SimulatedEnvironment) -> Replica {
    Replica(configuration: environment.configuration(maxDriftMilliseconds: 5))
  }

  /// Two records of one transaction, made by a device whose clock is ahead.
  private func madeAhead() throws -> Replica {
    let maker = replica(ahead)
    try maker.write { transaction in
      try transaction.insert(["email": "a", "nickname": "n"], id: Self.account, in: "accounts")
      try transaction.insert(["slug": "s"], id: Self.tracker, in: "trackers")
    }
    return maker
  }

  @Test func `the edited record keeps its other fields, and the transaction its other records`() throws {
    let maker = try madeAhead()
    let editor = replica(right)
    try editor.merge(maker.delta())
    try editor.set(["nickname": "edited"], id: Self.account, in: "accounts")
    let expected: [FieldName: Value] = ["email": "a", "nickname": "edited"]
    #expect(try editor.fields(of: Self.account, in: "accounts") == expected)
    #expect(try editor.fields(of: Self.tracker, in: "trackers") == ["slug": "s"])

    let other = replica(right)
    try other.merge(editor.delta())
    #expect(try other.fields(of: Self.account, in: "accounts") == expected)
    #expect(try other.fields(of: Self.tracker, in: "trackers") == ["slug": "s"])
    #expect(try other.waiting().map(\.record.id) == [Self.account, Self.tracker])
  }

  @Test func `what was written ahead still wins when its time has come`() throws {
    let maker = try madeAhead()
    let editor = replica(right)
    try editor.merge(maker.delta())
    try editor.set(["nickname": "edited"], id: Self.account, in: "accounts")
    right.wallMilliseconds = 100_000
    #expect(try editor.fields(of: Self.account, in: "accounts") == ["email": "a", "nickname": "n"])
    try editor.sync(with: maker)
    #expect(try editor.digest() == maker.digest())
  }

  @Test func `an edit that is refused adopts nothing`() throws {
    let maker = try madeAhead()
    let editor = replica(right)
    try editor.merge(maker.delta())
    let before = try (editor.digest(), editor.version, editor.state())
    #expect(throws: ReplicaError.self) {
      try editor.set(["id": "x"], id: Self.account, in: "accounts")
    }
    #expect(try before == (editor.digest(), editor.version, editor.state()))
  }
}
