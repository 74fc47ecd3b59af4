import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// A suspended replica holds neither its file nor a lock, and takes both up again.
struct SuspendingTests {
  private let id = RecordID.numbered(1)

  @Test func `calls while suspended are refused and change nothing`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "a"))
      let before = (replica.version, replica.lastTime)
      replica.suspend()
      let suspended = StoreError.suspended(path: stores.path("one"))
      #expect(throws: suspended) { try replica.get(Account.self, id) }
      #expect(throws: suspended) { try replica.update(Account.self, id) { $0.email = "b" } }
      #expect(throws: suspended) { try replica.merge(Replica().delta()) }
      #expect(throws: suspended) { try replica.digest() }
      #expect(before == (replica.version, replica.lastTime))
      try replica.resume()
      #expect(try replica.get(Account.self, id)?.email == "a")
      try replica.update(Account.self, id) { $0.email = "b" }
      #expect(try replica.get(Account.self, id)?.email == "b")
    }
  }

  @Test func `while it is suspended another process can take the file whole`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(Account(id: id, email: "a"))
      let other = try SQLiteConnection(path: stores.path("one"))
      try other.execute("PRAGMA journal_mode = WAL")
      // An exclusive lock is there only for the last one that has the file open.
      #expect(throws: SQLiteError.self) {
        try other.execute(
          "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT; PRAGMA journal_mode = DELETE")
      }
      replica.suspend()
      try other.execute(
        "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT; PRAGMA journal_mode = DELETE")
    }
  }

  @Test func `on resuming, what others wrote meanwhile is told`() async throws {
    try await withStores(.sqlite) { stores in
      let (replica, other) = (try stores.replica(), try stores.replica())
      try replica.insert(Account(id: id, email: "a"))
      let told = try await replica.told {
        replica.suspend()
        try other.update(Account.self, id) { $0.email = "b" }
        try replica.resume()
      }
      #expect(told.map(\.cause) == [.otherProcess])
      #expect(told.flatMap(\.records).map(\.fields) == [["email"]])
    }
  }

  @Test func `suspending twice and resuming twice do no harm, also in memory`() throws {
    try withStores(.sqlite) { stores in
      for replica in [try stores.replica(), Replica()] {
        replica.suspend()
        replica.suspend()
        try replica.resume()
        try replica.resume()
        try replica.append(["text": "t"], to: "activity")
      }
    }
  }
}
