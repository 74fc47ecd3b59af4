import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// What rows mean where servers differ in what they say.
struct RowMeaningTests {
  @Test(arguments: ["null", "false", "0", "0.0", "-0.0", #""""#])
  func `a row whose deletion is nothing is alive`(_ word: String) throws {
    let intake = Intake()
    try intake.exchange(changes: Intake.row("1", more: #","deleted_at":\#(word)"#))
    #expect(try intake.shown() == [["a": 1]])
  }

  @Test(arguments: [
    "true", "1", "-1", "1700000000000", #""2026-01-01T00:00:00Z""#, #""no""#, "[]", "{}", "0.5",
  ])
  func `a row whose deletion is anything else is deleted`(_ word: String) throws {
    let intake = Intake()
    try intake.exchange(changes: Intake.row("1"))
    try intake.exchange(changes: Intake.row("1", version: "2", more: #","deleted_at":\#(word)"#))
    #expect(try intake.shown() == [])
  }

  /// A page of the application.
  struct Page: Record, Equatable {
    static let collection: Collection = "jobs"
    var id: RecordID
    var title = ""
    var visits = Counter()
    var tags = AddWinsSet<String>()
  }

  @Test func `what a server says of a counter or a set stays with it`() throws {
    let intake = Intake()
    let id = intake.replica.newID()
    var page = Page(id: id, title: "a", visits: Counter(3))
    page.tags.insert("x")
    try intake.replica.insert(page)
    try intake.exchange { #"{"op_id":"\#($0)","outcome":"applied","version":1}"# }
    try intake.exchange(
      changes: Intake.row(id.description, version: "2", #"{"title":"b","visits":40,"tags":["y"]}"#))
    let shown = try #require(try intake.replica.get(Page.self, id))
    #expect(shown.title == "b")
    #expect(shown.visits.value == 3)
    #expect(shown.tags.sorted() == ["x"])
    // Nor does it come back with the record when its deletion was refused.
    try intake.replica.delete(Page.self, id)
    try intake.exchange { #"{"op_id":"\#($0)","outcome":"rejected","reason":"no"}"# }
    try intake.outbox.discard(try #require(try intake.outbox.deadLetters().first?.id))
    #expect(try intake.replica.get(Page.self, id) == shown)
    // A plain value beneath the tallies beneath the tallies, and is not sent either.
    try intake.replica.set(["visits": 10, "title": "c"], id: id, in: "jobs")
    try intake.exchange { #"{"op_id":"\#($0)","outcome":"applied","version":3}"# }
    #expect(intake.server.pushes.last?.last?["payload"] == ["title": "c"])
    #expect(try intake.replica.get(Page.self, id)?.visits.value == 10)
    #expect(try intake.outbox.status().isSynced)
    try intake.requireSound()
  }

  @Test func `names in any order are what names in order are`() throws {
    let count = 10_000
    let names = (0..<count).map { #""n\#(1_000_000 - $0)":1"# }.joined(separator: ",")
    let intake = Intake()
    let rows = [
      Intake.row("1", #"{"a":{\#(names)}}"#), Intake.row("1", entity: "visits", "{\(names)}"),
      Intake.row(
        "2", "{" + (0..<4_000).map { #""n\#(1_000_000 - $0)":\#($0)"# }.joined(separator: ",") + "}"),
    ]
    #expect(try intake.exchange(changes: rows.joined(separator: ",")).pull.quarantined == 0)
    #expect(try intake.replica.log("visits").first?.entry.values.entries.count == count)
    #expect(try intake.shown().map(\.count).sorted() == [1, 4_000])
    // What did not change is no news, whatever its place.
    let trace = try intake.replica.digest()
    try intake.exchange(changes: rows[2])
    #expect(try intake.replica.digest() == trace)
  }
}
