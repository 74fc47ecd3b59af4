import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import TestSupport
import Testing

/// Check 8: a server of another schema version stops everything safely, and it goes on after the upgrade.
struct Check8SchemaMismatchTests {
  @Test func `an outdated device keeps everything, says so, and goes on after its upgrade`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let device = try Device(stores.replica("one"), server)
        let ids = try device.insert(2)
        try await device.driver.exchange()
        try await server.control(["settings": ["min_schema_version": 2, "schema_version": 2]])
        try await server.edit(["writes": [["entity": "task", "id": "news", "fields": ["title": "new"]]]])

        // Without anything to send, the pull is refused.
        let idle = try await device.driver.exchange()
        #expect(idle.push.stopped == nil)
        #expect(idle.pull.stopped == .upgradeRequired)
        #expect(idle.pull.rows == 0)

        // With something to send, the push is, and no pull is made.
        try device.replica.set(["title": "edited"], id: ids[0], in: "task")
        try device.insert(1)
        for _ in 0..<3 {
          let report = try await device.driver.exchange()
          #expect(report.push.stopped == .upgradeRequired)
          #expect(report.push.applied.isEmpty && report.push.rejected.isEmpty)
          #expect(report.pull.requests == 0)
        }
        #expect(try device.outbox.status() == OutboxStatus(waiting: 2))
        #expect(
          try device.outbox.state(of: ids[0], in: "task")
            == .waiting(attempts: 0, lastError: nil, needsAttention: false))
        #expect(try device.replica.records(in: "task").count == 3)
        let refused = Set(try await ServerState(server).operations.filter { $0.value.applied == 0 }.keys)
        #expect(refused.count == 2)

        let upgraded = try Device(
          stores.replica("one"), server, OutboxConfiguration(schemaVersion: 2))
        let report = try await upgraded.driver.exchange()
        #expect(Set(report.push.applied.map(\.description)) == refused, "under the keys that they had")
        #expect(report.push.stopped == nil && report.pull.stopped == nil)
        #expect(try upgraded.outbox.status().isSynced)
        #expect(try upgraded.replica.records(in: "task").count == 4)
        let state = try await ServerState(server)
        #expect(state.isOnceEach)
        #expect(state.rows.count == 4)
      }
    }
  }
}
