import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// What a replica's clock has passed is not from the future, whatever the wall clock does.
struct DueStaysDueTests {
  private static let id = RecordID(high: 0, low: 1)

  @Test func `what has come due stays due when the wall steps back`() throws {
    let ahead = SimulatedEnvironment(wallMilliseconds: 2_000, seed: 1)
    let right = SimulatedEnvironment(wallMilliseconds: 1_000, seed: 2)
    let sender = Replica(configuration: ahead.configuration(maxDriftMilliseconds: 5))
    let receiver = Replica(configuration: right.configuration(maxDriftMilliseconds: 5))
    try receiver.insert(["email": "now"], id: Self.id, in: "accounts")
    try sender.merge(receiver.delta())
    try sender.set(["email": "later"], id: Self.id, in: "accounts")
    try receiver.merge(sender.delta(since: receiver.version))
    #expect(try receiver.fields(of: Self.id, in: "accounts") == ["email": "now"])
    right.wallMilliseconds = 2_000
    try receiver.tellDue()
    #expect(try receiver.fields(of: Self.id, in: "accounts") == ["email": "later"])
    right.wallMilliseconds = 1_000
    #expect(try receiver.fields(of: Self.id, in: "accounts") == ["email": "later"])
    #expect(try receiver.inspect().findings.isEmpty)
  }

  @Test func `a merge that brings nothing new is not committed`() throws {
    let environment = SimulatedEnvironment(seed: 1)
    let sender = Replica(configuration: environment.configuration())
    try sender.insert(["email": "a"], id: Self.id, in: "accounts")
    let probe = StoreProbe()
    let receiver = try Replica(
      store: ProbedStore(MemoryStore(), probe: probe), configuration: environment.configuration())
    try receiver.merge(sender.delta())
    // The next commit would fail, so neither merge can have come to one.
    probe.failCommits()
    try receiver.merge(sender.delta())
    try receiver.merge(sender.delta(since: receiver.version))
    #expect(throws: InjectedFailure.self) { try receiver.append(["text": "a"], to: "events") }
    try receiver.append(["text": "a"], to: "events")
  }
}
