import RejoinSQLite
import Synchronization
import Testing

/// Two connections to one file, and no lock that stays behind.
@Suite struct SQLiteLockTests {
  @Test func `A second writer is told at once that the file is busy`() throws {
    try withDatabaseFolder { folder in
      let first = try folder.connection(executing: "CREATE TABLE kept (a); BEGIN IMMEDIATE")
      let second = try folder.connection()
      let clock = ContinuousClock()
      let duration = clock.measure {
        let error = failure { () throws(SQLiteError) in try second.execute("INSERT INTO kept VALUES (1)") }
        #expect(error?.kind == .busy)
      }
      #expect(duration < .seconds(2))
      #expect(first.isInTransaction)
      #expect(!second.isInTransaction)
      try first.execute("COMMIT")
      #expect(!first.isInTransaction)
      try second.execute("INSERT INTO kept VALUES (1)")
    }
  }

  @Test func `A second writer waits as long as it was told to`() throws {
    try withDatabaseFolder { folder in
      let first = try folder.connection(executing: "CREATE TABLE kept (a); BEGIN IMMEDIATE")
      let second = try folder.connection()
      second.busyTimeoutMilliseconds = 100
      let duration = ContinuousClock().measure {
        let error = failure { () throws(SQLiteError) in try second.execute("INSERT INTO kept VALUES (1)") }
        #expect(error?.kind == .busy)
      }
      #expect(duration > .milliseconds(50))
      try first.execute("ROLLBACK")
    }
  }

  @Test func `An error in the midst of the rows leaves no lock`() throws {
    try withDatabaseFolder { folder in
      let reader = try folder.connection(
        executing: "CREATE TABLE kept (a); INSERT INTO kept VALUES (1), (-9223372036854775808)")
      let writer = try folder.connection()
      let statement = try reader.cached("SELECT abs(a) FROM kept")
      #expect(try statement.step())
      #expect(
        failure { () throws(SQLiteError) in try writer.execute("DELETE FROM kept") }?.kind == .busy,
        "a row that can be read holds a lock")
      let error = failure { () throws(SQLiteError) in _ = try statement.step() }
      #expect(error?.message == "integer overflow")
      try writer.execute("DELETE FROM kept")
      #expect(try !statement.step(), "the statement starts again")
    }
  }

  @Test func `Taking a statement from the cache ends its rows and clears its bindings`() throws {
    try withDatabaseFolder { folder in
      let reader = try folder.connection(executing: "CREATE TABLE kept (a); INSERT INTO kept VALUES (1)")
      let writer = try folder.connection()
      let sql = "SELECT a, ? FROM kept"
      let statement = try reader.cached(sql)
      try statement.bind("x", at: 1)
      #expect(try statement.step())
      #expect(try statement.text(at: 1) == "x")
      let same = try reader.cached(sql)
      #expect(same === statement)
      try writer.execute("INSERT INTO kept VALUES (2)")
      #expect(try same.step())
      #expect(same.isNull(at: 1))
    }
  }

  @Test func `The cache tells two spellings of a name apart`() throws {
    try withDatabaseFolder { folder in
      let connection = try folder.connection(
        executing: "CREATE TABLE kept (\"\u{e9}\", \"e\u{301}\"); INSERT INTO kept VALUES (1, 2)")
      #expect(try connection.number("SELECT \"\u{e9}\" FROM kept") == 1)
      #expect(try connection.number("SELECT \"e\u{301}\" FROM kept") == 2)
    }
  }

  @Test func `A statement outlives the connection it came from`() throws {
    try withDatabaseFolder { folder in
      var connection: SQLiteConnection? = try folder.connection(executing: "CREATE TABLE kept (a)")
      let statement = try #require(try connection?.cached("INSERT INTO kept VALUES (?) RETURNING a"))
      connection = nil
      try statement.bind(3, at: 1)
      #expect(try statement.step())
      #expect(statement.int64(at: 0) == 3)
      #expect(try !statement.step())
    }
  }

  @Test func `A connection lives inside a mutex`() throws {
    try withDatabaseFolder { folder in
      let owner = Mutex(try SQLiteConnection(path: folder.path()))
      let number = try owner.withLock { connection throws(SQLiteError) in
        try connection.number("SELECT 42")
      }
      #expect(number == 42)
    }
  }
}
