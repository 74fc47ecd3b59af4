import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Answers that come after later news, or that are about something else.
struct LateAnswerTests {
  private let fleet = Fleet()

  /// The answers to what is sent next; `extra` are further members of each.
  private func answer(_ outcome: String, _ extra: [JSON.Member] = []) -> (HTTPRequest) -> HTTPResponse?? {
    { request in
      guard request.method == "POST", let json = try? JSON(parsing: request.body),
        case .array(let entries)? = json["mutations"]
      else { return nil }
      let results = entries.map { entry in
        JSON.object(
          [JSON.Member("op_id", entry["op_id"] ?? .null), JSON.Member("outcome", .string(outcome))] + extra)
      }
      return HTTPResponse(status: 200, body: JSON.object([JSON.Member("results", .array(results))]).bytes())
    }
  }

  private func row(_ id: String, _ fields: JSON, version: Int64) -> JSON {
    ["entity": "jobs", "id": .string(id), "version": .int(version), "deleted_at": .null, "fields": fields]
  }

  // MARK: Acknowledged after later news

  @Test(arguments: [JSON.int(1), nil])
  func `what the server had gone on to stands, once it acknowledges what was before`(_ version: JSON?) throws
  {
    let ada = fleet.device(policy: .clientWins)
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchangeInVain(ada)
    fleet.server.model.edit("jobs", id.description, ["a": 2])
    try fleet.pull(ada)
    try #require(try fleet.shown(id, at: ada) == ["a": 1])
    fleet.server.override = answer("applied", version.map { [JSON.Member("version", $0)] } ?? [])
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
    #expect(try ada.standing(of: id, in: "jobs").version == 2)
    #expect(try ada.status().isSynced)
  }

  @Test func `a record that the server deleted after it had taken an edit is deleted`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    try fleet.exchangeInVain(ada)
    fleet.server.model.edit("jobs", id.description, nil)
    try fleet.pull(ada)
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == nil)
    #expect(try ada.status().isSynced)
  }

  @Test func `an acknowledgement of what is newer than any row stays as it is`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
    #expect(try ada.standing(of: id, in: "jobs").version == 2)
  }

  @Test func `a server whose version never changes takes edits all the same`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    fleet.server.override = answer("applied", [JSON.Member("version", 1)])
    try fleet.exchange(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
    #expect(try ada.status().isSynced)
  }

  // MARK: No such record

  @Test func `a record that only another server has goes out as a whole`() throws {
    let other = ScriptedServer()
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    let elsewhere = Outbox(ada.replica, configuration: OutboxConfiguration(server: "other"))
    other.model.edit("jobs", id.description, ["b": 5])
    _ = try other.run(elsewhere)
    try fleet.exchange(ada)
    try #require(fleet.server.pushes.joined().map { $0["op"] } == ["update"])
    #expect(try fleet.shown(id, at: ada) == ["a": 1, "b": 5], "nothing is deleted meanwhile")
    fleet.pass(120_000)
    try fleet.exchange(ada)
    #expect(fleet.served(id) == ["a": 1, "b": 5])
    #expect(try ada.status().isSynced)
  }

  @Test func `an edit of a row that the server lost with its history makes it anew`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1, "b": 1], at: ada)
    try fleet.exchange(ada)
    fleet.server.model = ModelServer(
      wallMilliseconds: fleet.server.model.wallMilliseconds, isStrict: true)
    fleet.server.model.changeEpoch()
    try fleet.exchange(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    try fleet.exchange(ada)
    fleet.pass(120_000)
    try fleet.exchange(ada)
    #expect(fleet.served(id) == ["a": 2, "b": 1])
    #expect(try fleet.shown(id, at: ada) == ["a": 2, "b": 1])
  }

  @Test func `a record that another had from the server, and that was deleted there, is deleted`() throws {
    let (ada, ben) = (fleet.device(), fleet.device())
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    fleet.server.model.edit("jobs", id.description, ["b": 1])
    try fleet.exchange(ada)
    try ada.replica.sync(with: ben.replica)
    fleet.server.model.edit("jobs", id.description, nil)
    try fleet.set(["a": 2], of: id, at: ben)
    try fleet.exchange(ben)
    #expect(try fleet.shown(id, at: ben) == nil)
    #expect(try ben.replica.conflicts(of: id, in: "jobs").map(\.losingValue).contains(2))
    fleet.pass(120_000)
    #expect(try fleet.exchange(ben).push.requests == 0)
  }

  // MARK: About something else

  @Test func `an id that is another record's is not learnt, and its row is no answer`() throws {
    let ada = fleet.device()
    let first = try fleet.insert(["a": 1], at: ada)
    fleet.server.override = answer("applied", [JSON.Member("version", 1), JSON.Member("id", "r1")])
    try fleet.exchange(ada)
    let second = try fleet.insert(["a": 2], at: ada)
    fleet.server.override = answer("applied", [JSON.Member("version", 1), JSON.Member("id", "r1")])
    try fleet.exchange(ada)
    #expect(try ada.standing(of: second, in: "jobs").serverID == second.description)
    try fleet.set(["a": 3], of: second, at: ada)
    fleet.server.override = answer(
      "conflict", [JSON.Member("server", row("r1", ["a": 9, "b": 9], version: 7))])
    try fleet.exchange(ada)
    #expect(try fleet.shown(second, at: ada) == ["a": 3])
    fleet.server.override = answer(
      "conflict", [JSON.Member("server", row(first.description, ["a": 9, "b": 9], version: 7))])
    fleet.pass(120_000)
    try fleet.exchange(ada)
    #expect(try fleet.shown(first, at: ada) == ["a": 1])
    #expect(try fleet.shown(second, at: ada) == ["a": 3])
  }

  @Test func `a row of another collection is no answer`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    let foreign: JSON = [
      "entity": "rooms", "id": "r1", "version": 7, "deleted_at": .null, "fields": ["a": 9],
    ]
    fleet.server.override = answer("conflict", [JSON.Member("server", foreign)])
    try fleet.exchange(ada)
    #expect(try ada.replica.records(in: "rooms").isEmpty)
    #expect(try fleet.shown(id, at: ada) == ["a": 1])
  }

  @Test func `a log entry that the server named is known by that name`() throws {
    let ada = fleet.device()
    try ada.replica.append(["number": 1], to: "visits")
    fleet.server.override = { request in
      guard request.method == "POST" else {
        let row: JSON = [
          "entity": "visits", "id": "v9", "version": 1, "deleted_at": .null, "fields": ["number": 1],
        ]
        let page: JSON = ["changes": [row], "cursor": "1", "has_more": false]
        return HTTPResponse(status: 200, body: page.bytes())
      }
      return answer("applied", [JSON.Member("version", 1), JSON.Member("id", "v9")])(request) ?? nil
    }
    try fleet.exchange(ada)
    #expect(try ada.replica.log("visits").count == 1)
  }

  // MARK: What unsent writes were made over

  @Test func `a restored record takes what the server changed meanwhile, and keeps what was edited`() throws {
    let ada = fleet.device(policy: .clientWins)
    let id = try fleet.insert(["a": 1, "b": 1], at: ada)
    try fleet.exchange(ada)
    fleet.pass(10)
    try ada.replica.delete(id, in: "jobs")
    fleet.server.model.edit("jobs", id.description, ["a": 2, "b": 2])
    try fleet.pull(ada)
    fleet.pass(10)
    try ada.replica.restore(id, in: "jobs")
    try fleet.set(["b": 3], of: id, at: ada)
    try fleet.exchange(ada)
    #expect(fleet.served(id) == ["a": 2, "b": 3])
    #expect(try fleet.shown(id, at: ada) == ["a": 2, "b": 3])
  }

  @Test func `forgetting the cache forgets nothing that unsent edits were made over`() throws {
    let ada = fleet.device(offset: -120_000)
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    fleet.server.model.edit("jobs", id.description, ["b": 1])
    try fleet.exchange(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    fleet.server.model.wallMilliseconds += 60_000
    try ada.resetCache(of: "jobs")
    try fleet.pull(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 2, "b": 1])
  }

  @Test func `what is given up shows what the server had before it began anew`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    fleet.server.override = answer("rejected", [JSON.Member("reason", "no")])
    try fleet.exchange(ada)
    fleet.server.override = { request in
      guard request.method == "GET" else { return nil }
      let page: JSON = ["changes": [], "cursor": "1", "has_more": false, "epoch": "other"]
      return HTTPResponse(status: 200, body: page.bytes())
    }
    try fleet.pull(ada)
    try ada.discard(try #require(try ada.deadLetters().first?.id))
    #expect(try fleet.shown(id, at: ada) == ["a": 1])
  }

  @Test func `a row that does not say when it was changed takes no place of an unsent edit`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.set(["a": 2], of: id, at: ada)
    fleet.server.override = { [self] request in
      guard request.method == "GET" else { return .some(nil) }
      let page: JSON = [
        "changes": [row(id.description, ["a": 3], version: 2)], "cursor": "9", "has_more": false,
      ]
      return HTTPResponse(status: 200, body: page.bytes())
    }
    try fleet.pull(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
    #expect(try ada.replica.conflicts(of: id, in: "jobs").map(\.losingValue) == [3])
  }

  @Test func `what is taken back by itself is in the ledger`() throws {
    let ada = fleet.device(onRejection: .rollback)
    let id = try fleet.insert(["a": 1], at: ada)
    try fleet.exchange(ada)
    try fleet.set(["a": 2, "b": 2], of: id, at: ada)
    fleet.server.override = answer("rejected", [JSON.Member("reason", "no")])
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 1, "b": .null])
    let losers = try ada.replica.conflicts(of: id, in: "jobs", includingSettled: true).map(\.losingValue)
    #expect(losers == [2, 2])
  }

  @Test func `a deletion that is given up shows what came meanwhile, and what comes after that`() throws {
    let ada = fleet.device()
    let id = try fleet.insert(["a": 2], at: ada)
    try fleet.exchange(ada)
    fleet.pass(10)
    try ada.replica.delete(id, in: "jobs")
    fleet.server.model.edit("jobs", id.description, ["a": 1])
    try fleet.pull(ada)
    fleet.server.override = answer("rejected", [JSON.Member("reason", "no")])
    try fleet.exchange(ada)
    try ada.discard(try #require(ada.deadLetters().first).id)
    #expect(try fleet.shown(id, at: ada) == ["a": 1])
    fleet.server.override = { _ in nil }
    fleet.server.model.edit("jobs", id.description, ["a": 2])
    try fleet.exchange(ada)
    #expect(try fleet.shown(id, at: ada) == ["a": 2])
  }
}
