import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// The article about full fidelity shows what is said and understood.
struct FidelityArticleTests {
  private static let article = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("Sources/RejoinOutbox/RejoinOutbox.docc/FullFidelity.md")

  private static func examples() throws -> [JSON] {
    let text = try String(contentsOf: article, encoding: .utf8)
    return try text.components(separatedBy: "```json\n").dropFirst().map { rest in
      try JSON(parsing: rest.components(separatedBy: "\n```")[0])
    }
  }

  /// What two servers answer: one here, and one in another language.
  private static func answers(_ path: String, _ bodies: [JSON]) throws -> [[JSON]] {
    let dataset = try #require(DatasetID("01890a5d-ac96-774b-bcce-b302099a8057"))
    let service = DeltaService(
      Replica(
        configuration: ReplicaConfiguration(
          dataset: dataset,
          environment: SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 1).environment)))
    let server = try LineServer(fidelity: "full")
    defer { try? server.end() }
    try server.reset(["clock_fixed_ms": 1_700_000_000_000])
    return try bodies.map { body in
      var request = HTTPRequest("POST", path)
      request.body = body.bytes()
      let here = try service.answer(request)
      let there = try server.send("POST", path, body: body)
      #expect(here.status == there.status)
      return [try #require(here.json), there.body]
    }
  }

  @Test func `its page is taken as it says`() throws {
    let examples = try Self.examples()
    for answer in try Self.answers("/mutations", [examples[0]])[0] {
      for member in ["merged", "cursor"] { #expect(answer[member] == examples[1][member]) }
      let vector = try #require(answer["vector"].flatMap(VersionVector.init(json:)))
      #expect(vector == VersionVector(json: try #require(examples[1]["vector"])))
    }
  }

  @Test func `its question is answered with a page`() throws {
    for answer in try Self.answers("/sync", [Self.examples()[2]])[0] {
      #expect(answer["changes"] == [] && answer["cursor"] == .null && answer["after"] == .null)
      #expect(answer["from"] == (try Self.examples()[2]["from"]))
    }
  }

  @Test func `both servers refuse alike what is no message`() throws {
    let examples = try Self.examples()
    let page = examples[0]
    func changing(_ name: String, to value: JSON) -> JSON {
      guard case .object(let members) = page else { return page }
      return .object(members.map { JSON.Member($0.name, $0.name == name ? value : $0.value) })
    }
    let odd: [JSON] = [
      .null, [], 1, .object([]), changing("schema_version", to: 2), changing("format", to: 2),
      changing("from", to: 1), changing("through", to: .null), changing("mutations", to: 1),
      changing("mutations", to: [1]), changing("from", to: ["8c1d3a52f0e4b697": "018bcfe568000000"]),
      changing("after", to: "018bcfe568000000-8c1d3a52f0e4b697/x"),
    ]
    let statuses = try Self.answers("/mutations", odd).map { $0.map { $0["error"] ?? .null } }
    for (number, errors) in statuses.enumerated() {
      #expect(errors[0] != .null && errors[0] == errors[1], "\(number)")
    }
  }
}
