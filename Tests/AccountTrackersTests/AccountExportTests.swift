import AccountTrackers
import Foundation
import Rejoin
import Testing

/// Exports in the documents' shape become records that replicas share.
struct AccountExportTests {
  private func json(_ file: String) throws -> JSON {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples/Data")
    return try JSON(parsing: [UInt8](Data(contentsOf: folder.appendingPathComponent(file))))
  }

  @Test func `the example data goes through a replica without a bit changed`() throws {
    var export = AccountExport()
    try export.addAccounts(from: json("accounts.json"))
    try export.addTrackers(from: json("trackers.json"))
    #expect(export.accounts.count == 300 && export.trackers.count == 3_000)
    let first = Replica()
    try first.write { transaction in
      for account in export.accounts { try transaction.insert(account) }
      for tracker in export.trackers { try transaction.insert(tracker) }
    }
    let second = Replica()
    try second.merge(Delta(decoding: first.delta().encoded()))
    let accounts = try second.all(Account.self)
    let trackers = try second.all(Tracker.self)
    #expect(accounts.undecodable.isEmpty && trackers.undecodable.isEmpty)
    #expect(Set(accounts) == Set(export.accounts) && Set(trackers) == Set(export.trackers))
    #expect(try first.digest() == second.digest())
  }

  @Test func `a tracker keeps its account as a reference under the documents' name`() throws {
    let replica = Replica()
    let id = replica.newID()
    let now = UnixTime(milliseconds: 0)
    try replica.insert(
      Account(id: RecordID(high: 3, low: 4), email: "ada@example.com", createdAt: now, updatedAt: now))
    try replica.insert(
      Tracker(id: id, account: RecordID(high: 3, low: 4), providerSlug: "groq", cooldownDays: 1))
    let fields = try #require(try replica.fields(of: id, in: Tracker.collection))
    #expect(fields["accountId"] == .record(RecordID(high: 3, low: 4)))
    #expect(fields["lastLimitHitAt"] == nil)
  }

  @Test(arguments: [
    (#"{"accounts": [{"id": "x"}]}"#, "id"),
    (#"{"accounts": [{"id": "01850f0a-b427-73a3-82eb-1e1fb016c7fe"}]}"#, "email"),
    (#"{"accounts": [{"id": "01850f0a-b427-73a3-82eb-1e1fb016c7fe", "email": 1}]}"#, "email"),
    (
      #"{"accounts": [{"id": "01850f0a-b427-73a3-82eb-1e1fb016c7fe", "email": "", "createdAt": "now"}]}"#,
      "createdAt"
    ),
  ])
  func `what does not fit is named`(text: String, field: String) throws {
    var export = AccountExport()
    #expect(throws: AccountExport.Failure.invalid(list: "accounts", index: 0, field: field)) {
      try export.addAccounts(from: JSON(parsing: text))
    }
    #expect(throws: AccountExport.Failure.missing(list: "trackers")) {
      try export.addTrackers(from: JSON(parsing: text))
    }
  }
}
