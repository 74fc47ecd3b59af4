import Foundation
import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// A replica never goes on over a file that is not, or no longer, its own.
struct ReplacedFileTests {
  private let id = RecordID.numbered(1)

  /// What may lie at the path when a suspended replica comes back.
  enum Change: CaseIterable {
    case deleted, emptied, anothers, foreign, setBack

    /// Makes it so; the path of an older copy of the file is `old`.
    func make(_ stores: Stores, old: String) throws {
      let path = stores.path("one")
      for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
      switch self {
      case .deleted: break
      case .emptied: try Data().write(to: URL(filePath: path))
      case .anothers: try stores.replica().insert(Account(id: .numbered(9), email: "another's"))
      case .foreign: try stores.sql("CREATE TABLE notes(text)")
      case .setBack: try FileManager.default.copyItem(atPath: old, toPath: path)
      }
    }
  }

  /// What is in the files of a path.
  private func contents(_ path: String) -> [Data?] {
    ["", "-wal"].map { try? Data(contentsOf: URL(filePath: path + $0)) }
  }

  @Test(arguments: Change.allCases)
  func `a file that is no longer the replica's is not resumed, and nothing is written`(_ change: Change)
    throws
  {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "first"))
      replica.suspend()
      try FileManager.default.copyItem(atPath: stores.path("one"), toPath: stores.path("old"))
      try replica.resume()
      try replica.update(Account.self, id) { $0.email = "second" }
      replica.suspend()
      try FileManager.default.moveItem(atPath: stores.path("one"), toPath: stores.path("kept"))

      try change.make(stores, old: stores.path("old"))
      let before = contents(stores.path("one"))
      let path = stores.path("one")
      let expected = change == .foreign ? StoreError.foreignFile(path: path) : .notThisReplica(path: path)
      #expect(throws: expected) { try replica.resume() }
      #expect(contents(path) == before)
      #expect(throws: StoreError.suspended(path: path)) { try replica.get(Account.self, id) }

      try? FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: stores.path("kept"), toPath: path)
      try replica.resume()
      #expect(try replica.get(Account.self, id)?.email == "second")
    }
  }

  @Test(arguments: [
    "DELETE FROM rejoin_replica", "UPDATE rejoin_replica SET replica = '0000000000000007'",
    "UPDATE rejoin_replica SET commits = commits - 1",
  ])
  func `a header that vanished or changed while the file is open is refused`(_ statement: String) throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.declare(["a"], in: "things")
      let before = replica.id
      try stores.sql("DELETE FROM rejoin_space")
      try stores.sql("DELETE FROM rejoin_column")
      try stores.sql(statement)
      let expected = ReplicaError.storeReplaced(replica: before)
      #expect(throws: expected) { try replica.refresh() }
      #expect(throws: expected) { try replica.append(["a": 1], to: "activity") }
      #expect(throws: expected) { try replica.digest() }
      #expect(replica.id == before)
      #expect(try stores.sql("SELECT * FROM rejoin_log").isEmpty)
    }
  }

  @Test(arguments: ["moved", "deleted", "replaced", "without its log"])
  func `nothing is committed to a file that no longer has its name`(_ fate: String) throws {
    try withStores(.sqlite) { stores in
      let (path, away) = (stores.path("one"), stores.path("away"))
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "kept"))
      let version = replica.version
      for ending in fate == "without its log" ? [""] : ["", "-wal", "-shm"] {
        try FileManager.default.moveItem(atPath: path + ending, toPath: away + ending)
      }
      if fate == "deleted" {
        for ending in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: away + ending) }
      }
      if fate == "replaced" { try stores.replica().append(["a": 1], to: "activity") }
      let expected = StoreError.notThisReplica(path: path)
      #expect(throws: expected) { try replica.update(Account.self, id) { $0.email = "lost" } }
      #expect(throws: expected) { try replica.append(["a": 1], to: "activity") }
      #expect(throws: expected) { try replica.merge(Replica().delta()) }
      #expect(throws: expected) { try replica.declare(["a"], in: "things") }
      #expect(replica.version == version)
      guard fate == "moved" else { return }

      for ending in ["", "-wal", "-shm"] {
        try FileManager.default.moveItem(atPath: away + ending, toPath: path + ending)
      }
      try replica.update(Account.self, id) { $0.email = "back" }
      let reopened = try stores.replica()
      #expect(try reopened.get(Account.self, id)?.email == "back")
    }
  }

  @Test(arguments: [
    "rejoin_vector", "rejoin_space", "rejoin_log", "rejoin_change", "rejoin_label", "accounts",
  ])
  func `no new identity is given to a file that holds anything`(_ table: String) throws {
    try withStores(.sqlite) { stores in
      try {
        _ = try stores.replica().write("label") {
          try $0.insert(["email": "a"], id: id, in: "accounts")
          _ = try $0.append(["a": 1], to: "activity")
        }
      }()
      try stores.sql("DELETE FROM rejoin_replica")
      for other in ["vector", "space", "log", "change", "label"].map({ "rejoin_\($0)" }) + ["accounts"]
      where other != table {
        try stores.sql("DELETE FROM \(other)")
      }
      let expected = StoreError.damaged(path: stores.path("one"), what: "its identity")
      #expect(throws: expected) { try stores.replica() }
      #expect(try stores.sql("SELECT * FROM rejoin_replica").isEmpty)
      try stores.sql("DELETE FROM \(table)")
      let new = try stores.replica()
      #expect(new.version.isEmpty)
    }
  }
}
