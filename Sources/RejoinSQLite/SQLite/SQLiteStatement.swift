import CSQLite

/// A compiled statement: bind, step through its rows, reset.
///
/// Invariant: after an error the statement is reset and without bindings, so that no lock stays behind.
/// Whoever stops before the last row must call ``reset()``, since a row that can still be read holds a lock.
@safe
package final class SQLiteStatement {
  private let handle: SQLiteHandle
  private let pointer: OpaquePointer

  /// Whether the last row was passed; SQLite would start again from the first if it were stepped further.
  private var hasEnded = false

  /// Takes over the pointer, which belongs to the connection of `handle` and is finalized by `deinit`.
  init(_ pointer: OpaquePointer, handle: SQLiteHandle) {
    unsafe self.pointer = unsafe pointer
    self.handle = handle
  }

  deinit {
    harvestSteps()
    _ = unsafe sqlite3_finalize(pointer)
  }

  /// Moves to the next row; false when there is none, and then the statement has done all its work.
  ///
  /// A write that returns rows must be stepped until false before it is reset, or a failure goes unseen.
  package func step() throws(SQLiteError) -> Bool {
    precondition(!hasEnded, "a statement that has ended must be reset before it is stepped again")
    let code = unsafe sqlite3_step(pointer)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else { throw failure(code, operation: "step") }
    hasEnded = true
    harvestSteps()
    return false
  }

  /// Makes the statement ready to be bound and run again: no row, no lock, all parameters NULL.
  package func reset() {
    // What it returns is the error of the last step, which was thrown there.
    _ = unsafe sqlite3_reset(pointer)
    _ = unsafe sqlite3_clear_bindings(pointer)
    hasEnded = false
    harvestSteps()
  }

  /// Resets, binds all parameters in order, runs to the end and resets; rows are dropped.
  package func run(_ bindings: SQLiteBinding...) throws(SQLiteError) {
    reset()
    precondition(bindings.count == parameterCount, "a statement needs one value for each parameter")
    for (offset, binding) in bindings.enumerated() { try bind(binding, at: offset + 1) }
    while try step() {}
    reset()
  }

  /// The path of the file, as it was given.
  var path: String { handle.path }

  /// How many parameters there are to bind.
  package var parameterCount: Int { Int(unsafe sqlite3_bind_parameter_count(pointer)) }

  /// How many columns a row has; zero for a statement that returns none.
  package var columnCount: Int { Int(unsafe sqlite3_column_count(pointer)) }

  private func harvestSteps() {
    handle.virtualMachineSteps += Int(unsafe sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_VM_STEP, 1))
  }

  /// Describes the failure first, because the reset that follows may replace SQLite's message.
  private func failure(_ code: Int32, operation: String) -> SQLiteError {
    let error = handle.failure(code, operation: operation)
    reset()
    return error
  }
}

// MARK: - Parameters, counted from 1; they can be bound only before the first step or after a reset

extension SQLiteStatement {
  /// Binds a whole number.
  package func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
    try checkBound(unsafe sqlite3_bind_int64(pointer, Int32(index), value))
  }

  /// Binds a whole number; literals choose this one.
  package func bind(_ value: Int, at index: Int) throws(SQLiteError) {
    try bind(Int64(value), at: index)
  }

  /// Binds a floating-point number; SQLite turns NaN into NULL.
  package func bind(_ value: Double, at index: Int) throws(SQLiteError) {
    try checkBound(unsafe sqlite3_bind_double(pointer, Int32(index), value))
  }

  /// Binds a copy of the exact UTF-8 of a text, NULs included; an empty text does not become NULL.
  package func bind(_ value: String, at index: Int) throws(SQLiteError) {
    var value = value
    let code = value.withUTF8 { bytes in
      unsafe rejoin_bind_text(pointer, Int32(index), bytes.baseAddress, UInt64(bytes.count))
    }
    try checkBound(code)
  }

  /// Binds a copy of bytes; no bytes at all do not become NULL.
  package func bind(_ value: [UInt8], at index: Int) throws(SQLiteError) {
    try checkBound(unsafe rejoin_bind_blob(pointer, Int32(index), value, UInt64(value.count)))
  }

  /// Binds NULL: the only value of this type is `nil`.
  package func bind(_ value: Never?, at index: Int) throws(SQLiteError) {
    try checkBound(unsafe sqlite3_bind_null(pointer, Int32(index)))
  }

  /// Binds a value of any type.
  package func bind(_ value: SQLiteBinding, at index: Int) throws(SQLiteError) {
    switch value {
    case .int(let value): try bind(value, at: index)
    case .double(let value): try bind(value, at: index)
    case .text(let value): try bind(value, at: index)
    case .blob(let value): try bind(value, at: index)
    case .null: try bind(nil, at: index)
    }
  }

  private func checkBound(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw failure(code, operation: "bind") }
  }
}

// MARK: - Columns of the present row, counted from 0; reading one without a row traps

extension SQLiteStatement {
  /// The type in which the value is held; ask before `text(at:)`, which may convert the value in place.
  package func type(at index: Int) -> SQLiteType {
    switch unsafe sqlite3_column_type(pointer, column(index)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// Whether the value is NULL.
  package func isNull(at index: Int) -> Bool {
    type(at: index) == .null
  }

  /// The value as a whole number, zero for NULL; other types are converted as SQLite does.
  package func int64(at index: Int) -> Int64 {
    unsafe sqlite3_column_int64(pointer, column(index))
  }

  /// The value as a floating-point number, zero for NULL; other types are converted as SQLite does.
  package func double(at index: Int) -> Double {
    unsafe sqlite3_column_double(pointer, column(index))
  }

  /// The value as text, empty for NULL; NULs survive, and text that is not valid UTF-8 is an error.
  package func text(at index: Int) throws(SQLiteError) -> String {
    guard !isNull(at: index) else { return "" }
    // The order matters: the first call may convert the value, the second counts the outcome.
    guard let start = unsafe sqlite3_column_text(pointer, column(index)) else {
      throw failure(SQLITE_NOMEM, operation: "read")
    }
    let count = Int(unsafe sqlite3_column_bytes(pointer, column(index)))
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
    guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
      reset()
      throw SQLiteError(
        code: SQLITE_CORRUPT, message: "text that is not UTF-8", path: handle.path, operation: "read")
    }
    return text
  }

  /// The value as bytes, none for NULL; text gives its bytes as they are stored.
  package func blob(at index: Int) throws(SQLiteError) -> [UInt8] {
    let start = unsafe sqlite3_column_blob(pointer, column(index))
    let count = Int(unsafe sqlite3_column_bytes(pointer, column(index)))
    guard let start = unsafe start else {
      guard count == 0 else { throw failure(SQLITE_NOMEM, operation: "read") }
      return []
    }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Traps unless there is a row with such a column: SQLite itself would answer with NULL.
  private func column(_ index: Int) -> Int32 {
    precondition(
      index >= 0 && index < Int(unsafe sqlite3_data_count(pointer)), "no row, or no such column in it")
    return Int32(index)
  }
}
