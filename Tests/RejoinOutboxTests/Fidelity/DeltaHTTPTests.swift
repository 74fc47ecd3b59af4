import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// Devices and a server that is a replica in another language, over real HTTP.
struct DeltaHTTPTests {
  private func exchange(_ replica: Replica, pageBytes: Int = 600) -> DeltaExchange {
    DeltaExchange(replica, pageBytes: pageBytes)
  }

  private func connection(_ server: TestServer) throws -> HTTPConnection {
    HTTPConnection(try server.url, timeoutSeconds: 60)
  }

  /// Exchanges until it goes through.
  private func settle(_ replica: Replica, _ server: TestServer) async throws -> DeltaExchangeReport {
    for _ in 0..<100 {
      let report = try await exchange(replica).run(over: try connection(server), ignoringWaits: true)
      if report.stopped == nil { return report }
    }
    Issue.record("it never goes through")
    return DeltaExchangeReport()
  }

  private func write(_ count: Int, at replica: Replica) throws {
    for number in 0..<count {
      try replica.insert(["title": .int(Int64(number)), "text": "héllo"], id: replica.newID(), in: "jobs")
    }
    try replica.append(["done": .int(Int64(count))], to: "activity")
    let id = try replica.records(in: "jobs")[0].id
    try replica.write { try $0.increment("count", by: 3, id: id, in: "jobs") }
    try replica.delete(try replica.records(in: "jobs")[1].id, in: "jobs")
  }

  @Test func `what gets lost on the way is sent again, and the ends hold the same, bit by bit`() async throws
  {
    try await withStores(.sqlite) { stores in
      try await TestServer.with(fidelity: "full") { server in
        let (ada, ben) = (try stores.replica("ada"), try stores.replica("ben"))
        try write(20, at: ada)
        try write(15, at: ben)
        try await server.fault(
          "drop_answer", [JSON.Member("probability", 0.3), JSON.Member("seed", 7)])
        _ = try await settle(ada, server)
        _ = try await settle(ben, server)
        try await server.control(["clear": true])
        _ = try await settle(ada, server)
        #expect(try ada.delta() == ben.delta())
        #expect(try ada.digest() == ben.digest())
        let again = try await settle(ben, server)
        #expect(again.requests == 1 && again.fetched.registers == 0)
      }
    }
  }

  @Test func `a server that is killed between pages keeps what it took`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with(fidelity: "full") { server in
        let ada = try stores.replica("ada")
        try write(30, at: ada)
        var sent = 0
        for _ in 0..<100 {
          var cycle = exchange(ada).cycle(ignoringWaits: true)
          for _ in 0..<3 {
            guard let request = try cycle.next() else { break }
            try cycle.receive(try await connection(server).send(request))
          }
          sent += cycle.report.sent.registers
          if cycle.report.merged != nil { break }
          server.kill()
          try await server.start()
        }
        #expect(sent == (try ada.delta().registerCount))
        let ben = try stores.replica("ben")
        _ = try await settle(ben, server)
        #expect(try ada.delta() == ben.delta())
      }
    }
  }

  @Test func `progress is told page by page`() async throws {
    try await withStores(.memory) { stores in
      try await TestServer.with(fidelity: "full") { server in
        let (ada, ben) = (try stores.replica("ada"), try stores.replica("ben"))
        try write(20, at: ada)
        _ = try await settle(ada, server)
        var told: [Int] = []
        let report = try await exchange(ben).run(over: try connection(server)) {
          told.append($0.fetched.registers)
        }
        #expect(told.count == report.requests && told.count > 5)
        #expect(told == told.sorted() && told.last == report.fetched.registers)
      }
    }
  }

  @Test func `a token, a version and a failing server are what they are with plain servers`() async throws {
    try await withStores(.memory) { stores in
      try await TestServer.with(fidelity: "full") { server in
        let ada = try stores.replica("ada")
        try write(3, at: ada)
        try await server.control(["settings": ["token": "secret"]])
        #expect(try await exchange(ada).run(over: try connection(server)).stopped == .signedOut)
        let signedIn = HTTPConnection(try server.url, timeoutSeconds: 60) { _ in "secret" }
        var later = exchange(ada)
        later.schemaVersion = 2
        #expect(try await later.run(over: signedIn).stopped == .upgradeRequired)
        try await server.fault(
          "refuse", [JSON.Member("status", 503), JSON.Member("retry_after_s", 30), JSON.Member("next", 1)])
        #expect(try await exchange(ada).run(over: signedIn).stopped == .busy(status: 503))
        #expect(try await exchange(ada).run(over: signedIn).stopped == .waiting(milliseconds: 30_000))
        #expect(try await exchange(ada).run(over: signedIn, ignoringWaits: true).stopped == nil)
      }
    }
  }
}
