import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// One thing in one row that no JSON reader of this library takes does not hold back what stands beside it.
struct UnreadableRowTests {
  /// Values that are JSON by its grammar, and that cannot be read.
  static let unreadable = [
    #""\ud800""#, #"{"b":1,"b":2}"#, "18446744073709551616", "1e999", Intake.nested(200),
    Intake.nested(5_000),
  ]

  @Test(arguments: unreadable)
  func `a row with something that cannot be read is kept as text, and the others are taken in`(_ odd: String)
    throws
  {
    let intake = Intake()
    let row = Intake.row("2", #"{"a":\#(odd)}"#)
    let report = try intake.exchange(changes: "\(Intake.row("1")), \(row),\(Intake.row("3"))")
    #expect(report.pull.stopped == nil)
    #expect(report.pull.quarantined == 1)
    #expect(try intake.outbox.quarantined() == [.string(row)])
    #expect(try intake.shown() == [["a": 1], ["a": 1]])
    #expect(try intake.cursor == "c")
    // A later row of its id takes its place.
    try intake.exchange(changes: Intake.row("2", version: "2", #"{"a":2}"#), cursor: "d")
    #expect(try intake.outbox.quarantined().isEmpty)
    #expect(try intake.shown().count == 3)
    try intake.requireSound()
  }

  @Test func `bytes that are no text are kept as near as text comes to them`() throws {
    let intake = Intake()
    intake.server.override = { _ in
      let row =
        Array(#"{"changes":[{"entity":"jobs","id":"1","fields":{"a":"caf"#.utf8) + [0xe9]
        + Array(#""}}"#.utf8)
      let rest = ",\(Intake.row("2"))],\"cursor\":\"c\",\"has_more\":false}"
      return HTTPResponse(status: 200, body: row + Array(rest.utf8))
    }
    #expect(try intake.server.run(intake.outbox).pull.quarantined == 1)
    #expect(
      try intake.outbox.quarantined() == [
        .string(#"{"entity":"jobs","id":"1","fields":{"a":"caf\#u{fffd}"}}"#)
      ])
    #expect(try intake.shown() == [["a": 1]])
  }

  @Test(arguments: unreadable)
  func `an answer whose row cannot be read is taken in without the row`(_ odd: String) throws {
    let intake = Intake()
    let ids = (0..<2).map { _ in intake.replica.newID() }
    for id in ids { try intake.replica.insert(["a": 1], id: id, in: "jobs") }
    let report = try intake.exchange {
      #"{"op_id":"\#($0)","outcome":"applied","version":1,"server":{"a":\#(odd)}}"#
    }
    #expect(report.push.stopped == nil)
    #expect(report.push.applied.count == 2)
    #expect(try intake.outbox.status().isSynced)
    // A single entry, answered by itself.
    try intake.replica.set(["a": 2], id: ids[0], in: "jobs")
    intake.server.override = { request in
      guard request.method == "POST",
        case .array(let entries)? = try? JSON(parsing: request.body)["mutations"],
        case .string(let id)? = entries.first?["op_id"]
      else { return nil }
      let body = #"{"op_id":"\#(id)","server":\#(odd),"outcome":"applied","version":2}"#
      return HTTPResponse(status: 200, body: Array(body.utf8))
    }
    #expect(try intake.server.run(intake.outbox).push.applied.count == 1)
  }

  @Test(arguments: unreadable)
  func `of an entry whose answer cannot be read nothing was said`(_ odd: String) throws {
    let intake = Intake(OutboxConfiguration(attemptLimit: 3))
    for _ in 0..<2 { try intake.replica.insert(["a": 1], id: intake.replica.newID(), in: "jobs") }
    var bad: String?
    let answer = { (key: String) in
      bad = bad ?? key
      return
        #"{"op_id":"\#(key)","outcome":"applied","version":1\#(key == bad ? #","reason":\#(odd)"# : "")}"#
    }
    let first = try intake.exchange(results: answer)
    #expect(first.push.stopped == nil)
    #expect(first.push.applied.count == 1)
    #expect(first.push.putOff == 1)
    for _ in 0..<2 { try intake.exchange(results: answer) }
    #expect(try intake.outbox.deadLetters().map(\.reason) == ["no answer"], "each attempt was charged")
  }

  @Test(arguments: [
    #"{"changes":[{"entity":"jobs","id":"1","fields":{"a":"\ud800"}}],"cursor":"c","has_more":false"#,
    #"{"changes":[{"entity":"jobs","id":"1","fields":{"a":1e999}],"cursor":"c","has_more":false}"#,
    #"{"changes":["\ud800"],"changes":[],"cursor":"c","has_more":false}"#,
    #"{"changes":"\ud800","cursor":"c","has_more":false}"#,
    #"{"changes":[],"cursor":"\ud800","has_more":false}"#,
    #"{"changes":[1e999],"cursor":"c"}"#, #"["\ud800"]"#,
  ])
  func `a page that lacks more than a row is still nobody's`(_ body: String) throws {
    let intake = Intake()
    intake.server.override = { _ in HTTPResponse(status: 200, body: Array(body.utf8)) }
    #expect(try intake.server.run(intake.outbox).pull.stopped == .foreignAnswer(status: 200))
    #expect(try intake.outbox.quarantined().isEmpty)
  }

  @Test func `rows that say nothing of themselves do not take each other's place`() throws {
    let intake = Intake()
    let rows = [
      "7", "null", #""text""#, "{}", #"{"id":"a"}"#, #"{"entity":"jobs"}"#, #"{"entity":"","id":"\u0000"}"#,
      #"{"entity":"\u0000","id":""}"#, #"{"entity":"jobs","id":"x","what":1}"#,
      #"{"entity":"jobs\u0000","id":"x"}"#, #"{"entity":"jobs","id":"\u0000x"}"#, "{\"a\":1e999}",
      #"{"entity":"jobs","entity":"jobs","id":"x"}"#,
    ]
    #expect(try intake.exchange(changes: rows.joined(separator: ",")).pull.quarantined == rows.count)
    #expect(try intake.outbox.quarantined().count == rows.count)
    try intake.exchange(changes: rows.joined(separator: ","), cursor: "d")
    #expect(try intake.outbox.quarantined().count == rows.count, "the same rows once more are the same")
  }

  @Test func `names and ids with zeros are not those of others`() throws {
    let intake = Intake()
    // By their texts alone, one is the collection `a` and the id `\0b`, the other `a\0` and `b`.
    let rows = [
      Intake.row("\u{0}b", entity: "a", #"{"n":1}"#), Intake.row("b", entity: "a\u{0}", #"{"n":2}"#),
    ]
    for (number, row) in rows.enumerated() {
      let local = intake.replica.newID()
      try intake.exchange(
        changes: row.replacing(#""version""#, with: #""local_id":"\#(local)","version""#), cursor: "\(number)"
      )
    }
    #expect(try intake.shown("a") == [["n": 1]])
    #expect(try intake.shown("a\u{0}") == [["n": 2]])
    try intake.exchange(
      changes: [
        Intake.row("\u{0}b", entity: "a", version: "2", #"{"n":3}"#),
        Intake.row("b", entity: "a\u{0}", version: "2", #"{"n":4}"#),
      ].joined(separator: ","), cursor: "z")
    #expect(try intake.shown("a") == [["n": 3]])
    #expect(try intake.shown("a\u{0}") == [["n": 4]])
    try intake.outbox.resetCache(of: "a")
    let other = try #require(try intake.replica.records(in: "a\u{0}").first?.id)
    #expect(
      try intake.outbox.standing(of: other, in: "a\u{0}").version == 2, "of another nothing is forgotten")
    try intake.requireSound()
  }

  @Test func `of a very long row the beginning is kept, and reading again never fails`() throws {
    let intake = Intake()
    let long = String(repeating: "x", count: 2 << 20)
    let rows = [
      Intake.row("1", version: "-1", #"{"a":"\#(long)"}"#),
      // As a row it is as deep as a text may be, and deeper once it is kept.
      Intake.row("2", version: "-1", #"{"a":\#(Intake.nested(156))}"#),
      Intake.row("3", version: "-1", #"{"a":\#(Intake.nested(158))}"#),
    ]
    // The last is one too deep for the page, so that each row is read by itself.
    let report = try intake.exchange(changes: "\(rows.joined(separator: ",")),\(Intake.nested(159))")
    #expect(report.pull.quarantined == 4)
    let kept = try intake.outbox.quarantined()
    #expect(kept.count == 4)
    #expect(
      kept.contains(
        .string(
          rows[2].replacing(#""version""#, with: #""local_id":null,"version""#)
            .replacing(#""fields""#, with: #""updated_at":null,"deleted_at":null,"fields""#))))
    #expect(kept.allSatisfy { $0.text().utf8.count < 2 * Limits.quarantinedRowBytes })
    try intake.replica.exchange(with: "main") { transaction in
      try transaction.keep("no JSON", under: LocalKey("main/quarantine", [1, 2, 3]))
    }
    for version in [2, 3] {
      var configuration = intake.outbox.configuration
      configuration.schemaVersion = version
      _ = try intake.server.run(Outbox(intake.replica, configuration: configuration))
      #expect(try intake.outbox.quarantined().count == 5)
    }
    try intake.requireSound()
  }
}
