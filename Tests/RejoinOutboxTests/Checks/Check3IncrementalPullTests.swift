import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import TestSupport
import Testing

/// Check 3: a pull is incremental, and an exchange with nothing to do does nothing.
struct Check3IncrementalPullTests {
  @Test func `a second exchange moves no rows, makes one request and writes nothing`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        try await server.edit(["load": ["entity": "task", "count": 700, "fields": ["title": "loaded"]]])
        let device = try Device(stores.replica("one"), server)
        try device.insert(3)
        let first = try await device.driver.exchange()
        #expect(first.pull.rows == 703)
        #expect(first.pull.pages == 2)
        // What became of the rows that this device sent itself has come back once by now.
        let before = try await ServerState(server)
        let bytes = try Self.bytes(of: stores.path("one"))
        let second = try await device.driver.exchange()
        #expect(second.push.requests == 0)
        #expect(second.pull.requests == 1)
        #expect(second.pull.rows == 0)
        let after = try await ServerState(server)
        #expect(after.requests == before.requests + 1)
        #expect(after.rowsSent == before.rowsSent)
        #expect(try Self.bytes(of: stores.path("one")) == bytes)
      }
    }
  }

  @Test func `one row that changed is one row that travels, after a restart too`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        try await server.edit(["load": ["entity": "task", "count": 300, "fields": ["title": "loaded"]]])
        let device = try Device(stores.replica("one"), server)
        try await device.driver.exchange()
        let before = try await ServerState(server)
        try await server.edit(["writes": [["entity": "task", "id": "00000007", "fields": ["title": "new"]]]])

        let restarted = try Device(stores.replica("one"), server)
        #expect(try await restarted.driver.exchange().pull.rows == 1)
        #expect(try await ServerState(server).rowsSent == before.rowsSent + 1)
        let titles = try restarted.replica.records(in: "task").map { $0.fields["title"] }
        #expect(titles.count == 300)
        #expect(titles.count { $0 == "new" } == 1)
      }
    }
  }

  @Test func `a pull that was killed goes on where it was`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        try await server.edit(["load": ["entity": "task", "count": 60, "fields": ["title": "loaded"]]])
        try await server.control(["settings": ["max_page": 10]])
        try await server.fault(
          "delay", [JSON.Member("held", true), JSON.Member("on", "pull"), JSON.Member("skip", 3)])
        let child = try WorkerProcess(["exchange", stores.path("one"), try server.url.absoluteString, "a"])
        try await server.control(["await_held": 1])
        _ = child.kill()
        try await server.control(["clear": true, "release": true])

        let device = try Device(at: stores.path("one"), server)
        let loaded = try device.replica.records(in: "task").count { $0.fields["title"] == "loaded" }
        #expect(loaded == 30)
        // Besides these come the two records that the process had sent.
        let report = try await device.driver.exchange()
        #expect(report.pull.rows == 32)
        #expect(try device.shown().count == 62)
      }
    }
  }

  /// The bytes of a replica's file and of its log.
  private static func bytes(of path: String) throws -> [Data] {
    try [path, path + "-wal"].map { file in
      FileManager.default.fileExists(atPath: file) ? try Data(contentsOf: URL(fileURLWithPath: file)) : Data()
    }
  }
}
