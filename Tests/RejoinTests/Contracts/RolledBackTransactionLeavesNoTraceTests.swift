import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// A transaction that throws, and a merge that is refused, leave a replica as it was: data, clock and observers.
struct RolledBackTransactionLeavesNoTraceTests {
  private struct Abandoned: Error {}
  private let id = RecordID(high: 0, low: 1)
  private let environment = SimulatedEnvironment(seed: 1)

  /// What anybody could see of a replica.
  private struct Everything: Equatable {
    let version: VersionVector
    let lastTime: HybridTime
    let digest: Digest
    let state: ReplicaState
    let delta: Delta
    let waiting: [Timestamp]

    init(_ replica: Replica) throws {
      version = replica.version
      lastTime = replica.lastTime
      digest = try replica.digest()
      state = try replica.state()
      delta = try replica.delta()
      waiting = try replica.waiting().map(\.timestamp)
    }
  }

  /// The error that a transaction ends with.
  private func failure(
    in replica: Replica, _ body: (inout WriteTransaction) throws -> Void
  ) -> (any Error)? {
    do {
      try replica.write(nil, body)
      return nil
    } catch {
      return error
    }
  }

  private func replica() throws -> Replica {
    let replica = Replica(configuration: environment.configuration())
    try replica.insert(["name": "before"], id: id, in: "things")
    return replica
  }

  @Test func `a closure that throws after every kind of write leaves nothing`() throws {
    let replica = try replica()
    let deleted = RecordID(high: 0, low: 2)
    try replica.insert(["name": "gone"], id: deleted, in: "things")
    try replica.delete(deleted, in: "things")
    let before = try Everything(replica)
    environment.pass(milliseconds: 10)
    let error = failure(in: replica) { transaction in
      try transaction.set(["name": "after", "more": 1], id: id, in: "things")
      try transaction.delete(id, in: "things")
      try transaction.restore(deleted, in: "things")
      try transaction.insert(["name": "new"], id: RecordID(high: 0, low: 3), in: "things")
      try transaction.append(["text": "done"], to: "events")
      throw Abandoned()
    }
    #expect(error is Abandoned)
    #expect(try Everything(replica) == before)
    #expect(try replica.log("events").isEmpty)
  }

  @Test func `a write that the rules refuse undoes those before it`() throws {
    let replica = try replica()
    let before = try Everything(replica)
    let error = failure(in: replica) { transaction in
      try transaction.set(["name": "after"], id: id, in: "things")
      try transaction.insert(["name": "again"], id: id, in: "things")
    }
    #expect(error as? ReplicaError == .recordExists(RecordKey("things", id)))
    #expect(try Everything(replica) == before)
  }

  @Test func `a value that is too deep and a name that is too long undo those before them`() throws {
    let replica = try replica()
    let before = try Everything(replica)
    let deep = (0...Limits.valueDepth).reduce(Value.null) { value, _ in [value] }
    let long = FieldName(String(repeating: "n", count: Limits.nameBytes + 1))
    for fields: [FieldName: Value] in [["name": deep], [long: 1], ["": 1], ["id": 1]] {
      let error = failure(in: replica) { transaction in
        try transaction.append(["text": "before"], to: "events")
        try transaction.set(fields, id: id, in: "things")
      }
      #expect(error != nil)
    }
    #expect(try Everything(replica) == before)
  }

  @Test func `a transaction that writes nothing moves no clock`() throws {
    let replica = try replica()
    let before = try Everything(replica)
    environment.pass(milliseconds: 10)
    let fields = try replica.write { try $0.fields(of: id, in: "things") }
    #expect(fields == ["name": "before"])
    try replica.write { try $0.set([:], id: id, in: "things") }
    #expect(try Everything(replica) == before)
  }

  @Test func `a gap names what is missing and changes nothing`() throws {
    let replica = try replica()
    let other = Replica(configuration: environment.configuration())
    try other.append(["text": "first"], to: "events")
    let missed = other.version
    try other.append(["text": "second"], to: "events")
    let before = try Everything(replica)
    let delta = try other.delta(since: missed)
    #expect(throws: ReplicaError.gap(replica: replica.id, missing: missed)) { try replica.merge(delta) }
    #expect(try Everything(replica) == before)
  }

  @Test func `a delta of another data set changes nothing`() throws {
    let replica = try replica()
    var configuration = environment.configuration()
    configuration.dataset = DatasetID(name: "another")
    let other = Replica(configuration: configuration)
    try other.append(["text": "first"], to: "events")
    let before = try Everything(replica)
    let delta = try other.delta()
    #expect(throws: ReplicaError.self) { try replica.merge(delta) }
    #expect(try Everything(replica) == before)
    #expect(replica.dataset == SimulatedEnvironment.dataset)
  }

  @Test func `writes of one transaction share one timestamp and show together`() throws {
    let replica = try replica()
    let timestamp = try replica.write { transaction in
      try transaction.set(["name": "after", "more": 1], id: id, in: "things")
      try transaction.append(["text": "done"], to: "events")
      return transaction.timestamp
    }
    let explanation = try replica.explain("more", of: id, in: "things")
    #expect(explanation.winner?.register.precedence.timestamp == timestamp)
    #expect(try replica.log("events").map(\.entry.timestamp) == [timestamp])
    #expect(replica.version[replica.id] == timestamp.time)
  }
}
