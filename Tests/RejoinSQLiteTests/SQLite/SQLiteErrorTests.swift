import Foundation
import RejoinSQLite
import Testing

/// Every failure says what it is, and leaves nothing locked.
@Suite struct SQLiteErrorTests {
  @Test func `Opening a folder is refused`() throws {
    try withDatabaseFolder { folder in
      let path = folder.url.path(percentEncoded: false)
      let error = failure { () throws(SQLiteError) in _ = try SQLiteConnection(path: path) }
      #expect(error?.kind == .cantOpen)
      #expect(error?.operation == "open")
      #expect(error?.path == path)
      #expect(error?.description.contains(path) == true)
    }
  }

  @Test(arguments: ["", "a\0b"])
  func `A path that SQLite would misunderstand is refused`(path: String) {
    let error = failure { () throws(SQLiteError) in _ = try SQLiteConnection(path: path) }
    #expect(error?.kind == .cantOpen)
  }

  @Test func `Opening to read does not make a file`() throws {
    try withDatabaseFolder { folder in
      let error = failure { () throws(SQLiteError) in _ = try folder.connection(access: .read) }
      #expect(error?.kind == .cantOpen)
      #expect(!FileManager.default.fileExists(atPath: folder.path()))
    }
  }

  @Test func `A text file is noticed at the first read and left as it was`() throws {
    try withDatabaseFolder { folder in
      let text = String(repeating: "Dear diary, ", count: 200)
      try text.write(to: folder.url.appending(path: "test.sqlite"), atomically: true, encoding: .utf8)
      let connection = try folder.connection()
      let error = failure { () throws(SQLiteError) in _ = try connection.number("PRAGMA user_version") }
      #expect(error?.kind == .notADatabase)
      #expect(try String(contentsOfFile: folder.path(), encoding: .utf8) == text)
    }
  }

  @Test func `Damaged pages are noticed`() throws {
    try withDatabaseFolder { folder in
      try folder.connection(executing: "CREATE TABLE kept (a); INSERT INTO kept VALUES (zeroblob(100000))")
      var bytes = try Data(contentsOf: folder.url.appending(path: "test.sqlite"))
      bytes.replaceSubrange(4096..., with: Data(repeating: 0x5a, count: bytes.count - 4096))
      try bytes.write(to: folder.url.appending(path: "test.sqlite"))
      let connection = try folder.connection()
      let error = failure { () throws(SQLiteError) in _ = try connection.number("SELECT count(a) FROM kept") }
      #expect(error?.kind == .corrupt)
    }
  }

  @Test func `Writing to what was opened to read is refused`() throws {
    try withDatabaseFolder { folder in
      let writer = try folder.connection(executing: "CREATE TABLE kept (a)")
      let reader = try folder.connection(access: .read)
      #expect(reader.isReadOnly)
      #expect(!writer.isReadOnly)
      let error = failure { () throws(SQLiteError) in try reader.execute("INSERT INTO kept VALUES (1)") }
      #expect(error?.kind == .readOnly)
    }
  }

  @Test func `A full file is told from other failures and keeps what it had`() throws {
    try withDatabaseFolder { folder in
      let connection = try folder.connection(executing: "CREATE TABLE kept (a); PRAGMA max_page_count = 4")
      let insert = try connection.cached("INSERT INTO kept VALUES (?)")
      let tooMuch = SQLiteBinding.blob([UInt8](repeating: 1, count: 100_000))
      #expect(failure { () throws(SQLiteError) in try insert.run(tooMuch) }?.kind == .full)
      #expect(!connection.isInTransaction)
      try insert.run(.blob([1]))
      #expect(try connection.number("SELECT count(*) FROM kept") == 1)
    }
  }

  @Test func `A broken rule is told with its extended code and without the values`() throws {
    try withDatabaseFolder { folder in
      let connection = try folder.connection(executing: "CREATE TABLE kept (name TEXT UNIQUE)")
      let insert = try connection.cached("INSERT INTO kept VALUES (?)")
      try insert.run(.text("the secret"))
      let error = failure { () throws(SQLiteError) in try insert.run(.text("the secret")) }
      #expect(error?.kind == .constraint)
      #expect(error?.code == 2067, "SQLITE_CONSTRAINT_UNIQUE")
      #expect(error?.operation == "step")
      #expect(error?.message == "UNIQUE constraint failed: kept.name")
      #expect(error?.description.contains("secret") == false)
      try insert.run(.text("another"))
      #expect(connection.changes == 1)
    }
  }

  @Test func `SQL that makes no sense is refused when it is prepared`() throws {
    try withDatabaseFolder { folder in
      let connection = try folder.connection()
      for sql in ["SELEC 1", "", " -- nothing", "SELECT 1; SELECT 2", "SELECT 1\0", "\0"] {
        let error = failure { () throws(SQLiteError) in _ = try connection.prepare(sql) }
        #expect(error?.kind == .other, "\(sql)")
        #expect(error?.operation == "prepare", "\(sql)")
      }
      #expect(failure { () throws(SQLiteError) in try connection.execute("SELECT 1;\0") }?.kind == .other)
    }
  }

  @Test func `SQL cannot damage the file on purpose`() throws {
    try withDatabaseFolder { folder in
      let connection = try folder.connection(executing: "CREATE TABLE kept (a); PRAGMA writable_schema = ON")
      let sql = "UPDATE sqlite_schema SET sql = 'nonsense'"
      #expect(failure { () throws(SQLiteError) in try connection.execute(sql) }?.kind == .other)
    }
  }

  @Test func `A parameter that does not exist cannot be bound`() throws {
    try withDatabaseFolder { folder in
      let statement = try folder.connection().prepare("SELECT ?")
      let error = failure { () throws(SQLiteError) in try statement.bind("x", at: 2) }
      #expect(error?.operation == "bind")
      #expect(error?.message == "column index out of range")
    }
  }

  @Test func `Binding in the midst of the rows is refused and resets`() throws {
    try withDatabaseFolder { folder in
      let statement = try folder.connection().prepare("SELECT ?")
      #expect(try statement.step())
      #expect(failure { () throws(SQLiteError) in try statement.bind(1, at: 1) }?.kind == .other)
      try statement.bind(1, at: 1)
      #expect(try statement.step())
      #expect(statement.int64(at: 0) == 1)
    }
  }

  @Test func `A lack of memory says so`() {
    let error = SQLiteError(code: 7, message: "out of memory", path: "a.sqlite", operation: "step")
    #expect(error.kind == .other)
    #expect(
      error.description
        == "Memory ran out while using the database \"a.sqlite\" (step: out of memory, SQLite code 7); "
        + "free some memory and try again.")
  }
}
