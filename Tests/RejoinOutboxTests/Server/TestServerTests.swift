import Foundation
import RejoinCore
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The server that the tests of the outbox speak to.
struct TestServerTests {
  private static let insert: JSON = [
    "schema_version": 1,
    "mutations": [
      [
        "op_id": "0f3a9100-0000-4000-8000-000000000001", "entity": "task", "entity_id": "a", "op": "insert",
        "payload": ["title": "Buy tea"], "base_version": 0, "created_at": 1_764_590_399_000,
      ]
    ],
  ]

  @Test func `the server's own tests pass`() async throws {
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID().uuidString).log")
    try Data().write(to: log)
    defer { try? FileManager.default.removeItem(at: log) }
    let output = try FileHandle(forWritingTo: log)
    defer { try? output.close() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-B", "-m", "unittest", "discover", "--start-directory", "tests"]
    process.currentDirectoryURL = TestServer.sources
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try await process.runToEnd()
    let said = String(decoding: try Data(contentsOf: log), as: UTF8.self)
    #expect(process.terminationStatus == 0, "\(said)")
    #expect(said.contains(/Ran [1-9][0-9]+ tests/), "\(said)")
  }

  @Test func `a mutation is pushed and pulled`() async throws {
    try await TestServer.with { server in
      let pushed = try await server.send("POST", "/mutations", Self.insert)
      #expect(pushed.status == 200)
      let result = try pushed.json.at(pointer: "/results/0")
      #expect(result["outcome"] == "applied")
      #expect(result["version"] == 1)

      let pulled = try await server.send("GET", "/sync?since=&limit=500&schema_version=1")
      #expect(pulled.status == 200)
      let row = try pulled.json.at(pointer: "/changes/0")
      #expect(row["id"] == "a")
      #expect(row["fields"] == ["title": "Buy tea"])
      #expect(try pulled.json["has_more"] == false)
    }
  }

  @Test func `a killed server knows what it answered when it starts again`() async throws {
    try await TestServer.with { server in
      let first = try await server.send("POST", "/mutations", Self.insert)
      server.kill()
      #expect(throws: TestServer.Failure.self) { try server.url }
      try await server.start()
      let second = try await server.send("POST", "/mutations", Self.insert)
      #expect(second.bytes == first.bytes)
      let counts = try await server.state().at(pointer: "/operations/0f3a9100-0000-4000-8000-000000000001")
      #expect(counts == ["received": 2, "applied": 1])
      server.stop()
      try await server.start()
      #expect(try await server.send("POST", "/mutations", Self.insert).bytes == first.bytes)
    }
  }

  @Test func `a dropped answer is an error, and the mutation is applied`() async throws {
    try await TestServer.with { server in
      try await server.fault("drop_answer", [JSON.Member("next", 1)])
      await #expect(throws: URLError.self) { try await server.send("POST", "/mutations", Self.insert) }
      #expect(try await server.state().at(pointer: "/rows/0/version") == 1)
    }
  }

  @Test func `a cut answer is an error`() async throws {
    try await TestServer.with { server in
      try await server.fault("cut_answer", [JSON.Member("next", 1)])
      await #expect(throws: URLError.self) { try await server.send("POST", "/mutations", Self.insert) }
    }
  }

  @Test func `compressed and refused answers arrive as they are`() async throws {
    try await TestServer.with { server in
      try await server.edit([
        "load": ["entity": "task", "count": 300, "fields": ["title": "one of many"]]
      ])
      let page = try await server.send("GET", "/sync?since=&limit=500&schema_version=1")
      #expect(try page.json.at(pointer: "/changes/299/fields/number") == 299)
      #expect(page.headers["content-encoding"] == "gzip")

      try await server.control(["settings": ["token": "secret"]])
      #expect(try await server.send("GET", "/sync?schema_version=1").status == 401)
      let header = ["Authorization": "Bearer secret"]
      #expect(try await server.send("GET", "/sync?schema_version=1", headers: header).status == 200)
      #expect(try await server.send("GET", "/sync?schema_version=2", headers: header).status == 426)
    }
  }

  @Test func `a control that there is not is an error`() async throws {
    try await TestServer.with { server in
      await #expect(throws: TestServer.Failure.self) { try await server.control(["unheard": true]) }
      await #expect(throws: TestServer.Failure.self) { try await server.fault("unheard") }
    }
  }
}
