import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// Servers that say anything at all: nothing traps, nothing loops, and what was written stays here or arrives.
///
/// `REJOIN_SEEDS=100` draws a hundred times as many histories.
struct HostileServerTests {
  /// Draws what such a server says, of the words that the protocol knows and with ids that the device knows.
  private struct Babble {
    var generator: SplitMix64
    var ids: [String]

    mutating func pick<Element>(_ elements: [Element]) -> Element {
      elements[Int(generator.next() % UInt64(elements.count))]
    }

    mutating func number() -> JSON {
      pick([0, 1, 2, 3, -1, .int(.max), .int(.min), .double(1e308), .double(0.5), 1_700_000_000_000])
    }

    mutating func text() -> JSON {
      let words = [
        "", "a", "jobs", "visits", "applied", "conflict", "rejected", "retry_later", "gone", "\u{0}", "c",
      ]
      return .string(
        pick(words + ids + ids.map { $0.uppercased() } + ["2026-13-45T99:99:99Z", "9999-12-31T23:59:59Z"]))
    }

    mutating func anything(depth: Int = 0) -> JSON {
      switch generator.next() % (depth > 2 ? 5 : 8) {
      case 0: return .null
      case 1: return pick([true, false])
      case 2: return number()
      case 3, 4: return text()
      case 5: return .array((0..<generator.next() % 3).map { _ in anything(depth: depth + 1) })
      default:
        let names = [
          "a", "b", "id", "entity", "fields", "version", "deleted_at", "updated_at", "local_id", "",
        ]
        return .object(
          (0..<generator.next() % 4).map { _ in JSON.Member(pick(names), anything(depth: depth + 1)) })
      }
    }

    /// A value that is as it should be, most of the time.
    mutating func mostly(_ json: JSON) -> JSON { generator.next() % 8 == 0 ? anything() : json }

    mutating func row() -> JSON {
      let fields: JSON = .object(
        (0..<generator.next() % 3).map { _ in JSON.Member(pick(["a", "b", "id", ""]), anything(depth: 1)) })
      var members = [
        JSON.Member("entity", mostly(pick(["jobs", "jobs", "visits", "rejoin.conflicts", ""]))),
        JSON.Member("id", mostly(.string(pick(ids)))), JSON.Member("version", mostly(number())),
        JSON.Member("updated_at", mostly(number())), JSON.Member("fields", mostly(fields)),
        JSON.Member("deleted_at", pick([.null, .null, .null, number(), text()])),
      ]
      if generator.next() % 3 == 0 { members.append(JSON.Member("local_id", mostly(.string(pick(ids))))) }
      return mostly(.object(members))
    }

    mutating func page(_ count: Int) -> JSON {
      [
        "changes": mostly(.array((0..<generator.next() % 5).map { _ in row() })),
        "cursor": mostly(.string("\(count)")), "has_more": mostly(pick([true, false])),
        "epoch": pick([.null, "1", "1", "1", text()]),
      ]
    }

    mutating func results(of request: HTTPRequest) -> JSON {
      guard case .array(let entries)? = (try? JSON(parsing: request.body))?["mutations"] else { return .null }
      var results: [JSON] = []
      for entry in entries {
        let key = entry["op_id"] ?? .null
        for _ in 0..<pick([1, 1, 1, 0, 2]) {
          results.append(
            mostly([
              "op_id": mostly(key),
              "outcome": pick([text(), "applied", "conflict", "rejected", "retry_later"]),
              "version": mostly(number()), "id": pick([.null, .null, .string(pick(ids)), text()]),
              "server": pick([.null, row()]), "reason": anything(), "retry_after": pick([.null, number()]),
            ]))
        }
      }
      if generator.next() & 1 == 0 { results.reverse() }
      return ["results": mostly(.array(results))]
    }

    mutating func response(to request: HTTPRequest, _ count: Int) -> HTTPResponse? {
      let status = pick([
        200, 200, 200, 200, 200, 201, 204, 301, 400, 404, 409, 410, 412, 413, 422, 429, 500, 503,
      ])
      guard generator.next() % 10 != 0 else { return nil }
      let json = request.method == "POST" ? results(of: request) : page(count)
      var body = mostly(json).bytes()
      if generator.next() % 12 == 0, !body.isEmpty {
        body[Int(generator.next() % UInt64(body.count))] = UInt8(truncatingIfNeeded: generator.next())
      }
      let header = HTTPRequest.Parameter(
        "Retry-After", pick(["1", "-1", "99999999999999999999", "soon", ""]))
      return HTTPResponse(status: status, headers: [header], body: body)
    }
  }

  @Test(arguments: Seeds.chunks(count: 300, size: 50))
  func `whatever a server says, nothing traps or loops, and what was written is not lost`(
    _ chunk: Seeds.Chunk
  ) throws {
    for seed in chunk.seeds { try history(seed) }
  }

  private func history(_ seed: UInt64) throws {
    let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: seed)
    let replica = Replica(configuration: ReplicaConfiguration(environment: environment.environment))
    let outbox = Outbox(replica, configuration: OutboxConfiguration(logs: ["visits"], batchLimit: 4))
    var ids = (0..<4).map { _ in replica.newID().description }
    ids.append("s1")
    var babble = Babble(generator: SplitMix64(seed: seed), ids: ids)
    var last: [RecordID: Int64] = [:]
    var written: Int64 = 1_000
    for step in 0..<12 {
      environment.pass(milliseconds: 100_000)
      for _ in 0..<2 {
        written += 1
        let number = written
        let id = try #require(RecordID(babble.pick(Array(ids.prefix(4)))))
        if try replica.fields(of: id, in: "jobs") != nil {
          try replica.set(["mine": .int(number)], id: id, in: "jobs")
        } else {
          try replica.insert(["mine": .int(number)], id: id, in: "jobs")
        }
        last[id] = number
      }
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
      if let letter = try outbox.deadLetters().first, babble.generator.next() & 1 == 0 {
        try outbox.retry(letter.id)
      }
    }
    for (id, number) in last {
      // No server speaks of this field, but one may delete the record.
      guard let shown = try replica.fields(of: id, in: "jobs")?["mine"] else { continue }
      #expect(shown == .int(number), "seed \(seed)")
    }
    #expect(try replica.log("visits").filter { $0.entry.values["step"] != nil }.count == 12, "seed \(seed)")
    #expect(try replica.inspect().findings == [], "seed \(seed)")
  }
}
