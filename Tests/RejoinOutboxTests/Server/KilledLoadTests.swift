import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import TestSupport
import Testing

/// A first load whose process is killed in the middle goes on from the last page.
struct KilledLoadTests {
  private static let count = 3_000
  private static let pages = 30

  @Test(arguments: [("before", 0), ("before", 12), ("after", 29)])
  func `no page before the last committed cursor is asked for again`(
    _ when: String, _ skipped: Int
  ) async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        try await server.edit([
          "load": ["entity": "task", "count": .int(Int64(Self.count)), "fields": ["title": "row"]]
        ])
        // The process is killed while it waits for this page; all pages before it were answered.
        try await server.fault(
          "delay",
          [
            JSON.Member("held", true), JSON.Member("when", .string(when)), JSON.Member("on", "pull"),
            JSON.Member("skip", .int(Int64(skipped))), JSON.Member("next", 1),
          ])
        let path = stores.path("one")
        let address = try server.url.absoluteString
        let killed = try WorkerProcess(["load", path, address])
        try await server.control(["await_held": 1])
        #expect(killed.kill() == [])
        try await server.control(["release": true])

        let goingOn = try WorkerProcess(["load", path, address])
        #expect(goingOn.nextLine() == "\(Self.count - skipped * 100)")
        #expect(goingOn.end() == 0)

        guard case .array(let pulls)? = try await server.state()["pulls"] else {
          Issue.record("the server lists no pulls")
          return
        }
        let asked = pulls.map { $0["since"] ?? .null }
        #expect(asked.count == Self.pages + 1)
        #expect(Set(asked).count == Self.pages, "only the page that was not answered is asked for twice")
        #expect(asked[skipped] == asked[skipped + 1])
        let replica = try Replica(
          at: path, configuration: ReplicaConfiguration(dataset: DatasetID(name: "worker")))
        let records = try replica.records(in: "task")
        #expect(records.count == Self.count)
        #expect(Set(records.compactMap { $0.fields["number"] }).count == Self.count)
        #expect(try Outbox(replica).status().isSynced)
      }
    }
  }
}
