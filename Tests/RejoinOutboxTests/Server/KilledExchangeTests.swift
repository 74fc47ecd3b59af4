import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import TestSupport
import Testing

/// Processes that are killed while they exchange with a server that loses answers.
///
/// `REJOIN_SEEDS=10` kills ten times as often.
struct KilledExchangeTests {
  @Test func `kills lose nothing and double nothing`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        try await server.fault("drop_answer", [JSON.Member("probability", 0.3), JSON.Member("seed", 1)])
        let path = stores.path("one")
        var written: [String] = []
        for seed in Seeds.chunks(count: 4).flatMap(\.seeds) {
          let child = try WorkerProcess(["exchange", path, try server.url.absoluteString, "\(seed)"])
          for _ in 0..<4 + seed % 3 { if let line = child.nextLine() { written.append(line) } }
          written += child.kill()
        }
        #expect(written.count >= 4)
        try await server.control(["clear": true])
        let replica = try Replica(
          at: path, configuration: ReplicaConfiguration(dataset: DatasetID(name: "worker")))
        let outbox = Outbox(replica)
        let driver = OutboxDriver(outbox, over: HTTPConnection(try server.url, timeoutSeconds: 10))
        for _ in 0..<4 { try await driver.exchange() }
        #expect(try outbox.status().isSynced)
        let state = try await server.state()
        guard case .object(let operations)? = state["operations"], case .array(let rows)? = state["rows"]
        else {
          Issue.record("\(state.text())")
          return
        }
        #expect(operations.allSatisfy { $0.value["applied"] == 1 })
        #expect(rows.count == (try replica.records(in: "task").count))
        let titles = Set(rows.compactMap { $0["fields"]?["title"] })
        #expect(written.allSatisfy { titles.contains(.string($0)) }, "what was acknowledged is at the server")
        for row in rows {
          guard case .string(let text)? = row["id"], let id = RecordID(text) else { continue }
          let edits = try replica.fields(of: id, in: "task")?["edits"]?.json
          #expect(edits == row["fields"]?["edits"])
        }
      }
    }
  }
}
