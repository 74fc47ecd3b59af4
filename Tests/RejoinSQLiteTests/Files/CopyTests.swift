import CSQLite
import Foundation
import Rejoin
import RejoinSQLite
import Synchronization
import TestSupport
import Testing

/// A copy of a file gets its name when it is finished, and never takes anything else's.
struct CopyTests {
  /// A backup and a replica from it, both made on a file system that is watched or fails.
  private func withCopies(_ body: (Copies) throws -> Void) throws {
    try withStores(.sqlite) { stores in try body(Copies(stores: stores)) }
  }

  @Test func `a copy is on the disk before it gets its name, and the name before anybody is told`() throws {
    try withCopies { copies in
      for (name, copy) in copies.both {
        let path = copies.path(name)
        let log = CallLog()
        try copy(log.files)
        let changes = log.calls.filter { if case .lookUp = $0 { false } else { true } }
        #expect(
          changes == [
            .remove("\(path).rejoin-partial"), .remove("\(path).rejoin-partial-journal"),
            .remove("\(path).rejoin-partial-wal"),
            .sync("\(path).rejoin-partial"), .rename("\(path).rejoin-partial", to: path),
            .syncFolder(of: path),
          ])
      }
    }
  }

  @Test func `a restored replica has its own id before its name`() throws {
    try withCopies { copies in
      try copies.backUp(.system)
      let seen = Mutex<[String]>([])
      let partial = copies.path("restored") + ".rejoin-partial"
      try copies.restore(
        FileSystem(vfs: nil) { call in
          if case .rename = call {
            let ids = try? SQLiteConnection(path: partial).lines("SELECT replica FROM rejoin_replica")
            seen.withLock { $0 = ids ?? [] }
          }
          return FileSystem.system.make(call)
        })
      let restored = try copies.stores.replica("restored")
      #expect(restored.id != copies.original.id)
      #expect(seen.withLock { $0 } == [restored.id.description])
    }
  }

  @Test func `a name that cannot be made durable is taken back, told, and free for the next try`() throws {
    try withCopies { copies in
      for (name, copy) in copies.both {
        let error = #expect(throws: SQLiteError.self) {
          try copy(
            CopyTests.failing(SQLITE_IOERR) { if case .syncFolder = $0 { true } else { false } })
        }
        #expect(error?.kind == .io && error?.operation == "sync folder")
        #expect(copies.files(of: name).isEmpty)
        try copy(.system)
        #expect(copies.files(of: name) == [name])
      }
    }
  }

  @Test func `where the name cannot even be taken back, the whole copy stays`() throws {
    try withCopies { copies in
      for (name, copy) in copies.both {
        let path = copies.path(name)
        #expect(throws: SQLiteError.self) {
          try copy(
            CopyTests.failing(SQLITE_IOERR) { [.syncFolder(of: path), .remove(path)].contains($0) })
        }
        #expect(copies.files(of: name) == [name])
        let next = #expect(throws: SQLiteError.self) { try copy(.system) }
        #expect(next?.kind == .cantOpen)
      }
      let restored = try copies.stores.replica("restored")
      #expect(restored.id != copies.original.id)
      #expect(try restored.digest() == copies.original.digest())
    }
  }

  @Test func `a file that appears while the copy is made keeps its name`() throws {
    try withCopies { copies in
      for (name, copy) in copies.both {
        let url = URL(filePath: copies.path(name))
        let error = #expect(throws: SQLiteError.self) {
          try copy(
            FileSystem(vfs: nil) { call in
              if case .rename = call { try? Data("another's".utf8).write(to: url) }
              return FileSystem.system.make(call)
            })
        }
        #expect(error?.kind == .cantOpen)
        #expect(try Data(contentsOf: url) == Data("another's".utf8))
        #expect(copies.files(of: name) == [name])
        try FileManager.default.removeItem(at: url)
        try copy(.system)
      }
    }
  }

  @Test(arguments: ["-wal", "-journal"])
  func `the log of a file that is gone is not taken for the copy's`(_ ending: String) throws {
    try withCopies { copies in
      for (name, copy) in copies.both {
        let log = URL(filePath: copies.path(name) + ending)
        try Data("left".utf8).write(to: log)
        let error = #expect(throws: SQLiteError.self) { try copy(.system) }
        #expect(error?.kind == .cantOpen && error?.path == log.path(percentEncoded: false))
        #expect(copies.files(of: name) == [name + ending])
        try FileManager.default.removeItem(at: log)
        try copy(.system)
      }
    }
  }

  @Test func `what an earlier try left behind is removed`() throws {
    try withCopies { copies in
      for (name, copy) in copies.both {
        for ending in ["", "-journal", "-wal"] {
          try Data("left".utf8).write(to: URL(filePath: copies.path(name) + ".rejoin-partial" + ending))
        }
        try copy(.system)
        #expect(copies.files(of: name) == [name])
      }
    }
  }

  /// The system's files, but for some calls.
  private static func failing(
    _ code: Int32, _ isStruck: @escaping @Sendable (FileSystem.Call) -> Bool
  ) -> FileSystem {
    FileSystem(vfs: nil) { call in isStruck(call) ? code : FileSystem.system.make(call) }
  }
}

/// A replica with a backup to be made, and another to be made from that.
private struct Copies {
  let stores: Stores
  let original: Replica

  init(stores: Stores) throws {
    self.stores = stores
    original = try stores.replica()
    try original.insert(Account(id: .numbered(1), email: "kept"))
  }

  /// The two ways to make a copy, in the order in which they must be used, with the names of what they make.
  var both: [(String, (FileSystem) throws -> Void)] { [("backup", backUp), ("restored", restore)] }

  func path(_ name: String) -> String { stores.path(name) }

  func backUp(_ files: FileSystem) throws {
    try SQLiteStore(path: path("one"), durability: .normal, files: files).backup(to: path("backup"))
  }

  func restore(_ files: FileSystem) throws {
    _ = try Replica(
      restoring: path("backup"), at: path("restored"), configuration: stores.configuration(),
      durability: .normal, files: files)
  }

  /// The files whose name begins so.
  func files(of name: String) -> [String] {
    let folder = URL(filePath: path(name)).deletingLastPathComponent().path(percentEncoded: false)
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    return (names ?? []).filter { $0.hasPrefix(name) }.sorted()
  }
}

/// The system's files, with the calls in order.
private final class CallLog: Sendable {
  private let state = Mutex<[FileSystem.Call]>([])

  var calls: [FileSystem.Call] { state.withLock { $0 } }

  var files: FileSystem {
    FileSystem(vfs: nil) { call in
      self.state.withLock { $0.append(call) }
      return FileSystem.system.make(call)
    }
  }
}
