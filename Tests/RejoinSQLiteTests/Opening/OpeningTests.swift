import Foundation
import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// What cannot serve as a replica is refused by a typed error, and its bytes are left as they are.
struct OpeningTests {
  /// Tries to open a file, and holds its bytes against what was before.
  private func expectRefusal(
    _ stores: Stores, _ name: String = "one", _ isExpected: (any Error) -> Bool
  ) throws {
    let url = URL(filePath: stores.path(name))
    let before = try? Data(contentsOf: url)
    do {
      _ = try stores.replica(name)
      Issue.record("the file was opened")
    } catch {
      #expect(isExpected(error), "\(error)")
    }
    #expect((try? Data(contentsOf: url)) == before)
  }

  @Test(arguments: [
    "CREATE TABLE notes(text)", "PRAGMA user_version = 1", "PRAGMA application_id = 7",
    "PRAGMA application_id = 1382707054; CREATE TABLE notes(text)",
  ])
  func `a database of another application is refused`(_ content: String) throws {
    try withStores(.sqlite) { stores in
      for statement in content.split(separator: ";") { try stores.sql(String(statement)) }
      try expectRefusal(stores) { error in
        if case .foreignFile(stores.path("one"))? = error as? StoreError { return true }
        if case .damaged(stores.path("one"), _)? = error as? StoreError { return true }
        return false
      }
    }
  }

  @Test func `a file of a newer version is refused`() throws {
    try withStores(.sqlite) { stores in
      try { _ = try stores.replica() }()
      try stores.sql("PRAGMA user_version = 99")
      try expectRefusal(stores) { error in
        guard case .newerVersion(stores.path("one"), found: 99, _)? = error as? StoreError else {
          return false
        }
        return true
      }
      try stores.sql("PRAGMA user_version = \(Schema.current.version)")
      #expect(try stores.replica().version.isEmpty)
    }
  }

  @Test(arguments: ["text", String(repeating: "A long text, no database. ", count: 1_000)])
  func `a text file is refused`(_ text: String) throws {
    try withStores(.sqlite) { stores in
      try Data(text.utf8).write(to: URL(filePath: stores.path("one")))
      try expectRefusal(stores) { ($0 as? SQLiteError)?.kind == .notADatabase }
    }
  }

  @Test func `an empty file becomes a replica`() throws {
    try withStores(.sqlite) { stores in
      try Data().write(to: URL(filePath: stores.path("one")))
      try stores.replica().append([:], to: "activity")
      #expect(try stores.replica().log("activity").count == 1)
    }
  }

  @Test func `a folder, a path into a missing folder and no path are refused`() throws {
    try withStores(.sqlite) { stores in
      try FileManager.default.createDirectory(
        at: URL(filePath: stores.path("folder")), withIntermediateDirectories: false)
      try expectRefusal(stores, "folder") { ($0 as? SQLiteError)?.kind == .cantOpen }
      try expectRefusal(stores, "missing/one") { ($0 as? SQLiteError)?.kind == .cantOpen }
      #expect(throws: SQLiteError.self) { try Replica(at: "") }
      #expect(throws: SQLiteError.self) { try Replica(at: "\0") }
    }
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may write to every file"))
  func `a file that may not be written to is refused or readable, and stays as it is`() throws {
    try withStores(.sqlite) { stores in
      try { _ = try stores.replica().append(["a": 1], to: "activity") }()
      let path = stores.path("one")
      try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
      let before = try Data(contentsOf: URL(filePath: path))
      do {
        try stores.replica().append(["a": 2], to: "activity")
        Issue.record("a file that may not be written to was written to")
      } catch let error as SQLiteError {
        #expect([.readOnly, .cantOpen].contains(error.kind), "\(error)")
      }
      #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }
  }
}
