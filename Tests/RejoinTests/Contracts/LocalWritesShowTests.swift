import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// What a transaction wrote shows once it is committed, also where something waits and the wall has stepped back.
struct LocalWritesShowTests {
  private static let id = RecordID(high: 0, low: 1)

  @Test(arguments: 0..<20)
  func `a write over a waiting register shows at once`(seed: UInt64) throws {
    let mine = SimulatedEnvironment(wallMilliseconds: 100_000, seed: seed)
    let theirs = SimulatedEnvironment(wallMilliseconds: 100_000, seed: seed + 100)
    let writer = Replica(configuration: mine.configuration(maxDriftMilliseconds: 5))
    let other = Replica(configuration: theirs.configuration(maxDriftMilliseconds: 5))
    mine.wallMilliseconds = 1_000
    try writer.insert(["x": "start"], id: Self.id, in: "things")
    theirs.wallMilliseconds = 1_000
    try other.merge(writer.delta())
    (mine.wallMilliseconds, theirs.wallMilliseconds) = (100_000, 100_000)
    try writer.append(["text": "ahead"], to: "activity")
    try other.append(["text": "ahead"], to: "activity")
    try other.set(["x": "theirs"], id: Self.id, in: "things")
    mine.wallMilliseconds = 1_000
    try writer.merge(other.delta(since: writer.version))
    try writer.set(["x": "mine"], id: Self.id, in: "things")
    #expect(try writer.fields(of: Self.id, in: "things") == ["x": "mine"])
  }

  @Test func `a stream of changes ends with its replica`() async {
    var replica: Replica? = Replica()
    let changes = replica?.changes()
    let diagnostics = replica?.diagnostics()
    replica = nil
    if let changes { for await _ in changes {} }
    if let diagnostics { for await _ in diagnostics {} }
  }
}
