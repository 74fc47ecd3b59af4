import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import TestSupport
import Testing

/// Exchanges over real HTTP with the server of the documents' wire format, on SQLite files.
struct ExchangeTests {
  private func device(_ server: TestServer, _ path: String) throws -> OutboxDriver {
    let replica = try Replica(
      at: path, configuration: ReplicaConfiguration(dataset: DatasetID(name: "exchange")))
    return OutboxDriver(Outbox(replica), over: HTTPConnection(try server.url, timeoutSeconds: 60))
  }

  @Test func `two devices exchange what they wrote, once each`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let one = try device(server, stores.path("one"))
        let two = try device(server, stores.path("two"))
        let ids = (0..<120).map { _ in one.outbox.replica.newID() }
        for (number, id) in ids.enumerated() {
          try one.outbox.replica.insert(["title": .int(Int64(number))], id: id, in: "task")
        }
        let sent = try await one.exchange()
        #expect(sent.push.applied.count == 120)
        #expect(sent.push.requests == 3)
        let fetched = try await two.exchange()
        #expect(fetched.pull.rows == 120)
        try two.outbox.replica.set(["title": "changed"], id: ids[7], in: "task")
        try two.outbox.replica.delete(ids[8], in: "task")
        try await two.exchange()
        try await one.exchange()
        #expect(
          try one.outbox.replica.records(in: "task") == two.outbox.replica.records(in: "task"))
        #expect(try one.outbox.replica.records(in: "task").count == 119)
        let state = try await server.state()
        guard case .object(let operations)? = state["operations"] else { return #expect(Bool(false)) }
        #expect(operations.allSatisfy { $0.value["applied"] == 1 })
        // A second exchange with nothing to do makes one request and moves no row.
        let idle = try await one.exchange()
        #expect(idle.push.requests == 0)
        #expect(idle.pull.requests == 1)
        #expect(idle.pull.rows == 0)
      }
    }
  }

  @Test(arguments: ["drop_answer", "duplicate"])
  func `what the network does to answers doubles nothing`(_ kind: String) async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let one = try device(server, stores.path("one"))
        let id = one.outbox.replica.newID()
        try one.outbox.replica.insert(["title": "tea"], id: id, in: "task")
        try await server.fault(kind, [JSON.Member("next", 1)])
        _ = try await one.exchange()
        _ = try await one.exchange()
        #expect(try one.outbox.status().isSynced)
        let state = try await server.state()
        guard case .object(let operations)? = state["operations"] else { return #expect(Bool(false)) }
        #expect(operations.map { $0.value["applied"] } == [1])
        #expect(try one.outbox.replica.fields(of: id, in: "task") == ["title": "tea"])
      }
    }
  }

  @Test func `two devices edit one record offline, and nothing is lost silently`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let one = try device(server, stores.path("one"))
        let two = try device(server, stores.path("two"))
        let id = one.outbox.replica.newID()
        try one.outbox.replica.insert(["title": "a", "note": "b"], id: id, in: "task")
        try await one.exchange()
        try await two.exchange()
        try one.outbox.replica.set(["title": "one"], id: id, in: "task")
        try two.outbox.replica.set(["title": "two", "note": "kept"], id: id, in: "task")
        for _ in 0..<4 {
          for device in [one, two] { try await device.exchange() }
        }
        let shown = try one.outbox.replica.fields(of: id, in: "task")
        #expect(shown == (try two.outbox.replica.fields(of: id, in: "task")))
        #expect(shown?["note"] == "kept")
        let losers = try [one, two].flatMap { try $0.outbox.replica.conflicts() }.compactMap(\.losingValue)
        #expect(losers.contains(shown?["title"] == "one" ? "two" : "one"))
      }
    }
  }
}
