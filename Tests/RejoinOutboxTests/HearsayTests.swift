import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Devices that meet directly besides a server: what one heard from it hides neither what another has not sent yet nor
/// what the server has taken since.
struct HearsayTests {
  private let fleet = Fleet()

  /// Ada's edit is hidden by what Ben heard of the server for the first time.
  private func hide(
    _ ada: Outbox, acknowledged: Bool = false
  ) throws -> RecordID {
    let ben = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    let old = fleet.server.model
    try fleet.set(["a": 2], of: id, at: ada)
    if acknowledged { try fleet.exchange(ada) }
    try ada.replica.sync(with: ben.replica)
    let new = fleet.server.model
    fleet.server.model = old
    fleet.server.model.wallMilliseconds = new.wallMilliseconds
    try fleet.pull(ben)
    fleet.server.model = new
    try #require(try fleet.shown(id, at: ben) == ["a": 1])
    try ada.replica.sync(with: ben.replica)
    try #require(try fleet.shown(id, at: ada) == ["a": 1])
    return id
  }

  /// A record to which both have written.
  private func share(by ada: Outbox, _ ben: Outbox) throws -> RecordID {
    let id = try fleet.insert(["a": 1], at: ada)
    try ada.replica.sync(with: ben.replica)
    try fleet.set(["b": 2], of: id, at: ben)
    try ada.replica.sync(with: ben.replica)
    return id
  }

  /// Refuses the first entry of a push.
  private func refusal(_ request: HTTPRequest) -> HTTPResponse?? {
    guard request.method == "POST", let json = try? JSON(parsing: request.body),
      let key = try? json.at(pointer: "/mutations/0/op_id")
    else { return nil }
    let answer: JSON = ["results": [["op_id": key, "outcome": "rejected", "reason": "no"]]]
    return HTTPResponse(status: 200, body: answer.bytes())
  }

  @Test(arguments: [0, 120_000, -120_000] as [Int64])
  func `an unsent edit that another's old word for the server hid goes out all the same`(_ offset: Int64)
    throws
  {
    let ada = fleet.device(offset: offset)
    let id = try hide(ada)
    #expect(try ada.waiting().map(\.subject) == [.record(RecordKey("jobs", id))])
    #expect(try ada.state(of: id, in: "jobs") != .synced)
    #expect(try !ada.status().isSynced)
    try fleet.exchange(ada)
    #expect(fleet.served(id) == ["a": 2])
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
    #expect(try ada.status().isSynced)
    #expect(try fleet.exchange(ada).push.requests == 0)
  }

  @Test func `where the server wins, a hidden edit stays hidden and is in the ledger`() throws {
    let ada = fleet.device(policy: .serverWins)
    let id = try hide(ada)
    #expect(try ada.status().isSynced)
    try fleet.exchange(ada)
    #expect(fleet.served(id) == ["a": 1])
    #expect(try fleet.shown(id, at: ada) == ["a": 1])
    #expect(try ada.replica.conflicts(of: id, in: "jobs").map(\.losingValue) == [2])
  }

  @Test func `a hidden edit loses to a row that is later than its first writing`() throws {
    let ada = fleet.device()
    let id = try hide(ada)
    fleet.pass(1_000)
    fleet.server.model.edit("jobs", id.description, ["a": 3])
    fleet.pass(1_000)
    try fleet.exchange(ada)
    #expect(fleet.served(id) == ["a": 3])
    #expect(try fleet.shown(id, at: ada) == ["a": 3])
    #expect(
      try ada.replica.conflicts(of: id, in: "jobs", includingSettled: true).map(\.losingValue).contains(2))
  }

  @Test func `what the server has acknowledged comes back over another's old word for it`() throws {
    let ada = fleet.device(offset: -120_000)
    let id = try hide(ada, acknowledged: true)
    #expect(try ada.status().isSynced)
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
    #expect(try fleet.exchange(ada).push.requests == 0)
    #expect(fleet.served(id) == ["a": 2])
  }

  @Test func `a second exchange with nothing to do writes nothing, although others were heard`() throws {
    let ada = fleet.device()
    _ = try hide(ada, acknowledged: true)
    try fleet.exchange(ada)
    let trace = try ada.replica.trace()
    try fleet.exchange(ada)
    #expect(try ada.replica.trace() == trace)
  }

  @Test func `an edit made on top of a row is later than it, however slow the clock`() throws {
    let (ada, ben) = (fleet.device(offset: -120_000), fleet.device())
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.exchange(ben)
    try fleet.set(["a": 2], of: id, at: ada)
    try ada.replica.sync(with: ben.replica)
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
    #expect(try fleet.shown(id, at: ben) == ["a": 2])
  }

  @Test func `a time that no replica would accept moves no clock`() throws {
    let ada = fleet.device()
    fleet.server.model.edit("jobs", ada.replica.newID().description, ["a": 1])
    let wall = fleet.server.model.wallMilliseconds
    fleet.server.model.wallMilliseconds += 3_600_000
    fleet.server.model.edit("jobs", ada.replica.newID().description, ["a": 1])
    _ = try fleet.server.run(ada)
    let id = try fleet.insert(["a": 1], at: ada)
    let time = try #require(try ada.standing(of: id, in: "jobs").clientUpdatedAt)
    #expect(time < wall + 60_000)
  }

  @Test func `a row that shows what an edit was made over shows nothing newer`() throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 1], at: ada)
    try ada.replica.sync(with: ben.replica)
    try fleet.set(["a": 2], of: id, at: ben)
    fleet.pass(1_000)
    try fleet.set(["b": 1], of: id, at: ada)
    try fleet.exchange(ada)
    try fleet.pull(ben)
    #expect(try fleet.shown(id, at: ben) == ["a": 2, "b": 1])
    try fleet.exchange(ben)
    #expect(fleet.served(id) == ["a": 2, "b": 1])
    #expect(try ben.replica.conflicts(of: id, in: "jobs", includingSettled: true).isEmpty)
  }

  @Test func `what was replaced before the server acknowledged counts no more`() throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 1], at: ben)
    try ben.replica.sync(with: ada.replica)
    try fleet.set(["a": 2], of: id, at: ada)
    try fleet.exchange(ada)
    try fleet.set(["a": 3], of: id, at: ada)
    fleet.pass(1_000)
    fleet.server.model.edit("jobs", id.description, ["a": 1])
    try fleet.pull(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 1], "somebody has written it once more, later")
  }

  @Test func `a server whose clock is ahead by less than the drift bound is believed`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    fleet.server.model.wallMilliseconds += 60_000
    fleet.server.model.edit("jobs", id.description, ["b": 1])
    try fleet.exchange(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    fleet.pass(1_000)
    fleet.server.model.edit("jobs", id.description, ["a": 3])
    try fleet.pull(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 3, "b": 1])
  }

  @Test func `two who take back each his part of a refused record leave nothing of it`() throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try share(by: ada, ben)
    fleet.server.override = refusal
    try fleet.exchange(ada)
    try fleet.exchange(ben)
    fleet.server.override = { _ in nil }
    for outbox in [ada, ben] { try outbox.discard(try #require(try outbox.deadLetters().first?.id)) }
    #expect(try fleet.shown(id, at: ada) == ["a": .null, "b": 2])
    #expect(try fleet.shown(id, at: ben) == ["a": 1, "b": .null])
    try ada.replica.sync(with: ben.replica)
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == nil)
  }

  @Test func `whoever takes back the last part of a refused record deletes it`() throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try share(by: ada, ben)
    fleet.server.override = refusal
    for outbox in [ada, ben] { try fleet.exchange(outbox) }
    try ada.discard(try #require(try ada.deadLetters().first?.id))
    try ada.replica.sync(with: ben.replica)
    #expect(try fleet.shown(id, at: ben) == ["a": .null, "b": 2])
    try ben.discard(try #require(try ben.deadLetters().first?.id))
    #expect(try fleet.shown(id, at: ben) == nil)
  }

  @Test func `what a refused record holds of others goes out with theirs`() throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try share(by: ada, ben)
    fleet.server.override = refusal
    try fleet.exchange(ada)
    fleet.server.override = { _ in nil }
    try ada.discard(try #require(try ada.deadLetters().first?.id))
    try ada.replica.sync(with: ben.replica)
    try fleet.exchange(ben)
    #expect(fleet.served(id) == ["a": .null, "b": 2])
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": .null, "b": 2])
    #expect(try ada.status().isSynced)
  }

  @Test func `a row that shows what is on its way shows nothing newer`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchangeInVain(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    fleet.pass(1_000)
    fleet.server.model.edit("jobs", id.description, ["b": 1])
    try fleet.pull(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 2, "b": 1])
  }

  @Test func `a record that another took back is there again where the server has it`() throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 1], at: ada)
    try ada.replica.sync(with: ben.replica)
    fleet.server.override = refusal
    try fleet.exchange(ada)
    fleet.server.override = { _ in nil }
    try fleet.set(["b": 1], of: id, at: ben)
    try fleet.exchange(ben)
    try ada.discard(try #require(try ada.deadLetters().first?.id))
    #expect(try fleet.shown(id, at: ada) == nil)
    try ada.replica.sync(with: ben.replica)
    #expect(try fleet.shown(id, at: ben) == nil)
    try fleet.exchange(ben)
    #expect(try fleet.shown(id, at: ben) == ["a": 1, "b": 1])
    try ada.replica.sync(with: ben.replica)
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 1, "b": 1])
    #expect(fleet.served(id) == ["a": 1, "b": 1])
  }
}
