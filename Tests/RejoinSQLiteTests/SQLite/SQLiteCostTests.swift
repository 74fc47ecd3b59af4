import RejoinSQLite
import Testing

/// The steps of SQLite's virtual machine measure cost, the same on every machine.
@Suite struct SQLiteCostTests {
  /// A table of a thousand rows, of which one column has an index.
  private let schema = """
    CREATE TABLE kept (a, b);
    CREATE INDEX byA ON kept (a);
    -- A comment, and an empty statement: ;
    ;
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
      INSERT INTO kept SELECT n, n FROM numbers;
    """

  private func steps(_ connection: SQLiteConnection, _ work: () throws -> Void) rethrows -> Int {
    let before = connection.virtualMachineSteps
    try work()
    return connection.virtualMachineSteps - before
  }

  @Test func `Looking at every row costs more than using the index`() throws {
    try withDatabaseFolder { folder in
      let connection = try folder.connection(executing: schema)
      let withIndex = try steps(connection) { _ = try connection.number("SELECT b FROM kept WHERE a = 500") }
      let without = try steps(connection) { _ = try connection.number("SELECT a FROM kept WHERE b = 500") }
      #expect(withIndex > 0)
      #expect(withIndex < 50)
      #expect(without > 1000)
    }
  }

  @Test func `The same work costs the same however it is run`() throws {
    try withDatabaseFolder { folder in
      let connection = try folder.connection(executing: schema)
      let sql = "SELECT a FROM kept WHERE b > 0"
      let executed = try steps(connection) { try connection.execute(sql) }
      let prepared = try steps(connection) { try connection.prepare(sql).run() }
      let cached = try steps(connection) { try connection.cached(sql).run() }
      let again = try steps(connection) { try connection.cached(sql).run() }
      #expect(executed > 1000)
      #expect([prepared, cached, again] == [executed, executed, executed])
    }
  }

  @Test func `Rows left unread cost nothing and those read are counted at the reset`() throws {
    try withDatabaseFolder { folder in
      let connection = try folder.connection(executing: schema)
      let statement = try connection.cached("SELECT a FROM kept")
      let cost = try steps(connection) {
        try #require(try statement.step())
        statement.reset()
      }
      #expect((1..<50).contains(cost))
    }
  }
}
