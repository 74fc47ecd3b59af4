import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// What happens when somebody edits the file behind the library's back: never a trap.
///
/// A column that was edited reads as edited where its type allows, and `inspect` finds it by the seal; what cannot
/// be read is a typed error that names the record.
struct EditedFileTests {
  private let id = RecordID.numbered(1)

  private struct Sample: Record, Equatable {
    static let collection: Collection = "samples"
    var id: RecordID
    var text = "text"
    var number = 7
    var flag = true
    var moment = UnixTime(milliseconds: 9)
    var parent: RecordID = .numbered(3)
  }

  /// Runs SQL on the file of one sample, and gives the replica back.
  private func withEdited(_ statements: [String], _ body: (Stores, Replica) throws -> Void) throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(Sample(id: id))
      for statement in statements { try stores.sql(statement) }
      try body(stores, replica)
    }
  }

  @Test(
    arguments: [
      ("text", "'edited'", Value.string("edited")), ("text", "5", .int(5)), ("text", "NULL", .null),
      ("text", "x'00ff'", .data([0, 255])), ("text", "1.5", .double(1.5)), ("number", "8", .int(8)),
      ("number", "'8'", .string("8")), ("moment", "10", .time(10)),
    ] as [(String, String, Value)])
  func `an edited column reads as edited and is found`(
    _ column: String, _ literal: String, _ value: Value
  ) throws {
    try withEdited(["UPDATE samples SET \(column) = \(literal)"]) { stores, replica in
      #expect(try replica.fields(of: id, in: "samples")?[FieldName(column)] == value)
      #expect(try replica.inspect().findings == [.editedRecord(RecordKey("samples", id))])
      try replica.set([FieldName(column): "written again"], id: id, in: "samples")
      #expect(try replica.fields(of: id, in: "samples")?[FieldName(column)] == "written again")
      #expect(try replica.inspect().findings.isEmpty)
    }
  }

  @Test func `a copy that was edited is not what readers see`() throws {
    try withEdited(["UPDATE samples SET flag = 0"]) { _, replica in
      let sample = try replica.get(Sample.self, id)
      #expect(sample == Sample(id: id))
    }
  }

  @Test(arguments: [
    "UPDATE samples SET moment = 'noon'", "UPDATE samples SET moment = NULL",
    "UPDATE samples SET parent = 'nobody'",
    "UPDATE samples SET parent = 5", "UPDATE samples SET rejoin_state = x''",
    "UPDATE samples SET rejoin_state = x'00112233'", "UPDATE samples SET rejoin_state = 'text'",
    "UPDATE samples SET rejoin_state = zeroblob(100)",
    "UPDATE samples SET rejoin_state = substr(rejoin_state, 1, length(rejoin_state) - 9)",
    "UPDATE samples SET text = CAST(x'ff' AS TEXT)",
  ])
  func `a row that cannot be read is a typed error`(_ statement: String) throws {
    try withEdited([statement]) { stores, replica in
      try replica.insert(Account(id: id, email: "ada@example.com"))
      expectUnreadable(stores) { _ = try replica.fields(of: id, in: "samples") }
      #expect(try replica.all(Sample.self).unreadable.map(\.id) == [id])
      expectUnreadable(stores) { _ = try replica.digest() }
      expectUnreadable(stores) { _ = try replica.delta() }
      expectUnreadable(stores) { try replica.delete(id, in: "samples") }
      #expect(try !replica.inspect().findings.isEmpty)
      #expect(try replica.get(Account.self, id)?.email == "ada@example.com", "other collections are unharmed")
      try replica.update(Account.self, id) { $0.nickname = "Work" }
    }
  }

  private func expectUnreadable(_ stores: Stores, _ body: () throws -> Void) {
    do {
      try body()
      Issue.record("nothing was thrown")
    } catch let error as StoreError {
      guard case .unreadable(stores.path("one"), let key, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(key.contains("samples"))
    } catch let error as SQLiteError {
      #expect(error.kind == .corrupt)
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test func `a row that was deleted or added is found`() throws {
    try withEdited(["DELETE FROM samples"]) { _, replica in
      let sample = try replica.get(Sample.self, id)
      #expect(sample == nil)
      #expect(try replica.delta().recordCount == 0)
      #expect(try replica.inspect().findings == [.strayIndex(count: 1)])
    }
    let copy =
      "INSERT INTO samples SELECT '\(RecordID.numbered(2))', rejoin_state, text, number, flag, moment, "
    try withEdited([copy + "parent FROM samples"]) { _, replica in
      let samples = try replica.all(Sample.self)
      #expect(samples.count == 2)
      #expect(try replica.inspect().findings == [.unindexedRecord(RecordKey("samples", .numbered(2)))])
    }
    try withEdited(["UPDATE samples SET id = 'nobody'"]) { stores, replica in
      #expect(try replica.all(Sample.self).unreadable.map(\.id) == [nil])
      let findings = try replica.inspect().findings
      #expect(!findings.isEmpty)
    }
  }

  @Test(arguments: [
    "UPDATE rejoin_log SET entry = 'x'", "UPDATE rejoin_log SET entry = '[1]'",
    "UPDATE rejoin_log SET id = 'x'",
    "UPDATE rejoin_change SET id = x'00'", "UPDATE rejoin_change SET space = 99",
    "UPDATE rejoin_hidden SET rejoin_state = x''", "UPDATE rejoin_replica SET replica = 'x'",
    "DELETE FROM rejoin_replica", "DROP TABLE rejoin_change", "DROP TABLE samples",
    "DELETE FROM rejoin_space",
    "UPDATE rejoin_vector SET time = \(Int64.max)", "DELETE FROM rejoin_vector",
  ])
  func `the library's own tables may be edited too, and nothing traps`(_ statement: String) throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(Sample(id: id))
      try replica.insert(Sample(id: .numbered(2)))
      try replica.delete(Sample.self, .numbered(2))
      try replica.append(["a": 1], to: "activity")
      try stores.sql(statement)
      for candidate in [replica, try? stores.replica()].compactMap(\.self) {
        _ = try? candidate.delta()
        _ = try? candidate.log("activity")
        _ = try? candidate.digest()
        _ = try? candidate.records(in: "samples", includingDeleted: true)
        _ = try? candidate.inspect()
        try? candidate.update(Sample.self, id) { $0.number += 1 }
        try? candidate.restore(Sample.self, .numbered(2))
        _ = try? candidate.append(["a": 2], to: "activity")
        _ = candidate.version
      }
    }
  }
}
