import Rejoin
import RejoinCore
import RejoinOutbox
import TestSupport
import Testing

/// Check 2: once the server is there again everything drains, each change exactly once, whatever became of answers.
struct Check2ReconnectTests {
  @Test func `a queue drains once the server is back, each change once, over lost answers and repeats`()
    async throws
  {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let configuration = OutboxConfiguration(batchLimit: 10)
        let offline = try Device(stores.replica("one"), server, configuration)
        server.kill()
        try offline.insert(120)
        let attempt = try await offline.driver.exchange()
        #expect(attempt.push.stopped == .unreachable)
        #expect(try offline.outbox.status() == OutboxStatus(waiting: 120))

        try await server.start()
        for (kind, seed) in [("drop_answer", 1), ("duplicate", 2)] {
          try await server.fault(
            kind,
            [
              JSON.Member("probability", 0.3), JSON.Member("seed", .int(Int64(seed))),
              JSON.Member("on", "push"),
            ])
        }
        let one = try Device(offline.replica, server, configuration)
        try await one.drain()
        let state = try await ServerState(server)
        #expect(state.operations.count == 120)
        #expect(state.isOnceEach)
        #expect(state.operations.values.contains { $0.received > 1 }, "no answer was lost")
        #expect(state.rows == (try one.shown()))
        // Nobody was charged for what the network did.
        #expect(try one.outbox.deadLetters().isEmpty)

        try await server.control(["clear": true])
        let two = try Device(stores.replica("two"), server)
        #expect(try await two.driver.exchange().pull.rows == 120)
        #expect(try two.shown() == one.shown())
        #expect(try await two.driver.exchange().push.requests == 0)
      }
    }
  }

  @Test(arguments: ["drop_answer", "duplicate", "cut_answer"])
  func `one lost, repeated or cut answer doubles nothing`(_ kind: String) async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let one = try Device(stores.replica("one"), server)
        let id = try one.insert(1)[0]
        try await server.fault(kind, [JSON.Member("next", 1)])
        let first = try await one.driver.exchange()
        #expect(first.push.stopped == (kind == "duplicate" ? nil : .unreachable))
        try await one.driver.exchange()
        #expect(try one.outbox.status().isSynced)
        let state = try await ServerState(server)
        #expect(state.operations.values.map(\.applied) == [1])
        #expect(state.operations.values.map(\.received) == [2])
        #expect(try one.replica.fields(of: id, in: "task") == ["title": 0])
      }
    }
  }
}
