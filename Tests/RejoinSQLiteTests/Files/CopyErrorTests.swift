import Foundation
import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// The errors of backups and restored replicas name the file that they are about, and what was being made.
struct CopyErrorTests {
  /// A replica with a backup.
  private func withBackup(_ body: (Stores, Replica) throws -> Void) throws {
    try withStores(.sqlite) { stores in
      let original = try stores.replica()
      try original.insert(Account(id: .numbered(1), email: "kept"))
      try original.backup(to: stores.path("backup"))
      try body(stores, original)
    }
  }

  private func restore(_ stores: Stores, _ backup: String = "backup", to path: String) throws {
    _ = try Replica(restoring: stores.path(backup), at: path, configuration: stores.configuration())
  }

  @Test func `a path that is taken or whose folder is missing is named, with advice that fits`() throws {
    try withBackup { stores, original in
      let taken = stores.path("taken")
      try Data("mine".utf8).write(to: URL(filePath: taken))
      for path in [taken, stores.path("nowhere") + "/copy"] {
        let ofBackup = #expect(throws: SQLiteError.self) { try original.backup(to: path) }
        let ofRestore = #expect(throws: SQLiteError.self) { try restore(stores, to: path) }
        for (error, operation) in [(ofBackup, "back up"), (ofRestore, "restore")] {
          #expect(error?.kind == .cantOpen && error?.path == path && error?.operation == operation)
          #expect(
            error?.description.contains("choose a path where nothing is yet, in a folder that exists") == true
          )
        }
        #expect(ofRestore?.description.contains("back up") == false)
      }
    }
  }

  @Test func `a full disk is told of the copy, wherever the room runs out`() throws {
    let world = try FaultWorld()
    for scenario in CopyScenario.allCases {
      let course = try CopyCourse(scenario, in: world)
      for point in course.points.of(.full) {
        let disk = course.disk.copy()
        let original = try FaultWorld.open(disk)
        disk.plan(.full, at: point, isLasting: true)
        guard let error = anyFailure(of: { try scenario.run(on: disk, original: original) }) else { continue }
        let told = error as? SQLiteError
        let isTyped = told.map { FaultyDisk.Fault.full.kinds.contains($0.kind) } ?? false
        #expect(isTyped && told?.path == disk.path(scenario.target), "\(point): \(error)")
      }
    }
  }

  @Test func `a backup that cannot be read is named itself`() throws {
    try withBackup { stores, _ in
      let root = try stores.sql("SELECT rootpage FROM sqlite_schema WHERE name = 'accounts'", in: "backup")
      let start = (try #require(Int(root[0][0])) - 1) * 4_096
      var bytes = try Data(contentsOf: URL(filePath: stores.path("backup")))
      bytes.replaceSubrange(start..<start + 4_096, with: Data(repeating: 0xa5, count: 4_096))
      try bytes.write(to: URL(filePath: stores.path("backup")))
      let error = #expect(throws: SQLiteError.self) { try restore(stores, to: stores.path("restored")) }
      #expect(error?.kind == .corrupt && error?.path == stores.path("backup"))
      let missing = #expect(throws: SQLiteError.self) {
        try restore(stores, "none", to: stores.path("restored"))
      }
      #expect(missing?.kind == .cantOpen && missing?.path == stores.path("none"))
    }
  }

  @Test func `a copy is never made in the file that it copies, nor over a file that may be somebody's`()
    throws
  {
    try withStores(.sqlite) { stores in
      let name = "one.rejoin-partial"
      let replica = try stores.replica(name)
      try replica.insert(Account(id: .numbered(1), email: "kept"))
      let error = #expect(throws: SQLiteError.self) { try replica.backup(to: stores.path("one")) }
      #expect(error?.kind == .cantOpen && error?.path == stores.path("one"))
      #expect(throws: SQLiteError.self) { try restore(stores, name, to: stores.path("one")) }
      let reopened = try stores.replica(name)
      #expect(try reopened.id == replica.id && reopened.digest() == replica.digest())

      let others = URL(filePath: stores.path("copy.partial"))
      try Data("mine".utf8).write(to: others)
      try replica.backup(to: stores.path("copy"))
      #expect(try Data(contentsOf: others) == Data("mine".utf8))
    }
  }

  @Test(arguments: ["", ":memory:", "file:copy.sqlite", "file::memory:", "file:///copy.sqlite?mode=memory"])
  func `what SQLite takes for something else than a file is refused`(_ path: String) throws {
    try withBackup { stores, original in
      let calls: [() throws -> Void] = [
        { _ = try Replica(at: path) }, { try original.backup(to: path) }, { try restore(stores, to: path) },
        { _ = try Replica(restoring: path, at: stores.path("restored")) },
      ]
      for call in calls {
        let error = #expect(throws: SQLiteError.self) { try call() }
        #expect(error?.kind == .cantOpen && error?.path == path)
        #expect(error?.message.contains("path of a file") == true)
      }
      for name in [path, path + ".rejoin-partial"] where !name.isEmpty {
        #expect(!FileManager.default.fileExists(atPath: name))
      }
    }
  }
}
