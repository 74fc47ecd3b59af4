import Foundation
import Rejoin
import RejoinCore
@testable import RejoinOutbox
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The client over HTTP: whatever comes back, or does not.
struct HTTPConnectionTests {
  private static var pull: HTTPRequest {
    var request = HTTPRequest("GET", "/sync")
    request.query = [HTTPRequest.Parameter("since", ""), HTTPRequest.Parameter("schema_version", "1")]
    return request
  }

  @Test func `compressed answers arrive as they were written`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        try await server.edit(["load": ["entity": "task", "count": 500, "fields": ["title": "héllo"]]])
        let response = try #require(try await HTTPConnection(server.url).send(Self.pull))
        #expect(response.header("content-encoding") == "gzip")
        #expect(try JSON(parsing: response.body).at(pointer: "/changes/499/fields/title") == "héllo")

        let device = try Device(stores.replica("one"), server)
        #expect(try await device.driver.exchange().pull.rows == 500)
        #expect(try device.replica.records(in: "task").allSatisfy { $0.fields["title"] == "héllo" })
      }
    }
  }

  @Test func `an answer that does not come in time is no answer`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        try await server.fault("delay", [JSON.Member("held", true), JSON.Member("next", 2)])
        // One that is patient, and was asked before.
        let patient = HTTPConnection(try server.url, timeoutSeconds: 60)
        let answer = Task { try await patient.send(Self.pull) }
        try await server.control(["await_held": 1])
        let outbox = Outbox(try stores.replica("one"))
        try outbox.replica.insert(["title": 1], id: outbox.replica.newID(), in: "task")
        let driver = OutboxDriver(outbox, over: HTTPConnection(try server.url, timeoutSeconds: 0.5))
        #expect(try await driver.exchange().push.stopped == .unreachable)
        #expect(try outbox.status() == OutboxStatus(waiting: 1))
        try await server.control(["release": true])
        #expect(try await answer.value?.status == 200, "the other one's time is not over")
        try await Device(outbox.replica, server).drain()
        #expect(try await ServerState(server).isOnceEach)
      }
    }
  }

  #if canImport(FoundationNetworking)
  @Test func `a time-out of less than a second is not one of no time`() {
    #expect(HTTPConnection.timeout(0.2) == 1)
    #expect(HTTPConnection.timeout(1.5) == 2)
    #expect(HTTPConnection.timeout(30) == 30)
  }
  #endif

  @Test(arguments: [
    ("/a b", "/a%20b"), ("/a%2Fb", "/a%2Fb"), ("/100%", "/100%25"), ("/%zz/é?#", "/%25zz/%C3%A9%3F%23"),
    ("", ""),
    ("/api/{id}", "/api/%7Bid%7D"),
  ])
  func `a path that is none comes to a server as what was meant`(_ path: String, _ expected: String)
    async throws
  {
    #expect(HTTPRequest("GET", path).validPath == expected)
    try await TestServer.with { server in
      let connection = HTTPConnection(try server.url)
      #expect(try await connection.send(HTTPRequest("GET", path)) != nil)
    }
  }

  @Test func `a server that is not there is no answer`() async throws {
    try await TestServer.with { server in
      let connection = HTTPConnection(try server.url)
      server.kill()
      #expect(try await connection.send(Self.pull) == nil)
    }
  }

  @Test func `a connection that the server ended is not used again`() async throws {
    try await TestServer.with { server in
      // In a session that others use, too, the connection may be given up for theirs.
      let session = URLSession(configuration: .ephemeral)
      defer { session.finishTasksAndInvalidate() }
      let connection = HTTPConnection(try server.url, session: session, timeoutSeconds: 60)
      for method in ["GET", "POST"] {
        #expect(try await connection.send(Self.pull)?.status == 200)
        try await server.fault("drop_answer", [JSON.Member("next", 1)])
        var request = method == "GET" ? Self.pull : HTTPRequest("POST", "/mutations")
        if method == "POST" { request.body = Array(#"{"schema_version":1,"mutations":[]}"#.utf8) }
        // On a connection that it had used before, libcurl would send it again by itself: a GET with success, and a
        // POST with an empty body for as long as the time-out lets it.
        #expect(try await connection.send(request) == nil)
      }
    }
  }

  @Test
  func `an exchange that is cancelled in mid-request keeps what was acknowledged, and the next goes on`()
    async throws
  {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let device = try Device(stores.replica("one"), server, OutboxConfiguration(batchLimit: 5))
        try device.insert(10)
        try await server.fault(
          "delay", [JSON.Member("held", true), JSON.Member("skip", 1), JSON.Member("next", 1)])
        let exchange = Task { try await device.driver.exchange() }
        try await server.control(["await_held": 1])
        exchange.cancel()
        await #expect(throws: CancellationError.self) { try await exchange.value }
        #expect(try device.outbox.status() == OutboxStatus(waiting: 5))
        try await server.control(["release": true])

        let report = try await device.driver.exchange()
        #expect(report.push.applied.count == 5)
        #expect(report.pull.stopped == nil)
        let state = try await ServerState(server)
        #expect(state.operations.count == 10)
        #expect(state.isOnceEach)
      }
    }
  }

  @Test(arguments: ["retry_after_s", "retry_at_s"])
  func `a busy server is not asked before the time it said, in seconds or as a date, nor after a restart`(
    _ form: String
  ) async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        // The server's clock is a day ahead of the device's.
        let ahead = FixtureEnvironment.start + 86_400_000
        try await server.control(["clock": ["fixed_ms": .int(ahead)]])
        try await server.fault(
          "refuse", [JSON.Member("status", 503), JSON.Member("next", 1), JSON.Member(form, 120)])
        var device = try Device(stores.replica("one"), server)
        try device.insert(2)
        #expect(try await device.driver.exchange().push.stopped == .busy(status: 503))
        stores.clock.advance(milliseconds: 119_000)
        device = try Device(stores.replica("one"), server)
        #expect(try await device.driver.exchange().push.stopped == .waiting(milliseconds: 1_000))
        #expect(try await ServerState(server).requests == 1)
        stores.clock.advance(milliseconds: 1_000)
        #expect(try await device.driver.exchange().push.applied.count == 2)
      }
    }
  }

  // MARK: Tokens

  /// A token hook that counts how often it was told of a refusal.
  private final class Hook: Sendable {
    let refusals = Mutex(0)
    private let renewed: String?

    init(renewed: String?) { self.renewed = renewed }

    func token(isRefused: Bool) -> String? {
      guard isRefused else { return refusals.withLock { $0 > 0 } ? renewed ?? "old" : "old" }
      refusals.withLock { $0 += 1 }
      return renewed
    }
  }

  private func device(_ stores: Stores, _ server: TestServer, _ hook: Hook) throws -> Device {
    try Device(stores.replica("one"), over: HTTPConnection(server.url) { hook.token(isRefused: $0) })
  }

  @Test func `the hook is asked once for another token, and the exchange goes on with it`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        try await server.control(["settings": ["token": "new"]])
        let hook = Hook(renewed: "new")
        let device = try device(stores, server, hook)
        try device.insert(120)
        let report = try await device.driver.exchange()
        #expect(report.push.applied.count == 120)
        #expect(report.pull.rows == 120)
        #expect(hook.refusals.withLock { $0 } == 1)
      }
    }
  }

  @Test(arguments: [401, 403], ["wrong", nil])
  func `what is still refused pauses everything and charges nobody`(_ status: Int, _ renewed: String?)
    async throws
  {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        try await server.fault("refuse", [JSON.Member("status", .int(Int64(status)))])
        let hook = Hook(renewed: renewed)
        let device = try device(stores, server, hook)
        let id = try device.insert(1)[0]
        for round in 1...3 {
          let report = try await device.driver.exchange()
          #expect(report.push.stopped == .signedOut)
          #expect(report.pull.requests == 0)
          #expect(hook.refusals.withLock { $0 } == round)
        }
        #expect(try await ServerState(server).requests == (renewed == nil ? 3 : 6))
        #expect(
          try device.outbox.state(of: id, in: "task")
            == .waiting(attempts: 0, lastError: nil, needsAttention: false))
        try await server.control(["clear": true])
        #expect(try await device.driver.exchange().push.applied.count == 1)
      }
    }
  }

  // MARK: Foreign answers

  /// What may answer in the server's place.
  private static let foreign: [JSON] = [
    ["status": 200, "body": "foreign"], ["status": 200, "body": "none"], ["status": 200, "body": ""],
    ["status": 200, "body": [:]], ["status": 204, "body": "none"], ["status": 404, "body": "foreign"],
    ["status": 422, "body": "foreign"], ["status": 400, "body": "none"], ["status": 511, "body": "foreign"],
    ["status": 302, "headers": ["Location": "/sign-in"]],
    ["status": 302, "headers": ["Location": "/sync?schema_version=1"]],
    ["status": 307, "headers": ["Location": "/sign-in"]],
  ]

  @Test(arguments: foreign)
  func `an answer that is not the server's is no verdict`(_ answer: JSON) async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        try await server.edit(["writes": [["entity": "task", "id": "news", "fields": ["title": "new"]]]])
        let device = try Device(stores.replica("one"), server)
        let id = try device.insert(1)[0]
        guard case .object(let members) = answer else { return }
        try await server.fault("refuse", [JSON.Member("on", "push")] + members)
        for _ in 0..<3 {
          let report = try await device.driver.exchange()
          #expect(report.push.stopped != nil)
          #expect(
            report.push.applied.isEmpty && report.push.rejected.isEmpty && report.push.conflicts.isEmpty)
          #expect(report.pull.requests == 0)
        }
        let isBusy = answer["status"] == 511
        if !isBusy {
          let waiting = SyncState.waiting(attempts: 0, lastError: nil, needsAttention: false)
          #expect(try device.outbox.state(of: id, in: "task") == waiting)
        }

        // The same for a pull: nothing is taken in, and the next one begins where this one would have.
        try await server.control(["clear": true])
        try await server.fault("refuse", [JSON.Member("on", "pull")] + members)
        let pull = try await device.driver.exchange(ignoringWaits: true)
        #expect(pull.push.applied.count == 1)
        #expect(pull.pull.stopped != nil || answer["headers"]?["Location"] == "/sync?schema_version=1")
        #expect(pull.pull.quarantined == 0)
        try await server.control(["clear": true])
        try await device.driver.exchange(ignoringWaits: true)
        #expect(try device.replica.records(in: "task").count == 2)
        #expect(try await ServerState(server).isOnceEach)
      }
    }
  }
}
