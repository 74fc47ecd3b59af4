import AccountTrackers
import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// Two devices and the test server over real HTTP, in every dialect.
struct DialectHTTPTests {
  private static let dialects: [String: any Dialect] = [
    "001": IntentDialect(), "002": UpsertDialect(), "003": TableDialect(tables: ["jobs", "notes", "visits"]),
    "004": MutationsDialect(),
  ]

  private func driver(_ replica: Replica, _ server: TestServer, _ dialect: any Dialect) throws -> OutboxDriver
  {
    try replica.declare([Reference("job", to: "jobs")], in: "notes")
    let configuration = OutboxConfiguration(logs: ["visits"], kinds: ["notes": ["job": .record]])
    return OutboxDriver(
      Outbox(replica, configuration: configuration, dialect: dialect),
      over: HTTPConnection(try server.url, timeoutSeconds: 60))
  }

  private func shown(_ replica: Replica, _ collection: Collection) throws -> [RecordID: [FieldName: Value]] {
    Dictionary(
      uniqueKeysWithValues: try replica.records(in: collection).map { record in
        (record.id, record.fields.filter { $0.value != .null })
      })
  }

  @Test(arguments: dialects.keys.sorted())
  func `what was written offline arrives once, whatever gets lost, and others get it`(_ name: String)
    async throws
  {
    let dialect = try #require(Self.dialects[name])
    try await withStores(.sqlite) { stores in
      try await TestServer.with(dialect: name) { server in
        try await server.control([
          "settings": ["logs": ["visits"], "ids": name == "004" ? "client" : "server"]
        ])
        let ada = try driver(try stores.replica("ada"), server, dialect)
        let ids = try ((0..<7) as Range<Int64>).map { number in
          let id = ada.outbox.replica.newID()
          try ada.outbox.replica.insert(["title": .int(number), "done": false], id: id, in: "jobs")
          try ada.outbox.replica.insert(
            ["text": "héllo", "job": .record(id)], id: ada.outbox.replica.newID(), in: "notes")
          try ada.outbox.replica.append(["number": .int(number)], to: "visits")
          return id
        }
        try await server.fault(
          "drop_answer", [JSON.Member("probability", 0.3), JSON.Member("seed", 7), JSON.Member("on", "push")])
        for _ in 0..<60 where try !ada.outbox.status().isSynced {
          try await ada.exchange(ignoringWaits: true)
        }
        try await server.control(["clear": true])
        try ada.outbox.replica.set(["done": true], id: ids[1], in: "jobs")
        try ada.outbox.replica.delete(ids[2], in: "jobs")
        let report = try await ada.exchange(ignoringWaits: true)
        #expect(report.push.rejected.isEmpty && report.push.conflicts.isEmpty)
        #expect(try ada.outbox.status().isSynced)

        let state = try await server.state()
        guard case .array(let rows)? = state["rows"], case .object(let operations)? = state["operations"]
        else {
          throw GoldenFile.Malformed()
        }
        #expect(rows.count { $0["entity"] == "jobs" } == 7)
        #expect(rows.count { $0["entity"] == "notes" } == 7)
        #expect(rows.count { $0["entity"] == "visits" } == 7)
        #expect(rows.count { $0["deleted_at"] != .null } == 1)
        #expect(operations.allSatisfy { $0.value["applied"]?.wireNumber ?? 0 <= 1 })
        guard name != "001" else { return }

        let ben = try driver(try stores.replica("ben"), server, dialect)
        try await ben.exchange()
        #expect(try shown(ben.outbox.replica, "jobs") == shown(ada.outbox.replica, "jobs"))
        #expect(try shown(ben.outbox.replica, "notes") == shown(ada.outbox.replica, "notes"))
        #expect(try ben.outbox.replica.log("visits").count == 7)
        try ben.outbox.replica.set(["title": 100], id: ids[3], in: "jobs")
        try await ben.exchange()
        try await ada.exchange()
        #expect(try shown(ada.outbox.replica, "jobs")[ids[3]]?["title"] == 100)
        #expect(try ada.outbox.status().isSynced)
        #expect(try ben.outbox.status().isSynced)
      }
    }
  }

  @Test func `accounts and trackers in document 000's dialect`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with(dialect: "000") { server in
        func book(_ name: String) throws -> (AccountBook, OutboxDriver) {
          let replica = try stores.replica(name)
          let outbox = Outbox(
            replica, configuration: AccountsDialect.configuration, dialect: AccountsDialect())
          return (
            try AccountBook(replica, outbox: outbox),
            OutboxDriver(outbox, over: HTTPConnection(try server.url, timeoutSeconds: 60))
          )
        }
        let (ada, driver) = try book("ada")
        let providers = [Provider("claude", cooldownDays: 5), Provider("cursor", cooldownDays: 7)]
        let id = try ada.addAccount(email: "ada@example.com", nickname: "Work", providers: providers)
        let tracker = try #require(
          ada.replica.all(Tracker.self).first { $0.providerSlug == "claude" })
        try ada.startCooldown(tracker.id)
        try await server.fault("drop_answer", [JSON.Member("next", 1), JSON.Member("on", "push")])
        #expect(try await driver.exchange().push.stopped == .unreachable)
        for _ in 0..<3 { try await driver.exchange(ignoringWaits: true) }
        #expect(try driver.outbox.status().isSynced)

        let state = try await server.state()
        guard case .array(let rows)? = state["rows"] else { throw GoldenFile.Malformed() }
        let trackers = rows.filter { $0["entity"] == "trackers" }
        #expect(rows.count == 3 && trackers.count == 2)
        let served = try #require(trackers.first { $0["fields"]?["providerSlug"] == "claude" })
        #expect(served["fields"]?["cooldownDays"] == 5)
        #expect(served["fields"]?["lastLimitHitAt"] != .null)
        #expect(state["requests"]?["POST /accounts"] == 2)

        let (ben, other) = try book("ben")
        try await other.exchange()
        let accounts = try ben.replica.all(Account.self)
        #expect(accounts.map(\.email) == ["ada@example.com"])
        #expect(accounts.map(\.nickname) == ["Work"])
        let seen = try ben.replica.all(Tracker.self)
        #expect(Set(seen.map(\.account)) == Set(accounts.map(\.id)))
        let hit = try ada.replica.get(Tracker.self, tracker.id)?.lastLimitHitAt
        #expect(hit != nil)
        #expect(seen.first { $0.providerSlug == "claude" }?.lastLimitHitAt == hit)
        try ben.deleteAccount(accounts[0].id)
        try await other.exchange()
        try await driver.exchange()
        #expect(try ada.replica.all(Account.self).isEmpty)
        #expect(try ada.replica.all(Tracker.self).isEmpty)
        #expect(try ada.replica.fields(of: id, in: Account.collection) == nil)
      }
    }
  }
}
