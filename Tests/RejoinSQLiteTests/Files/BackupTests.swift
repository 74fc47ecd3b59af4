import Foundation
import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// A backup is the whole replica as of one moment, and a restored one never writes under its original's id.
struct BackupTests {
  private let id = RecordID.numbered(1)

  @Test func `a restored backup holds what the original held, under another id`() throws {
    try withStores(.sqlite) { stores in
      let original = try stores.replica()
      try original.insert(Account(id: id, email: "kept", nickname: "n"))
      try original.insert(Account(id: .numbered(2), email: "deleted"))
      try original.delete(Account.self, .numbered(2))
      try original.write("labelled") { try $0.append(["text": "t"], to: "activity") }
      try original.backup(to: stores.path("backup"))
      try original.update(Account.self, id) { $0.email = "later" }

      let restored = try Replica(
        restoring: stores.path("backup"), at: stores.path("restored"), configuration: stores.configuration())
      #expect(restored.id != original.id)
      #expect(restored.dataset == original.dataset)
      #expect(try restored.get(Account.self, id)?.email == "kept")
      #expect(try restored.inspect().findings.isEmpty)
      try restored.restore(Account.self, .numbered(2))
      #expect(try restored.get(Account.self, .numbered(2))?.email == "deleted")
    }
  }

  @Test func `what the original wrote later comes back from a peer, and nothing is taken for another`() throws
  {
    try withStores(.sqlite) { stores in
      let (original, peer) = (try stores.replica(), try stores.replica("peer"))
      try original.insert(Account(id: id, email: "first"))
      try original.backup(to: stores.path("backup"))
      try original.update(Account.self, id) { $0.email = "after the backup" }
      try original.sync(with: peer)

      let restored = try Replica(
        restoring: stores.path("backup"), at: stores.path("restored"), configuration: stores.configuration())
      try restored.update(Account.self, id) { $0.nickname = "restored" }
      try restored.sync(with: peer)
      for replica in [restored, peer] {
        let account = try replica.get(Account.self, id)
        #expect(account?.email == "after the backup" && account?.nickname == "restored")
      }
      #expect(try restored.digest() == peer.digest())
      try original.sync(with: peer)
      #expect(try original.digest() == peer.digest())
    }
  }

  @Test func `a backup is one file, and none is written over another`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.append(["text": "t"], to: "activity")
      try replica.backup(to: stores.path("backup"))
      for ending in ["-wal", "-shm", ".rejoin-partial"] {
        #expect(!FileManager.default.fileExists(atPath: stores.path("backup") + ending))
      }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: stores.path("backup")))
      let error = #expect(throws: SQLiteError.self) { try replica.backup(to: stores.path("backup")) }
      #expect(error?.kind == .cantOpen)
      #expect(try Data(contentsOf: URL(fileURLWithPath: stores.path("backup"))) == bytes)
      #expect(throws: SQLiteError.self) {
        try Replica(restoring: stores.path("backup"), at: stores.path("one"))
      }
    }
  }

  @Test func `a backup to a folder that is not there leaves nothing`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      #expect(throws: SQLiteError.self) { try replica.backup(to: stores.path("nowhere") + "/backup") }
      try replica.append(["text": "t"], to: "activity")
      #expect(try replica.inspect().findings.isEmpty)
    }
  }

  @Test func `nothing but a replica can be restored`() throws {
    try withStores(.sqlite) { stores in
      #expect(throws: SQLiteError.self) {
        try Replica(restoring: stores.path("nowhere"), at: stores.path("restored"))
      }
      try SQLiteConnection(path: stores.path("foreign")).execute("CREATE TABLE things(a)")
      #expect(throws: StoreError.foreignFile(path: stores.path("foreign"))) {
        try Replica(restoring: stores.path("foreign"), at: stores.path("restored"))
      }
      try Data().write(to: URL(fileURLWithPath: stores.path("empty")))
      #expect(throws: StoreError.self) {
        try Replica(restoring: stores.path("empty"), at: stores.path("restored"))
      }
      #expect(!FileManager.default.fileExists(atPath: stores.path("restored")))
    }
  }

  @Test func `a replica in memory says that it has no file`() {
    #expect(throws: StoreError.notAFile) { try Replica().backup(to: "backup") }
  }
}
