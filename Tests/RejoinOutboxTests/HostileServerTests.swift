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
  @Test(arguments: Seeds.chunks(count: 120, size: 30))
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
    try requireSound(outbox, environment, seed)
  }

  /// Another replica takes in everything over the wire, and the device goes on with a server that says what it should.
  private func requireSound(_ outbox: Outbox, _ environment: SimulatedEnvironment, _ seed: UInt64) throws {
    let replica = outbox.replica
    #expect(try replica.inspect().findings == [], "seed \(seed)")
    let peer = Replica(configuration: ReplicaConfiguration(environment: environment.environment))
    do {
      try peer.merge(Delta(decoding: replica.delta().encoded()))
    } catch {
      Issue.record("seed \(seed): no peer can merge it: \(error)")
    }
    #expect(try peer.digest() == replica.digest(), "seed \(seed)")
    let (own, others) = (replica.newID(), replica.newID())
    try replica.insert(["mine": 1], id: own, in: "jobs")
    var cycle = outbox.cycle(ignoringWaits: true)
    var isSilent = false
    while let request = try cycle.next() {
      isSilent = request.method == "POST"
      try cycle.receive(isSilent ? SaneServer.answer(request) : SaneServer.page(of: others))
    }
    #expect(cycle.report.push.stopped == nil && cycle.report.pull.stopped == nil && !isSilent, "seed \(seed)")
    #expect(try outbox.state(of: own, in: "jobs") == .synced, "seed \(seed)")
    #expect(try replica.fields(of: others, in: "jobs") == ["theirs": 1], "seed \(seed)")
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

/// Says what a server should.
private enum SaneServer {
  static func answer(_ request: HTTPRequest) -> HTTPResponse {
    guard case .array(let entries)? = (try? JSON(parsing: request.body))?["mutations"] else {
      return HTTPResponse(status: 400)
    }
    let results = entries.map { ["op_id": $0["op_id"] ?? .null, "outcome": "applied", "version": 9] as JSON }
    return HTTPResponse(status: 200, body: (["results": .array(results)] as JSON).bytes())
  }

  static func page(of id: RecordID) -> HTTPResponse {
    let row: JSON = ["entity": "jobs", "id": .string(id.description), "version": 9, "fields": ["theirs": 1]]
    let page: JSON = ["changes": [row], "cursor": "sane", "has_more": false]
    return HTTPResponse(status: 200, body: page.bytes())
  }
}
