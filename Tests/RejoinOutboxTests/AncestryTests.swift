import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Rows that show what an unsent write was made over: no news, where somebody else has sent it on.
struct AncestryTests {
  private let fleet = Fleet()

  @Test(arguments: [1, 12])
  func `a whole record that another sent does not bring an own older value back`(_ edits: Int) throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 0, "b": 0], at: ada)
    try ada.replica.sync(with: ben.replica)
    for number in 1...edits { try fleet.set(["a": .int(Int64(number))], of: id, at: ada) }
    try fleet.set(["b": 1], of: id, at: ben)
    try fleet.exchange(ben)
    try fleet.exchange(ada)
    try fleet.exchange(ada)
    #expect(fleet.served(id) == ["a": .int(Int64(edits)), "b": 1])
    #expect(try fleet.shown(id, at: ada) == ["a": .int(Int64(edits)), "b": 1])
  }

  @Test func `what a delta carried counts as given, whoever brings it`() throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 1], at: ada)
    try ben.replica.merge(try ada.replica.delta())
    try fleet.set(["a": 2], of: id, at: ada)
    try fleet.set(["b": 1], of: id, at: ben)
    try fleet.exchange(ben)
    try fleet.pull(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 2, "b": 1])
  }

  @Test func `where the record is known to the server, an own older value is in the ledger at least`() throws
  {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 0], at: ada)
    try fleet.exchange(ada)
    try fleet.set(["a": 1], of: id, at: ada)
    try ada.replica.sync(with: ben.replica)
    try fleet.set(["a": 2], of: id, at: ada)
    fleet.pass(60_000)
    fleet.server.model.edit("jobs", id.description, ["a": 1])
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
    #expect(try ada.replica.conflicts(of: id, in: "jobs").map(\.losingValue) == [1])
  }

  @Test func `a value that never left the device is nobody's but the server's`() throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    try ada.replica.sync(with: ben.replica)
    let id = try fleet.insert(["a": 0], at: ada)
    try fleet.exchange(ada)
    try fleet.set(["a": 1], of: id, at: ada)
    try fleet.set(["a": 2], of: id, at: ada)
    fleet.pass(60_000)
    fleet.server.model.edit("jobs", id.description, ["a": 1])
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 1])
    #expect(try ada.replica.conflicts(of: id, in: "jobs").map(\.losingValue) == [2])
  }

  @Test func `a record restored behind a deletion on its way takes what the server changed`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1, "b": 1], at: ada)
    try fleet.exchange(ada)
    try ada.replica.delete(id, in: "jobs")
    fleet.server.override = { _ in .some(nil) }
    try fleet.exchange(ada)
    fleet.server.override = { _ in nil }
    fleet.server.model.edit("jobs", id.description, ["a": 2])
    fleet.pass(10)
    try ada.replica.restore(id, in: "jobs")
    try fleet.exchange(ada)
    try fleet.exchange(ada)
    #expect(fleet.served(id) == ["a": 2, "b": 1])
    #expect(try fleet.shown(id, at: ada) == ["a": 2, "b": 1])
  }

  @Test func `a value that was set back while another is on its way is an edit`() throws {
    let ada = fleet.device(policy: .clientWins)
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    try fleet.exchangeInVain(ada)
    try fleet.set(["a": 1], of: id, at: ada)
    fleet.server.model.edit("jobs", id.description, ["a": 3])
    try fleet.pull(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 1])
    try fleet.exchange(ada)
    #expect(fleet.served(id) == ["a": 1])
  }

  // MARK: Behind a gateway

  @Test(arguments: [false, true])
  func `a gateway sends what was hidden on a device behind it`(_ hasMet: Bool) throws {
    var relaying = OutboxConfiguration()
    relaying.relays = true
    let (gateway, ben) = (fleet.device(relaying), fleet.device())
    let phone = fleet.device().replica
    fleet.pass(10)
    let id = RecordID.derived(from: "x", in: "jobs")
    try phone.insert(["a": 1], id: id, in: "jobs")
    try gateway.replica.sync(with: phone)
    try fleet.exchange(gateway)
    fleet.pass(10)
    try phone.set(["a": 2], id: id, in: "jobs")
    if hasMet { try ben.replica.sync(with: phone) }
    fleet.pass(10)
    fleet.server.model.edit("jobs", id.description, ["b": 1])
    try fleet.exchange(ben)
    try ben.replica.sync(with: phone)
    #expect(try phone.fields(of: id, in: "jobs") == ["a": 1, "b": 1])
    try gateway.replica.sync(with: phone)
    try fleet.exchange(gateway)
    #expect(fleet.served(id) == ["a": 2, "b": 1])
    try gateway.replica.sync(with: phone)
    #expect(try phone.fields(of: id, in: "jobs") == ["a": 2, "b": 1])
    #expect(try gateway.status().isSynced)
  }

  @Test func `an outbox that is made after a meeting sends what the meeting hid`() throws {
    let ben = fleet.device()
    let ada = Replica(
      configuration: ReplicaConfiguration(
        dataset: DatasetID(name: "fleet"), environment: fleet.environments[0].environment))
    let id = ada.newID()
    try ada.insert(["a": 1], id: id, in: "jobs")
    fleet.pass(10)
    try ada.set(["a": 2], id: id, in: "jobs")
    fleet.pass(10)
    fleet.server.model.edit("jobs", id.description, ["a": 1])
    try fleet.exchange(ben)
    try ada.sync(with: ben.replica)
    try #require(try ada.fields(of: id, in: "jobs") == ["a": 1])
    let outbox = Outbox(ada)
    #expect(try !outbox.status().isSynced)
    try fleet.exchange(outbox)
    #expect(try fleet.server.pushes.joined().contains { try $0.at(pointer: "/payload/a") == 2 })
  }
}
