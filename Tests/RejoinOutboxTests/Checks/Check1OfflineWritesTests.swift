import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import TestSupport
import Testing

/// Check 1: offline writes survive kill -9 and a restart, and the queue is intact.
struct Check1OfflineWritesTests {
  @Test func `what was written offline is in the queue after kills, and all of it arrives`() async throws {
    try await withStores(.sqlite) { stores in
      let path = stores.path("one")
      var acknowledged: Set<String> = []
      for seed in Seeds.chunks(count: 2).flatMap(\.seeds) {
        let child = try WorkerProcess(["write", path, "\(seed)"])
        for _ in 0..<5 { if let line = child.nextLine() { acknowledged.insert(line) } }
        acknowledged.formUnion(child.kill())
      }
      #expect(acknowledged.count >= 10)

      let replica = try Device.replica(at: path)
      let count = try replica.records(in: "numbers").count
      #expect(try Outbox(replica).status() == OutboxStatus(waiting: count))

      try await TestServer.with { server in
        let device = try Device(replica, server)
        let report = try await device.driver.exchange()
        #expect(report.push.applied.count == count)
        #expect(try device.outbox.status().isSynced)
        let state = try await ServerState(server)
        #expect(state.isOnceEach)
        let numbers = Set(state.rows.values.compactMap { $0["number"]?.text() })
        #expect(numbers.isSuperset(of: acknowledged))
      }
    }
  }

  @Test func `what was being sent when the process was killed goes out again under the same keys`()
    async throws
  {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let path = stores.path("one")
        try await server.fault(
          "delay", [JSON.Member("held", true), JSON.Member("on", "push"), JSON.Member("next", 1)])
        let child = try WorkerProcess(["exchange", path, try server.url.absoluteString, "a"])
        let written = try #require(child.nextLine())
        try await server.control(["await_held": 1])
        let sent = try await ServerState(server).operations
        #expect(sent.count == 2)
        #expect(child.kill().isEmpty)

        // Somebody starts the application again without a network, and writes on.
        let replica = try Device.replica(at: path)
        #expect(try Outbox(replica).status() == OutboxStatus(waiting: 2))
        try replica.insert(["title": "later"], id: replica.newID(), in: "task")
        #expect(try Outbox(replica).status() == OutboxStatus(waiting: 3))

        try await server.control(["release": true])
        let device = try Device(replica, server)
        try await device.drain()
        let state = try await ServerState(server)
        #expect(state.operations.count == 3)
        #expect(state.isOnceEach)
        for key in sent.keys { #expect(state.operations[key]?.received == 2) }
        #expect(state.rows.values.compactMap { $0["title"] }.contains(.string(written)))
        #expect(state.rows == (try device.shown()))
      }
    }
  }
}
