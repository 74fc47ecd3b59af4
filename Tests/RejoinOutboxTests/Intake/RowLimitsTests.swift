import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// Rows beyond what a replica holds are kept as they came, in pages and in answers, and hold back nobody.
struct RowLimitsTests {
  /// A row that is beyond a limit, and what the limit is of.
  struct Excess: CustomTestStringConvertible {
    var testDescription: String
    var row: String

    init(_ description: String, _ row: String) {
      testDescription = description
      self.row = row
    }

    static let all = [
      Excess("a field name of 256 bytes", Intake.row("x", #"{"\#(text(256))":1}"#)),
      Excess("a field name of 5000 bytes", Intake.row("x", #"{"\#(text(5_000))":1}"#)),
      Excess("a field without a name", Intake.row("x", #"{"":1}"#)),
      Excess("a collection's name of 256 bytes", Intake.row("x", entity: text(256))),
      Excess("an id of 1025 bytes", Intake.row(text(1_025))),
      Excess("a local id of 1025 bytes", Intake.row("x", more: #","local_id":"\#(text(1_025))""#)),
      Excess("a value 65 deep", Intake.row("x", #"{"a":\#(Intake.nested(65))}"#)),
      Excess("a value of more than 16 MiB", Intake.row("x", #"{"a":"\#(text(16 << 20))"}"#)),
      Excess(
        "4097 fields", Intake.row("x", "{" + (0..<4_097).map { #""f\#($0)":1"# }.joined(separator: ",") + "}")
      ),
      Excess("a negative version", Intake.row("x", version: "-1")),
      Excess("the largest version", Intake.row("x", version: "9223372036854775807")),
      Excess("a log entry 65 deep", Intake.row("x", entity: "visits", #"{"a":\#(Intake.nested(64))}"#)),
      Excess(
        "a log entry of more than 16 MiB", Intake.row("x", entity: "visits", #"{"a":"\#(text(16 << 20))"}"#)),
      Excess(
        "a deletion with a long name", Intake.row("x", #"{"\#(text(256))":1}"#, more: #","deleted_at":1"#)),
    ]

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }
  }

  @Test(arguments: Excess.all)
  func `a row beyond a limit is kept as it came, and the cursor moves on`(_ excess: Excess) throws {
    let intake = Intake()
    let report = try intake.exchange(
      changes: [Intake.row("1"), excess.row, Intake.row("2")].joined(separator: ","))
    #expect(report.pull.stopped == nil)
    #expect(report.pull.quarantined == 1)
    #expect(try intake.outbox.quarantined().count == 1)
    #expect(try intake.shown() == [["a": 1], ["a": 1]])
    #expect(try intake.replica.log("visits").isEmpty)
    #expect(try intake.cursor == "c")
    try intake.requireSound()
  }

  @Test(arguments: StoreKind.allCases)
  func `either store goes on beside rows beyond its limits`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let intake = Intake(on: try stores.replica("one"))
      let rows = Excess.all.filter { $0.row.utf8.count < 1 << 20 }.map(\.row)
      let more = (0..<Limits.collectionsByServers).map { Intake.row("1", entity: "e\($0)", "{}") }
      let changes = (rows + more + [Intake.row("1")]).joined(separator: ",")
      // The last of them are too many, and so is `jobs`, which is not there yet.
      #expect(try intake.exchange(changes: changes).pull.quarantined >= rows.count + 1)
      let id = intake.replica.newID()
      try intake.replica.insert(["a": 1], id: id, in: "jobs")
      try intake.exchange(changes: Intake.row("1"), cursor: "d") {
        #"{"op_id":"\#($0)","outcome":"applied","version":1,"server":\#(rows[0])}"#
      }
      #expect(try intake.shown() == [["a": 1], ["a": 1]])
      #expect(try intake.outbox.state(of: id, in: "jobs") == .synced)
      let delta = try Delta(decoding: intake.replica.delta().encoded())
      let peer = try stores.replica("two")
      try peer.merge(delta)
      #expect(try peer.digest() == intake.replica.digest())
    }
  }

  /// All but those that take their time.
  ///
  /// A row of another collection or with another local id is no answer at all.
  @Test(
    arguments: Excess.all.filter {
      $0.row.contains(#""entity":"jobs""#) && !$0.row.contains("local_id") && $0.row.utf8.count < 1 << 20
    },
    ["applied", "conflict"])
  func `an answer whose row is beyond a limit is taken in without it`(_ excess: Excess, _ outcome: String)
    throws
  {
    let intake = Intake()
    let (bad, good) = (intake.replica.newID(), intake.replica.newID())
    for id in [bad, good] { try intake.replica.insert(["a": 1], id: id, in: "jobs") }
    var isFirst = true
    let report = try intake.exchange { key in
      defer { isFirst = false }
      guard isFirst else { return #"{"op_id":"\#(key)","outcome":"applied","version":1}"# }
      return #"{"op_id":"\#(key)","outcome":"\#(outcome)","version":1,"server":\#(excess.row)}"#
    }
    #expect(report.push.stopped == nil)
    #expect(report.push.quarantined == 1)
    #expect(try intake.outbox.quarantined().count == 1)
    #expect(try intake.outbox.state(of: good, in: "jobs") == .synced)
    if outcome == "applied" {
      #expect(report.push.applied.count == 2)
      #expect(try intake.outbox.state(of: bad, in: "jobs") == .synced)
    } else {
      #expect(report.push.conflicts.map(\.row) == [nil])
      #expect(try intake.outbox.waiting().count == 1)
    }
    #expect(try intake.shown() == [["a": 1], ["a": 1]])
    try intake.requireSound()
  }

  @Test func `what is just within the limits is taken in, and others decode it`() throws {
    let intake = Intake()
    let name = String(repeating: "n", count: 255)
    let many = "{" + (0..<4_096).map { #""f\#($0)":1"# }.joined(separator: ",") + "}"
    let rows = [
      Intake.row("1", #"{"\#(name)":\#(Intake.nested(64))}"#), Intake.row("2", entity: name),
      Intake.row(String(repeating: "i", count: 1_024)), Intake.row("3", many),
      Intake.row("4", version: "4611686018427387903"),
      Intake.row("5", entity: "visits", #"{"a":\#(Intake.nested(63)),"":1}"#),
    ]
    let report = try intake.exchange(changes: rows.joined(separator: ","))
    #expect(report.pull.quarantined == 0)
    #expect(try intake.shown().map(\.count).sorted() == [1, 1, 1, 4_096])
    #expect(try intake.shown(Collection(name)).count == 1)
    #expect(try intake.replica.log("visits").count == 1)
    try intake.requireSound()
  }

  @Test func `rows that together would make a record too large are kept as they came`() throws {
    let intake = Intake()
    func fields(_ numbers: Range<Int>) -> String {
      "{" + numbers.map { #""f\#($0)":\#($0)"# }.joined(separator: ",") + "}"
    }
    try intake.exchange(changes: Intake.row("1", fields(0..<3_000)))
    #expect(
      try intake.exchange(changes: Intake.row("1", version: "2", fields(2_500..<4_200))).pull.quarantined == 1
    )
    #expect(try intake.shown().map(\.count) == [3_000])
    let changed = try intake.exchange(changes: Intake.row("1", version: "3", #"{"f0":7}"#))
    #expect(changed.pull.quarantined == 0)
    #expect(try intake.shown().first?["f0"] == 7)
    try intake.requireSound()
  }

  @Test func `a server begins no more collections than there is room for`() throws {
    let intake = Intake()
    let rows = (0..<Limits.collectionsByServers + 10).map { Intake.row("1", entity: "e\($0)") }
    let report = try intake.exchange(changes: rows.joined(separator: ","))
    #expect(report.pull.quarantined == 10)
    #expect(try intake.replica.collections().count == Limits.collectionsByServers)
    let again = try intake.exchange(
      changes: [rows[0], rows[Limits.collectionsByServers]].joined(separator: ","))
    #expect(again.pull.quarantined == 1, "what is there goes on")
    #expect(
      try intake.exchange(changes: Intake.row("1", entity: "visits")).pull.quarantined == 1,
      "a log is one more")
    try intake.requireSound()
  }

  @Test func `what came for a deleted record is within what can be taken in when it comes back`() throws {
    let intake = Intake()
    let id = intake.replica.newID()
    try intake.replica.insert(["a": 1], id: id, in: "jobs")
    try intake.exchange { #"{"op_id":"\#($0)","outcome":"applied","version":1}"# }
    try intake.replica.delete(id, in: "jobs")
    for part in 0..<3 {
      let fields = "{" + (0..<1_500).map { #""f\#(part * 1_500 + $0)":1"# }.joined(separator: ",") + "}"
      let deep = Intake.row(id.description, version: "\(part + 2)", #"{"a":\#(Intake.nested(70))}"#)
      let row = Intake.row(id.description, version: "\(part + 2)", fields)
      try intake.exchange(changes: "\(deep),\(row)") { #"{"op_id":"\#($0)","outcome":"conflict"}"# }
    }
    #expect(try intake.outbox.quarantined().count == 1)
    try intake.replica.restore(id, in: "jobs")
    try intake.exchange { #"{"op_id":"\#($0)","outcome":"applied","version":7}"# }
    let shown = try intake.replica.fields(of: id, in: "jobs")?.count
    #expect(shown == 3_001)
    try intake.requireSound()
  }

  @Test func `no id that is none and no version that is none is learnt from an answer`() throws {
    for odd in [#""id":"""#, #""id":"\#(String(repeating: "i", count: 1_025))""#] {
      let intake = Intake()
      let id = intake.replica.newID()
      try intake.replica.insert(["a": 1], id: id, in: "jobs")
      try intake.exchange { #"{"op_id":"\#($0)","outcome":"applied","version":9223372036854775807,\#(odd)}"# }
      let standing = try intake.outbox.standing(of: id, in: "jobs")
      #expect(standing.serverID == id.description)
      #expect(standing.version == 1)
      try intake.exchange(changes: Intake.row(id.description, version: "2", #"{"a":5}"#))
      #expect(try intake.shown() == [["a": 5]], "no later row is hidden")
    }
  }

  @Test func `a long reason is cut where it is kept`() throws {
    let intake = Intake()
    try intake.replica.insert(["a": 1], id: intake.replica.newID(), in: "jobs")
    let reason = "x" + String(repeating: "é", count: 100_000)
    try intake.exchange { #"{"op_id":"\#($0)","outcome":"rejected","reason":"\#(reason)"}"# }
    let kept = try #require(try intake.outbox.deadLetters().first?.reason)
    #expect(kept.utf8.count == Limits.reasonBytes - 1)
    #expect(reason.hasPrefix(kept))
  }
}
