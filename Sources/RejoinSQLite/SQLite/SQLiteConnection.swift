import CSQLite
import RejoinCore

/// A connection to one database file, with a cache of its statements.
///
/// One thread at a time: neither it nor its statements are `Sendable`, so its owner keeps it inside a `Mutex`.
/// The file is closed when the connection and all statements taken from it are released.
package final class SQLiteConnection {
  /// What a connection may do with its file.
  package enum Access: Hashable, Sendable {
    /// Read a file that is there.
    case read
    /// Read and write a file that is there.
    case write
    /// Read and write a file, and make it if it is not there.
    case create
  }

  /// What lies under SQLite.
  let files: FileSystem

  private let handle: SQLiteHandle
  private var statements: [StatementKey: SQLiteStatement] = [:]

  /// How long to wait for a lock that somebody else holds before giving up as busy; at first not at all.
  package var busyTimeoutMilliseconds = 0 {
    didSet { handle.setBusyTimeout(milliseconds: busyTimeoutMilliseconds) }
  }

  /// Opens the file at `path`, and makes it where it does not exist and may be made.
  ///
  /// SQLite looks at the contents only when they are first read, so that a file which is not a database is
  /// noticed by the first statement. The connection is defensive: SQL cannot damage the file on purpose.
  package init(path: String, access: Access = .create, files: FileSystem = .system) throws(SQLiteError) {
    self.files = files
    handle = try SQLiteHandle(path: path, access: access, vfs: files.vfs)
  }

  /// The path as it was given.
  package var path: String { handle.path }

  /// The file's full name, past links, as SQLite has found it.
  var fileName: String { handle.fileName }

  /// Whether the file was moved or deleted since it was opened.
  var hasMoved: Bool { handle.hasMoved }

  /// How many rows the last finished insert, update or delete has changed.
  package var changes: Int { handle.changes }

  /// Whether a transaction is open; after some errors SQLite rolls back by itself, so ask rather than assume.
  package var isInTransaction: Bool { handle.isInTransaction }

  /// Whether the file cannot be written: so opened, or so protected by the file system.
  package var isReadOnly: Bool { handle.isReadOnly }

  /// The steps that SQLite's virtual machine has taken for statements that have ended or were reset.
  ///
  /// A measure of cost that is the same on every machine; a statement in the midst of its rows is not yet in it.
  package var virtualMachineSteps: Int { handle.virtualMachineSteps }

  /// Runs one or more statements to their end and drops their rows; those before a failing one stay done.
  package func execute(_ sql: String) throws(SQLiteError) {
    let bytes = Array(sql.utf8)
    var position = 0
    while position < bytes.count {
      try handle.compile(bytes, from: &position, persistent: false)?.run()
    }
  }

  /// Compiles one statement that is meant to be used many times.
  package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    let bytes = Array(sql.utf8)
    var position = 0
    guard let statement = try handle.compile(bytes, from: &position, persistent: true) else {
      throw misuse("no statement in the SQL")
    }
    while position < bytes.count {
      guard try handle.compile(bytes, from: &position, persistent: false) == nil else {
        throw misuse("more than one statement in the SQL")
      }
    }
    return statement
  }

  /// Takes the statement for `sql` from the cache, reset and without bindings, or compiles it.
  ///
  /// The cache never shrinks, so values belong into bindings and not into the SQL. Everyone who asks for the
  /// same text shares one statement: asking again resets it, even in the midst of its rows.
  package func cached(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    let key = StatementKey(sql: sql)
    if let statement = statements[key] {
      statement.reset()
      return statement
    }
    let statement = try prepare(sql)
    statements[key] = statement
    return statement
  }

  private func misuse(_ message: String) -> SQLiteError {
    SQLiteError(code: SQLITE_MISUSE, message: message, path: path, operation: "prepare")
  }
}

/// SQL told apart by its bytes: as strings, two spellings of "é" in a name are equal, but to SQLite they differ.
private struct StatementKey: Hashable {
  let sql: String

  static func == (left: StatementKey, right: StatementKey) -> Bool {
    left.sql.hasSameBytes(as: right.sql)
  }

  func hash(into hasher: inout Hasher) {
    sql.hashBytes(into: &hasher)
  }
}
