import RejoinSQLite
import Testing

/// What is bound comes back from the file, bit for bit.
@Suite struct SQLiteValuesTests {
  /// Stores a value in a column without affinity, closes the file, and reads the value with `read`.
  private func afterStoring<Outcome>(
    _ binding: SQLiteBinding, column: String = "value", _ read: (SQLiteStatement) throws -> Outcome
  ) throws -> Outcome? {
    var outcome: Outcome?
    try withDatabaseFolder { folder in
      try folder.connection(executing: "CREATE TABLE kept (\(column))")
        .prepare("INSERT INTO kept VALUES (?)").run(binding)
      let statement = try folder.connection(access: .read).prepare("SELECT value FROM kept")
      try #require(try statement.step())
      outcome = try read(statement)
    }
    return outcome
  }

  @Test(arguments: [0, 1, -1, .min, .max, 1 << 53 + 1])
  func `Whole numbers come back as they were`(number: Int64) throws {
    let stored = try afterStoring(.int(number)) { ($0.type(at: 0), $0.int64(at: 0)) }
    #expect(stored?.0 == .integer)
    #expect(stored?.1 == number)
  }

  @Test(arguments: [
    0.0, -0.0, 1, 0.1, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity,
    -.infinity,
  ])
  func `Doubles come back bit for bit from a column without affinity`(number: Double) throws {
    let stored = try afterStoring(.double(number)) { ($0.type(at: 0), $0.double(at: 0).bitPattern) }
    #expect(stored?.0 == .real)
    #expect(stored?.1 == number.bitPattern)
  }

  @Test func `A column of reals forgets the sign of zero`() throws {
    let stored = try afterStoring(.double(-0.0), column: "value REAL") { $0.double(at: 0).bitPattern }
    #expect(stored == (0.0).bitPattern)
  }

  @Test func `A double that is not a number becomes NULL`() throws {
    #expect(try afterStoring(.double(.nan)) { $0.type(at: 0) } == .null)
  }

  @Test(arguments: ["", "a", "a\0b", "\0", "\u{e9}", "e\u{301}", "👩‍👩‍👧", "\u{feff}x", "\u{fffd}", "1"])
  func `Texts come back byte for byte and without normalisation`(text: String) throws {
    let stored = try afterStoring(.text(text)) { ($0.type(at: 0), try $0.text(at: 0)) }
    #expect(stored?.0 == .text)
    #expect(stored.map { Array($0.1.utf8) } == Array(text.utf8))
  }

  @Test(arguments: [[], [0], [0, 0xff, 0], [UInt8](repeating: 0xa5, count: 1 << 20)] as [[UInt8]])
  func `Blobs come back byte for byte and empty ones are not NULL`(bytes: [UInt8]) throws {
    let stored = try afterStoring(.blob(bytes)) { ($0.type(at: 0), try $0.blob(at: 0)) }
    #expect(stored?.0 == .blob)
    #expect(stored?.1 == bytes)
  }

  @Test func `A text of a megabyte comes back`() throws {
    let text = String(repeating: "é", count: 1 << 19)
    #expect(try afterStoring(.text(text)) { try $0.text(at: 0) } == text)
  }

  @Test func `NULL comes back as NULL and reads as nothing`() throws {
    try withDatabaseFolder { folder in
      let statement = try folder.connection().prepare("SELECT ?, ?")
      try statement.bind(nil, at: 1)
      try statement.bind(7, at: 2)
      #expect(try statement.step())
      #expect(statement.columnCount == 2)
      #expect(statement.isNull(at: 0))
      #expect(!statement.isNull(at: 1))
      #expect(statement.int64(at: 0) == 0)
      #expect(statement.double(at: 0) == 0)
      #expect(try statement.text(at: 0).isEmpty)
      #expect(try statement.blob(at: 0).isEmpty)
      #expect(try !statement.step())
    }
  }

  @Test func `Text that is not UTF-8 is an error but its bytes can be read`() throws {
    try withDatabaseFolder { folder in
      let statement = try folder.connection().prepare("SELECT CAST(x'61ff62' AS TEXT)")
      #expect(try statement.step())
      #expect(statement.type(at: 0) == .text)
      #expect(try statement.blob(at: 0) == [0x61, 0xff, 0x62])
      #expect(failure { () throws(SQLiteError) in _ = try statement.text(at: 0) }?.kind == .corrupt)
      #expect(try statement.step(), "the error has reset the statement")
    }
  }
}
