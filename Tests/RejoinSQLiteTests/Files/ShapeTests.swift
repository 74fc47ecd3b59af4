import Foundation
import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// A file is what it should be, or is refused when it is opened, and stays as it is.
struct ShapeTests {
  private let id = RecordID.numbered(1)

  /// A file with one account, damaged by SQL.
  private func damaged(by sql: String, _ body: (Stores, String) throws -> Void) throws {
    try withStores(.sqlite) { stores in
      try stores.replica().insert(Account(id: id, email: "a"))
      try SQLiteConnection(path: stores.path("one")).execute(sql)
      try body(stores, stores.path("one"))
    }
  }

  @Test(arguments: [
    "DROP TABLE rejoin_change", "DROP TABLE rejoin_vector", "ALTER TABLE rejoin_label DROP COLUMN label",
    "ALTER TABLE rejoin_replica DROP COLUMN commits", "ALTER TABLE accounts DROP COLUMN email",
    "DROP TABLE accounts",
  ])
  func `a missing table or column is found when the file is opened`(sql: String) throws {
    try damaged(by: sql) { stores, path in
      let error = #expect(throws: StoreError.self) { try stores.replica() }
      guard case .damaged(let damagedPath, let what)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(damagedPath == path && what.contains("table"))
    }
  }

  @Test func `a copy without its log is a replica with an older state`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "in the log"))
      // The replica is open, so the log is not part of the file yet.
      try FileManager.default.copyItem(atPath: stores.path("one"), toPath: stores.path("copy"))
      let copy = try stores.replica("copy")
      #expect(try copy.get(Account.self, id) == nil)
      #expect(try copy.inspect().findings.isEmpty)
      #expect(copy.dataset == replica.dataset)
    }
  }

  @Test func `a log that was left behind does not get into a new file`() throws {
    try withStores(.sqlite) { stores in
      let path = stores.path("one")
      try stores.replica().insert(Account(id: id, email: "old"))
      do {
        let old = try stores.replica()
        try old.update(Account.self, id) { $0.email = "older" }
        try FileManager.default.copyItem(atPath: path + "-wal", toPath: stores.path("kept"))
        _ = old
      }
      for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
      try FileManager.default.copyItem(atPath: stores.path("kept"), toPath: path + "-wal")
      let new = try stores.replica()
      #expect(try new.all(Account.self).isEmpty)
      try new.insert(Account(id: id, email: "new"))
      #expect(try new.inspect().findings.isEmpty)
      #expect(try stores.sql("PRAGMA integrity_check") == [["ok"]])
    }
  }
}
