import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// A verdict counts only where it is said in the protocol's shape, whoever stands in between.
struct RefusalTests {
  private let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
  private let server = ScriptedServer()

  private func outbox(
    _ count: Int, _ configuration: OutboxConfiguration = OutboxConfiguration()
  ) throws -> Outbox {
    try Outbox.holding(count, configuration, in: environment)
  }

  /// Answers pushes that hold the value, or any, and leaves the rest to the model.
  private func refuse(_ status: Int, _ body: String, value: Int? = nil) {
    server.override = { request in
      let text = String(decoding: request.body, as: UTF8.self)
      guard request.method == "POST", value.map({ text.contains("\"a\":\($0)}") }) ?? true else { return nil }
      return HTTPResponse(status: status, body: Array(body.utf8))
    }
  }

  @Test(arguments: [400, 422], ["error", "code", "reason"])
  func `a refusal with a text is a verdict on the entry that is left alone, with that text`(
    _ status: Int, _ name: String
  ) throws {
    let outbox = try outbox(8)
    refuse(status, #"{"\#(name)":"too odd"}"#, value: 5)
    let report = try server.run(outbox)
    #expect(report.push.applied.count == 7)
    #expect(report.push.rejected.map(\.reason) == ["too odd"])
    #expect(report.push.rejected.map(\.isUndecided) == [false])
  }

  @Test(
    arguments: [400, 422], ["{}", #"{"message":"no route"}"#, #"{"code":7}"#, #"{"error":""}"#, "[]", "null"])
  func `a refusal in another shape puts the entry off, which in the end keeps its key`(
    _ status: Int, _ body: String
  ) throws {
    let outbox = try outbox(8, OutboxConfiguration(attemptLimit: 2))
    refuse(status, body, value: 5)
    let report = try server.run(outbox)
    #expect(report.push.applied.count == 7)
    #expect(report.push.putOff == 1 && report.push.rejected.isEmpty)
    #expect(report.push.stopped == nil && report.pull.rows == 7)
    environment.pass(milliseconds: 60_000)
    let letter = try #require(try server.run(outbox).push.rejected.first)
    #expect(letter.reason == "status \(status)" && letter.isUndecided)
    server.override = { _ in nil }
    try outbox.retry(letter.id)
    #expect(try server.run(outbox).push.applied == [letter.id])
  }

  @Test(arguments: [400, 422], ["", "<html>Bad request</html>", "{"])
  func `what is no JSON stops the exchange and blames nobody`(_ status: Int, _ body: String) throws {
    let outbox = try outbox(2)
    refuse(status, body)
    for _ in 0..<9 {
      #expect(try server.run(outbox).push.stopped == .foreignAnswer(status: status))
      environment.pass(milliseconds: 60_000)
    }
    #expect(server.requests == 9)
    #expect(try outbox.status() == OutboxStatus(waiting: 2))
  }

  @Test func `a gateway that refuses every push in its own shape is not asked about each entry`() throws {
    let outbox = try outbox(50)
    refuse(400, #"{"message":"no route"}"#)
    let report = try server.run(outbox)
    #expect(report.push.stopped == .foreignAnswer(status: 400))
    #expect(report.push.requests == 7)
    #expect(report.pull.pages == 1, "what it can still show is fetched")
    #expect(report.push.rejected.isEmpty)
  }

  // MARK: Too large

  @Test(arguments: [
    ("", true), ("<html>", true), (#"{"message":"large"}"#, true), (#"{"error":"large"}"#, false),
  ])
  func `a single entry that is too large is a dead letter, undecided where the protocol's shape lacks`(
    _ body: String, _ isUndecided: Bool
  ) throws {
    let outbox = try outbox(4)
    refuse(413, body, value: 2)
    let report = try server.run(outbox)
    #expect(report.push.applied.count == 3)
    #expect(report.push.rejected.map(\.reason) == [DeadLetter.tooLarge])
    #expect(try outbox.deadLetters().map(\.isUndecided) == [isUndecided])
  }

  /// Says that requests of more than so many entries are too large.
  private func limit(_ count: Int) {
    server.override = { request in
      guard request.method == "POST", let json = try? JSON(parsing: request.body),
        case .array(let entries)? = json["mutations"], entries.count > count
      else { return nil }
      return HTTPResponse(status: 413)
    }
  }

  private func insert(_ count: Int, into outbox: Outbox) throws {
    for _ in 0..<count { try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs") }
  }

  private var sizes: [Int] { server.pushes.map(\.count) }

  @Test(arguments: [3_600_000, -1] as [Int64])
  func `the size that was good is forgotten after an hour, and when the wall clock steps back`(_ step: Int64)
    throws
  {
    let outbox = try outbox(8, OutboxConfiguration(batchLimit: 8))
    limit(2)
    _ = try server.run(outbox)
    #expect(sizes == [8, 4, 2, 2, 2, 2])
    server.override = { _ in nil }
    environment.pass(milliseconds: 3_599_999)
    try insert(4, into: outbox)
    _ = try server.run(outbox)
    #expect(sizes.suffix(2) == [2, 2])
    environment.wallMilliseconds += step < 0 ? -3_600_000 : 1
    try insert(4, into: outbox)
    _ = try server.run(outbox)
    #expect(sizes.suffix(1) == [4])
  }

  @Test func `one entry that is too large says nothing about the size of batches`() throws {
    let outbox = try outbox(8)
    refuse(413, #"{"error":"large"}"#, value: 0)
    _ = try server.run(outbox)
    #expect(sizes == [8, 4, 2, 1, 7])
    server.override = { _ in nil }
    try insert(8, into: outbox)
    _ = try server.run(outbox)
    #expect(sizes.last == 8)
  }
}
