import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import TestSupport
import Testing

/// Check 7: a poison entry does not block the others, and is visible with its reason.
struct Check7PoisonTests {
  /// How a server shows that it will not take an entry.
  enum Poison: CaseIterable {
    case refusedAlone, refusedWithItsBatch, putOffForEver
  }

  @Test(arguments: Poison.allCases)
  func `a poison entry holds back nobody, and is listed with its reason`(_ poison: Poison) async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let device = try Device(stores.replica("one"), server, OutboxConfiguration(attemptLimit: 3))
        let ids = try device.insert(20)
        let bad = ids[3]
        try await plant(poison, bad, server)
        let first = try await device.driver.exchange()
        #expect(first.push.applied.count == 19)
        #expect(first.push.stopped == nil)
        #expect(first.pull.rows == 19, "the pull runs although something was refused")
        // What is put off becomes a dead letter after so many attempts.
        for _ in 0..<3 { try await device.driver.exchange(ignoringWaits: true) }

        let reason = poison == .refusedWithItsBatch ? "refused" : "too strange"
        let state = try await ServerState(server)
        #expect(state.rows.count == 19)
        let restarted = try Device(stores.replica("one"), server)
        #expect(try restarted.outbox.deadLetters().map(\.reason) == [reason])
        #expect(try restarted.outbox.deadLetters().map(\.entry.subject.id) == [bad.description])
        #expect(try restarted.outbox.status() == OutboxStatus(waiting: 0, needsAttention: 1))
        #expect(try restarted.outbox.state(of: bad, in: "task") == .dead(reason: reason))
        #expect(try restarted.outbox.state(of: ids[4], in: "task") == .synced)
        #expect(try restarted.replica.fields(of: bad, in: "task") == ["title": 3], "it stays on the device")

        // Others go on meanwhile, and it goes out once somebody has mended it.
        try restarted.replica.set(["title": "later"], id: ids[5], in: "task")
        #expect(try await restarted.driver.exchange().push.applied.count == 1)
        try await server.control(["clear": true])
        try restarted.replica.set(["title": "better"], id: bad, in: "task")
        try await restarted.drain()
        #expect(try await ServerState(server).rows[bad.description] == ["title": "better"])
        #expect(try restarted.outbox.deadLetters().isEmpty)
      }
    }
  }

  @Test func `an entry at which the server fails is found, and becomes a dead letter when it goes on`()
    async throws
  {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let device = try Device(stores.replica("one"), server, OutboxConfiguration(attemptLimit: 3))
        let bad = try device.insert(20)[13]
        try await server.fault(
          "refuse", [JSON.Member("containing", .string(bad.description)), JSON.Member("status", 500)])
        let first = try await device.driver.exchange()
        #expect(first.push.applied.count == 19 && first.push.stopped == nil && first.pull.rows == 19)
        for _ in 0..<3 { try await device.driver.exchange(ignoringWaits: true) }
        #expect(try await ServerState(server).rows.count == 19)
        #expect(try device.outbox.deadLetters().map(\.reason) == ["status 500"])
        #expect(try device.outbox.deadLetters().map(\.entry.subject.id) == [bad.description])
        #expect(try device.outbox.status() == OutboxStatus(waiting: 0, needsAttention: 1))
      }
    }
  }

  private func plant(_ poison: Poison, _ id: RecordID, _ server: TestServer) async throws {
    let (entity, reason) = (JSON.string(id.description), JSON.string("too strange"))
    switch poison {
    case .refusedAlone:
      try await server.fault(
        "outcome",
        [JSON.Member("entity_id", entity), JSON.Member("outcome", "rejected"), JSON.Member("reason", reason)])
    case .refusedWithItsBatch:
      try await server.fault("refuse", [JSON.Member("containing", entity), JSON.Member("status", 422)])
    case .putOffForEver:
      try await server.fault(
        "outcome",
        [
          JSON.Member("entity_id", entity), JSON.Member("outcome", "retry_later"),
          JSON.Member("reason", reason),
        ])
    }
  }
}
