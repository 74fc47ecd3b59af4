import RejoinTesting
import Foundation
import Rejoin
import RejoinSQLite
import Synchronization
import TestSupport
import Testing

/// A file of an older version is brought up to the present one whole, or stays as it was.
struct MigrationTests {
  private let id = RecordID.numbered(1)

  /// A file of the present version with a record, a deleted one, a log entry and a label.
  private func withFile(_ body: (Stores) throws -> Void) throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.declare(["email"], in: "accounts")
      try replica.write("label") { transaction in
        try transaction.insert(["email": "kept"], id: id, in: "accounts")
        try transaction.insert(["email": "deleted"], id: .numbered(2), in: "accounts")
        _ = try transaction.append(["text": "t"], to: "activity")
      }
      try replica.delete(.numbered(2), in: "accounts")
      replica.suspend()
      try body(stores)
    }
  }

  private func version(_ stores: Stores, in name: String = "one") throws -> Int64? {
    try stores.sql("PRAGMA user_version", in: name).first?.first.flatMap { Int64($0) }
  }

  /// What a library of the present version says of a file of the next.
  private func newerVersion(_ stores: Stores, _ name: String = "one") -> StoreError {
    .newerVersion(
      path: stores.path(name), found: Int(Schema.next.version), supported: Int(Schema.current.version))
  }

  // MARK: Steps

  @Test func `a new file takes every step`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica(schema: .next)
      #expect(try version(stores) == Schema.next.version)
      #expect(try stores.sql("SELECT count(*) FROM rejoin_note") == [["0"]])
      try replica.write("label") { _ = try $0.append(["text": "t"], to: "activity") }
      #expect(try replica.inspect().findings.isEmpty)
    }
  }

  @Test func `an older file is brought up to the next version, once, and keeps what it holds`() throws {
    try withFile { stores in
      let before = try stores.replica().trace()
      let count = Mutex(0)
      let schema = Schema.current.adding(Schema.nextStep { _ in count.withLock { $0 += 1 } })
      for _ in 0..<3 {
        let replica = try stores.replica(schema: schema)
        #expect(try replica.trace() == before)
        #expect(try replica.inspect().findings.isEmpty)
      }
      #expect(count.withLock { $0 } == 1)
      #expect(try version(stores) == Schema.next.version)
      #expect(try stores.sql("SELECT label, author FROM rejoin_label") == [["label", "before the column"]])
      #expect(
        try stores.sql("SELECT record, text FROM rejoin_note") == [["\(RecordID.numbered(2))", "deleted"]])
      try stores.replica(schema: schema).set(["email": "new"], id: id, in: "accounts")
      #expect(try stores.sql("SELECT email FROM accounts") == [["new"]])
    }
  }

  @Test func `several steps are taken in order, in one transaction`() throws {
    try withFile { stores in
      let numbers = Mutex<[Int]>([])
      var schema = Schema.next
      for number in 2...5 {
        schema = schema.adding(
          Schema.Step(to: Schema.shape) { connection in
            let version = try connection.lines("PRAGMA user_version")
            #expect(connection.isInTransaction && version == ["\(Schema.current.version)"])
            numbers.withLock { $0.append(number) }
          })
      }
      try { _ = try stores.replica(schema: schema) }()
      #expect(numbers.withLock { $0 } == [2, 3, 4, 5])
      #expect(try version(stores) == schema.version)
    }
  }

  @Test func `a file from before there were references takes them up`() throws {
    try withFile { stores in
      let before = try stores.replica().trace()
      for table in ["reference", "child", "indexed_field", "index", "local"] {
        try stores.sql("DROP TABLE rejoin_\(table)")
      }
      try stores.sql("PRAGMA user_version = 1")
      let replica = try stores.replica()
      #expect(try replica.trace() == before)
      try replica.insertBoard()
      try replica.delete(Board.self, .numbered(1))
      #expect(try replica.visibleNumbers().isEmpty)
      #expect(try replica.inspect().findings.isEmpty)
    }
  }

  @Test func `a file from before there were indexes takes them up`() throws {
    try withFile { stores in
      let before = try stores.replica().trace()
      for table in ["indexed_field", "index", "local"] { try stores.sql("DROP TABLE rejoin_\(table)") }
      try stores.sql("PRAGMA user_version = 2")
      let replica = try stores.replica()
      #expect(try replica.trace() == before)
      try replica.declare([Index("email")], in: "accounts")
      #expect(try replica.records(in: "accounts", where: .equals("email", "kept")).map(\.id) == [id])
      #expect(
        try stores.sql("SELECT count(*) FROM rejoin_index") == [["1"]], "the deleted record has no entry")
      #expect(try replica.inspect().findings.isEmpty)
    }
  }

  @Test func `a file from before a device kept things for itself takes that up`() throws {
    try withFile { stores in
      let before = try stores.replica().trace()
      try stores.sql("DROP TABLE rejoin_local")
      try stores.sql("PRAGMA user_version = 3")
      let replica = try stores.replica()
      #expect(try replica.trace() == before)
      try replica.exchange(with: "main") { try $0.keep("kept", under: LocalKey("main/state", [1])) }
      let again = try stores.replica()
      #expect(try again.peek(at: "main") { try $0.kept(LocalKey("main/state", [1])) } == "kept")
      #expect(try again.inspect().findings.isEmpty)
    }
  }

  // MARK: Failures

  @Test(arguments: FailingStep.allCases)
  func `a step that fails leaves the file as it was`(_ failing: FailingStep) throws {
    try withFile { stores in
      let before = try stores.replica().trace()
      let bytes = try Data(contentsOf: URL(filePath: stores.path("one")))
      let error = anyFailure { _ = try stores.replica(schema: Schema.next.adding(failing.step)) }
      #expect(failing.isExpected(error), "\(String(describing: error))")
      #expect(try Data(contentsOf: URL(filePath: stores.path("one"))) == bytes)
      let replica = try stores.replica()
      #expect(try replica.trace() == before)
      #expect(try replica.inspect().findings.isEmpty)
      replica.suspend()
      #expect(try stores.replica(schema: .next).trace().hasSameContent(as: before))
    }
  }

  @Test func `a damaged file is told as such before any step is taken`() throws {
    try withFile { stores in
      try stores.sql("DROP TABLE rejoin_hidden")
      let expected = StoreError.damaged(path: stores.path("one"), what: "its table rejoin_hidden")
      #expect(throws: expected) { try stores.replica(schema: .next) }
      #expect(try version(stores) == Schema.current.version)
    }
  }

  // MARK: Newer versions

  @Test func `a file that a newer version has migrated is refused and left as it is`() throws {
    try withFile { stores in
      try { _ = try stores.replica(schema: .next) }()
      let bytes = try Data(contentsOf: URL(filePath: stores.path("one")))
      let expected = newerVersion(stores)
      #expect(throws: expected) { try stores.replica() }
      #expect(try Data(contentsOf: URL(filePath: stores.path("one"))) == bytes)
    }
  }

  @Test func `an older version that is still running does not touch the file any more`() throws {
    try withFile { stores in
      let old = try stores.replica()
      let new = try stores.replica(schema: .next)
      let expected = newerVersion(stores)
      let before = try new.trace()
      #expect(throws: expected) { try old.set(["email": "old"], id: id, in: "accounts") }
      #expect(throws: expected) { try old.fields(of: id, in: "accounts") }
      #expect(throws: expected) { try old.declare(["nickname"], in: "accounts") }
      #expect(throws: expected) { try old.merge(new.delta()) }
      #expect(try new.trace() == before)
      old.suspend()
      #expect(throws: expected) { try old.resume() }
    }
  }

  // MARK: Races

  @Test(arguments: [true, false])
  func `of several that open a file at once, one takes the steps`(_ isNew: Bool) async throws {
    for _ in 0..<5 {
      try await withStores(.sqlite) { stores in
        if !isNew { try stores.replica().insert(Account(id: id, email: "kept")) }
        let count = Mutex(0)
        let schema = Schema.current.adding(
          Schema.nextStep { _ in
            count.withLock { $0 += 1 }
            // Time for the others to find the file old, too.
            Thread.sleep(forTimeInterval: 0.02)
          })
        let digests = try await withThrowingTaskGroup(of: Digest.self) { group in
          for _ in 0..<4 { group.addTask { try stores.replica(schema: schema).digest() } }
          return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(digests.count == 1)
        #expect(count.withLock { $0 } == 1)
        #expect(try stores.replica(schema: schema).inspect().findings.isEmpty)
      }
    }
  }

  // MARK: Backups

  @Test func `a backup of an older version becomes a replica of the present one`() throws {
    try withFile { stores in
      let original = try stores.replica()
      try original.backup(to: stores.path("backup"))
      let bytes = try Data(contentsOf: URL(filePath: stores.path("backup")))
      let restored = try Replica(
        restoring: stores.path("backup"), at: stores.path("restored"), configuration: stores.configuration(),
        durability: .normal, files: .system, schema: .next)
      #expect(restored.id != original.id)
      #expect(try restored.digest() == original.digest())
      #expect(try restored.inspect().findings.isEmpty)
      #expect(try version(stores, in: "restored") == Schema.next.version)
      #expect(try Data(contentsOf: URL(filePath: stores.path("backup"))) == bytes)
    }
  }

  @Test func `a backup of a newer version is refused, and nothing is made of it`() throws {
    try withFile { stores in
      try stores.replica(schema: .next).backup(to: stores.path("backup"))
      let expected = newerVersion(stores, "backup")
      #expect(throws: expected) {
        try Replica(restoring: stores.path("backup"), at: stores.path("restored"))
      }
      #expect(!FileManager.default.fileExists(atPath: stores.path("restored")))
    }
  }
}

/// A last step that goes wrong after others have changed the file.
enum FailingStep: String, CaseIterable, Sendable {
  /// Its SQL is refused.
  case sql
  /// It throws an error of its own.
  case throwing
  /// It does not lead to the tables that it should.
  case shape

  var step: Schema.Step {
    switch self {
    case .sql:
      Schema.Step(to: Schema.shape) { try $0.execute("DELETE FROM accounts; INSERT INTO nowhere VALUES(1)") }
    case .throwing:
      Schema.Step(to: Schema.shape) { connection in
        try connection.execute("DELETE FROM accounts")
        throw InjectedFailure()
      }
    case .shape: Schema.Step(to: [("rejoin_missing", "a")]) { try $0.execute("DELETE FROM accounts") }
    }
  }

  func isExpected(_ error: (any Error)?) -> Bool {
    switch self {
    case .sql: (error as? SQLiteError)?.kind == .other
    case .throwing: error is InjectedFailure
    case .shape: if case .damaged? = error as? StoreError { true } else { false }
    }
  }
}
