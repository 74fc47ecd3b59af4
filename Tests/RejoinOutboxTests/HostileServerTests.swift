import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// Servers that say anything at all: nothing traps, nothing loops, what was written stays here or arrives, and what
/// came in does not keep the device from others.
///
/// `REJOIN_SEEDS=100` draws a hundred times as many histories.
struct HostileServerTests {
  @Test(arguments: Seeds.chunks(count: 80, size: 20))
  func `whatever a server says, nothing traps or loops, and what was written is not lost`(
    _ chunk: Seeds.Chunk
  ) throws {
    for seed in chunk.seeds { try history(seed) }
  }

  private func history(_ seed: UInt64) throws {
    let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: seed)
    let replica = Replica(configuration: ReplicaConfiguration(environment: environment.environment))
    let outbox = Outbox(replica, configuration: OutboxConfiguration(logs: ["visits"], batchLimit: 4))
    var person = Person(replica)
    var babble = Babble(
      generator: SplitMix64(seed: seed), ids: person.ids.map(\.description) + ["s1"])
    for step in 0..<8 {
      environment.pass(milliseconds: 100_000)
      try person.write(&babble)
      try replica.append(["step": .int(Int64(step))], to: "visits")
      var cycle = outbox.cycle(ignoringWaits: true)
      var requests = 0
      do {
        while let request = try cycle.next() {
          requests += 1
          guard requests < 300 else {
            Issue.record("seed \(seed): an exchange of \(requests) requests")
            return
          }
          try cycle.receive(babble.response(to: request, requests))
        }
      } catch OutboxError.pullDoesNotMove {
        // A typed error, which says what is the matter.
      }
      _ = try outbox.status()
      _ = try outbox.quarantined()
      if let letter = try outbox.deadLetters().first { try person.decide(letter, in: outbox, &babble) }
    }
    for (id, number) in person.last {
      // No server speaks of this field, but one may delete the record.
      guard let shown = try replica.fields(of: id, in: "jobs")?["mine"] else { continue }
      #expect(shown == .int(number), "seed \(seed)")
    }
    #expect(try replica.log("visits").filter { $0.entry.values["step"] != nil }.count == 8, "seed \(seed)")
    try requireSound(outbox, environment, &babble, seed)
  }

  /// Beside whatever it brings, a page brings a good row, and an answer says that something is applied; then another
  /// replica takes in everything over the wire.
  private func requireSound(
    _ outbox: Outbox, _ environment: SimulatedEnvironment, _ babble: inout Babble, _ seed: UInt64
  ) throws {
    let replica = outbox.replica
    let (own, others) = (replica.newID(), replica.newID())
    try replica.insert(["mine": 1], id: own, in: "jobs")
    var cycle = outbox.cycle(ignoringWaits: true)
    while let request = try cycle.next() {
      let json = request.method == "POST" ? results(of: request) : page(with: others, &babble)
      try cycle.receive(HTTPResponse(status: 200, body: babble.bytes(json)))
    }
    #expect(cycle.report.push.stopped == nil && cycle.report.pull.stopped == nil, "seed \(seed)")
    #expect(try outbox.state(of: own, in: "jobs") == .synced, "seed \(seed)")
    #expect(try replica.fields(of: others, in: "jobs") == ["theirs": 1], "seed \(seed)")

    #expect(try replica.inspect().findings == [], "seed \(seed)")
    let peer = Replica(configuration: ReplicaConfiguration(environment: environment.environment))
    do {
      try peer.merge(Delta(decoding: replica.delta().encoded()))
    } catch {
      Issue.record("seed \(seed): no peer can merge it: \(error)")
    }
    #expect(try peer.digest() == replica.digest(), "seed \(seed)")
  }

  /// Everything is applied, with a row that nobody can read.
  private func results(of request: HTTPRequest) -> JSON {
    guard case .array(let entries)? = (try? JSON(parsing: request.body))?["mutations"] else { return .null }
    let results = entries.map { entry in
      [
        "op_id": entry["op_id"] ?? .null, "outcome": "applied", "version": 9,
        "server": ["a": "poison:double"],
      ] as JSON
    }
    return ["results": .array(results)]
  }

  private func page(with id: RecordID, _ babble: inout Babble) -> JSON {
    let good: JSON = ["entity": "jobs", "id": .string(id.description), "version": 9, "fields": ["theirs": 1]]
    let odd: JSON = ["entity": "jobs", "id": "odd", "version": 9, "fields": ["a": babble.extreme()]]
    return ["changes": [babble.row(), odd, good, babble.row()], "cursor": "sane", "has_more": false]
  }
}

/// Writes to a few records, and decides what becomes of what was refused.
private struct Person {
  let replica: Replica
  let ids: [RecordID]
  /// What was last written to each record, where nothing else may stand there.
  private(set) var last: [RecordID: Int64] = [:]
  private var number: Int64 = 1_000

  init(_ replica: Replica) {
    self.replica = replica
    ids = (0..<4).map { _ in replica.newID() }
  }

  mutating func write(_ babble: inout Babble) throws {
    for _ in 0..<2 {
      number += 1
      let id = babble.pick(ids)
      if try replica.fields(of: id, in: "jobs") != nil {
        try replica.set(["mine": .int(number)], id: id, in: "jobs")
      } else {
        try replica.insert(["mine": .int(number)], id: id, in: "jobs")
      }
      last[id] = number
    }
    let id = babble.pick(ids)
    switch babble.generator.next() % 3 {
    case 0 where try replica.fields(of: id, in: "jobs") != nil: try replica.delete(id, in: "jobs")
    case 1 where try replica.records(in: "jobs", includingDeleted: true).contains { $0.id == id }:
      do { try replica.restore(id, in: "jobs") } catch ReplicaError.recordNotDeleted { return }
    default: return
    }
    last[id] = nil
  }

  mutating func decide(_ letter: DeadLetter, in outbox: Outbox, _ babble: inout Babble) throws {
    switch babble.generator.next() % 3 {
    case 0: try outbox.retry(letter.id)
    case 1:
      try outbox.discard(letter.id)
      if case .record(let key) = letter.entry.subject { last[key.id] = nil }
    default: break
    }
  }
}
