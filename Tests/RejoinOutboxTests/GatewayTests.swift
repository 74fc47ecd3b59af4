import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Devices that send what others wrote, for those that never reach the server themselves.
struct GatewayTests {
  private static let wall: Int64 = 1_700_000_000_000
  private let server = ScriptedServer()

  private func device(_ seed: UInt64, relays: Bool = true, at wall: Int64? = nil) -> Outbox {
    let environment = SimulatedEnvironment(
      wallMilliseconds: wall ?? Self.wall + Int64(seed) * 1_000, seed: seed)
    var configuration = OutboxConfiguration(logs: ["visits"])
    configuration.relays = relays
    return Outbox(
      Replica(
        configuration: ReplicaConfiguration(
          dataset: DatasetID(name: "gateway"), environment: environment.environment)),
      configuration: configuration)
  }

  @Test func `two gateways send what a third device wrote, byte for byte alike`() throws {
    let author = device(1, relays: false)
    let id = author.replica.newID()
    try author.replica.write("note") { try $0.insert(["a": 1], id: id, in: "jobs") }
    try author.replica.append(["number": 1], to: "visits")
    for seed in 2...3 as ClosedRange<UInt64> {
      let gateway = device(seed)
      try gateway.replica.sync(with: author.replica)
      server.override = { request in request.method == "POST" ? .some(nil) : nil }
      _ = try server.run(gateway)
    }
    #expect(server.pushes.count == 2)
    #expect(server.pushes[0].count == 2)
    #expect(server.pushes[0] == server.pushes[1], "one key, one body")
    #expect(server.pushes[0][0]["created_at"] == .int(Self.wall + 1_000))
    #expect(server.pushes[0][0]["intent"] == nil, "labels are their author's")
  }

  @Test func `an update, a deletion and a conflict get keys of their own`() throws {
    let author = device(1, relays: false)
    let gateway = device(2)
    let id = author.replica.newID()
    try author.replica.insert(["a": 1], id: id, in: "jobs")
    for value in 2...3 as ClosedRange<Int64> {
      try gateway.replica.sync(with: author.replica)
      _ = try server.run(gateway)
      try author.replica.set(["a": .int(value)], id: id, in: "jobs")
    }
    server.model.edit("jobs", id.description, ["b": 7])
    try gateway.replica.sync(with: author.replica)
    _ = try server.run(gateway)
    #expect(server.model.rows["jobs"]?[id.description]?.fields == ["a": 3, "b": 7])
    try author.replica.delete(id, in: "jobs")
    try gateway.replica.sync(with: author.replica)
    _ = try server.run(gateway)
    let sent = server.pushes.joined()
    #expect(sent.map { $0["op"] } == ["insert", "update", "update", "update", "delete"])
    #expect(Set(sent.map { $0["op_id"]?.text() }).count == 5)
    #expect(try gateway.status().isSynced)
  }

  @Test func `a gateway takes no label of its own for another's write of the same time`() throws {
    let author = device(1, relays: false)
    let gateway = device(2, at: Self.wall + 1_000)
    try author.replica.write("theirs") { try $0.insert(["a": 1], id: author.replica.newID(), in: "jobs") }
    try gateway.replica.write("ours") { try $0.insert(["a": 2], id: gateway.replica.newID(), in: "jobs") }
    try gateway.replica.sync(with: author.replica)
    _ = try server.run(gateway)
    let sent = server.pushes.joined().map { [$0["payload"]?["a"], $0["intent"]] }
    #expect(Set(sent) == [[1, nil], [2, "ours"]])
  }

  @Test func `gateways that saw different versions of a row send different keys`() throws {
    let author = device(1, relays: false)
    let id = author.replica.newID()
    try author.replica.insert(["a": 1], id: id, in: "jobs")
    let gateways = [device(2), device(3)]
    for gateway in gateways {
      try gateway.replica.sync(with: author.replica)
      _ = try server.run(gateway)
    }
    server.model.edit("jobs", id.description, ["b": 1])
    _ = try server.run(gateways[1])
    try author.replica.set(["a": 2], id: id, in: "jobs")
    let before = server.pushes.count
    server.override = { request in request.method == "POST" ? .some(nil) : nil }
    for gateway in gateways {
      try gateway.replica.sync(with: author.replica)
      _ = try server.run(gateway)
    }
    let sent = server.pushes[before...].joined()
    #expect(sent.map { $0["base_version"] } == [1, 2])
    #expect(Set(sent.map { $0["payload"]?.text() }).count == 1)
    #expect(Set(sent.map { $0["op_id"]?.text() }).count == 2)
  }

  @Test func `what was refused goes out under another key, from a gateway, too`() throws {
    let author = device(1, relays: false)
    let gateway = device(2)
    try author.replica.insert(["a": "refused"], id: author.replica.newID(), in: "jobs")
    try gateway.replica.sync(with: author.replica)
    _ = try server.run(gateway)
    try gateway.retry(try #require(try gateway.deadLetters().first?.id))
    _ = try server.run(gateway)
    #expect(Set(server.pushes.joined().map { $0["op_id"]?.text() }).count == 2)
  }

  @Test func `what came from the server is not sent back, whoever had it from there`() throws {
    let reader = device(1, relays: false)
    let gateway = device(2)
    server.model.edit("jobs", "s1", ["a": 1])
    _ = try server.run(reader)
    try gateway.replica.sync(with: reader.replica)
    _ = try server.run(gateway)
    #expect(server.pushes.isEmpty)
  }

  @Test func `a device that is a gateway no longer sends its own writes only`() throws {
    let author = device(1, relays: false)
    var gateway = device(2)
    try gateway.replica.sync(with: author.replica)
    try author.replica.insert(["a": 1], id: author.replica.newID(), in: "jobs")
    try gateway.replica.sync(with: author.replica)
    _ = try server.run(gateway)
    var configuration = gateway.configuration
    configuration.relays = false
    gateway = Outbox(gateway.replica, configuration: configuration)
    try author.replica.insert(["a": 2], id: author.replica.newID(), in: "jobs")
    try gateway.replica.sync(with: author.replica)
    try gateway.replica.insert(["a": 3], id: gateway.replica.newID(), in: "jobs")
    _ = try server.run(gateway)
    #expect(server.pushes.joined().compactMap { $0["payload"]?["a"] } == [1, 3])
    #expect(try gateway.status().isSynced)
  }
}
