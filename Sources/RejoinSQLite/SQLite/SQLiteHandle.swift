import CSQLite

/// Owns SQLite's connection pointer; lives as long as the connection or any of its statements.
///
/// Invariant: the pointer is valid until `deinit`, since every statement keeps its handle alive and finalizes
/// itself before it lets go. That is why ``SQLiteConnection`` and ``SQLiteStatement`` may be released in any
/// order. One thread at a time: SQLite is opened without its own lock.
@safe
final class SQLiteHandle {
  /// The path as it was given.
  let path: String

  /// The steps of SQLite's virtual machine that the statements have reported so far.
  var virtualMachineSteps = 0

  private let pointer: OpaquePointer

  /// Opens the file; whatever SQLite has allocated by then is freed by `deinit` if a later step throws.
  init(path: String, access: SQLiteConnection.Access, vfs: String?) throws(SQLiteError) {
    try Self.requireFile(path, operation: "open")
    let flags =
      switch access {
      case .read: SQLITE_OPEN_READONLY
      case .write: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, vfs)
    guard let opened = unsafe opened else {
      // Only a lack of memory leaves no connection to ask for the message.
      throw SQLiteError(code: code, message: Self.meaning(of: code), path: path, operation: "open")
    }
    unsafe pointer = opened
    self.path = path
    guard code == SQLITE_OK else {
      let extendedCode = unsafe sqlite3_extended_errcode(opened)
      throw failure(extendedCode, operation: "open")
    }
    try check(unsafe sqlite3_extended_result_codes(opened, 1), operation: "open")
    try check(unsafe rejoin_config_defensive(opened), operation: "open")
  }

  /// Refuses what SQLite would not take for the name of a file as the system does: nothing at all and ":memory:" are
  /// databases without a file to it, "file:" begins an address, and a NUL ends the name.
  static func requireFile(_ path: String, operation: String) throws(SQLiteError) {
    let isFile =
      !path.isEmpty && !path.utf8.contains(0) && path != ":memory:" && !path.utf8.starts(with: "file:".utf8)
    guard !isFile else { return }
    throw SQLiteError(
      code: SQLITE_CANTOPEN, message: "not the path of a file: pass one, such as ./name", path: path,
      operation: operation)
  }

  deinit {
    unsafe sqlite3_close_v2(pointer)
  }

  /// How many rows the last finished write has changed.
  var changes: Int { Int(unsafe sqlite3_changes(pointer)) }

  /// Whether a transaction is open; SQLite itself rolls back after some errors.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(pointer) == 0 }

  /// Whether the file can only be read, which the file system may impose on a connection opened for writing.
  var isReadOnly: Bool { unsafe sqlite3_db_readonly(pointer, "main") == 1 }

  /// Whether the file was moved or deleted since it was opened.
  var hasMoved: Bool { unsafe rejoin_has_moved(pointer) != 0 }

  /// The file's full name, past links, as SQLite has found it.
  var fileName: String {
    unsafe sqlite3_db_filename(pointer, "main").map { unsafe String(cString: $0) } ?? path
  }

  /// Sets how long SQLite waits for a lock of somebody else; zero or less means not at all.
  func setBusyTimeout(milliseconds: Int) {
    guard milliseconds > 0 else {
      _ = unsafe sqlite3_busy_handler(pointer, nil, nil)
      return
    }
    // SQLite's own waits grow to a tenth of a second, so that beside a process that writes without a pause another one
    // may never see the lock free. This one looks two hundred times a second.
    _ = unsafe sqlite3_busy_handler(
      pointer,
      { limit, attempts in
        guard Int(attempts) < Int(bitPattern: limit) / 5 else { return 0 }
        sqlite3_sleep(5)
        return 1
      }, UnsafeMutableRawPointer(bitPattern: milliseconds))
  }

  /// Compiles the first statement at or after `position` and moves `position` behind it.
  ///
  /// Returns nothing if there were only spaces and comments up to the next semicolon or the end.
  func compile(
    _ sql: [UInt8], from position: inout Int, persistent: Bool
  ) throws(SQLiteError) -> SQLiteStatement? {
    guard position < sql.count else { return nil }
    var compiled: OpaquePointer?
    var consumed = 0
    let flags = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = unsafe sql[position...].withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      var tail: UnsafePointer<CChar>?
      let code = unsafe sqlite3_prepare_v3(
        pointer, start, Int32(clamping: bytes.count), flags, &compiled, &tail)
      if let start = unsafe start, let tail = unsafe tail { consumed = unsafe tail - start }
      return code
    }
    try check(code, operation: "prepare")
    // SQLite stops at a NUL; without this check a loop over the statements would never end.
    guard consumed > 0 else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "NUL in the SQL", path: path, operation: "prepare")
    }
    position += consumed
    guard let compiled = unsafe compiled else { return nil }
    return unsafe SQLiteStatement(compiled, handle: self)
  }

  /// Describes a failure that SQLite has just reported for this connection.
  func failure(_ code: Int32, operation: String) -> SQLiteError {
    // Misuse is returned without being noted in the connection, whose message is then about something else.
    let isNoted = unsafe sqlite3_errcode(pointer) & 0xff == code & 0xff
    let message = isNoted ? unsafe String(cString: sqlite3_errmsg(pointer)) : Self.meaning(of: code)
    return SQLiteError(code: code, message: message, path: path, operation: operation)
  }

  private func check(_ code: Int32, operation: String) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw failure(code, operation: operation) }
  }

  /// SQLite's words for a code.
  static func meaning(of code: Int32) -> String {
    unsafe String(cString: sqlite3_errstr(code))
  }
}
