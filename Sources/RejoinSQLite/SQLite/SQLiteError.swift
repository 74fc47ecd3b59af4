import CSQLite

/// Why SQLite could not do what was asked; it carries no bound values, only SQLite's own words.
public struct SQLiteError: Error, Hashable, Sendable {
  /// What went wrong, as far as a program can act upon it.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// Somebody else holds a lock on the file: try the transaction again.
    case busy

    /// The disk, or the size allowed to the file, is used up.
    case full

    /// The system failed to read, write or lock the file.
    case io

    /// The contents of the file contradict its format.
    case corrupt

    /// The file may be read but not written.
    case readOnly

    /// The file is something else than a database.
    case notADatabase

    /// The file could not be opened or made.
    case cantOpen

    /// A rule of the schema, such as uniqueness, forbids the write.
    case constraint

    /// Anything else, such as a lack of memory or SQL that SQLite does not understand.
    case other
  }

  /// SQLite's extended result code.
  public let code: Int32

  /// SQLite's message, which may name tables, columns and SQL, but no bound values.
  public let message: String

  /// The path of the database file, as it was given when the connection was opened.
  public let path: String

  /// What was being done: "open", "prepare", "bind", "step" or "read"; and of copies "back up", "restore",
  /// "look up", "remove", "sync", "sync folder" or "rename".
  public let operation: String

  /// Describes a failure; `code` may be a primary or an extended result code.
  package init(code: Int32, message: String, path: String, operation: String) {
    self.code = code
    self.message = message
    self.path = path
    self.operation = operation
  }

  /// What went wrong, derived from the code.
  public var kind: Kind {
    switch primaryCode {
    case SQLITE_BUSY, SQLITE_PROTOCOL: .busy
    case SQLITE_FULL: .full
    case SQLITE_IOERR: .io
    case SQLITE_CORRUPT: .corrupt
    case SQLITE_READONLY: .readOnly
    case SQLITE_NOTADB: .notADatabase
    case SQLITE_CANTOPEN, SQLITE_PERM: .cantOpen
    case SQLITE_CONSTRAINT: .constraint
    default: .other
    }
  }

  /// The low byte of an extended result code.
  private var primaryCode: Int32 { code & 0xff }
}

extension SQLiteError: CustomStringConvertible {
  /// What happened, to which file, and what can be done.
  public var description: String {
    "\(whatHappened) \"\(path)\" (\(operation): \(message), SQLite code \(code)); \(advice)."
  }

  private var whatHappened: String {
    switch kind {
    case .busy: "Another connection is using the database"
    case .full: "There is no room left for the database"
    case .io: "The system could not read or write the database"
    case .corrupt: "Damaged contents were found in the database"
    case .readOnly: "It is not allowed to write to the database"
    case .notADatabase: "There is something else than a database in the file"
    case .cantOpen where isCopying: "It was not possible to make the copy"
    case .cantOpen: "It was not possible to open the database"
    case .constraint: "A rule of its schema refused a write to the database"
    case .other where isOutOfMemory: "Memory ran out while using the database"
    case .other: "SQLite refused to work on the database"
    }
  }

  private var advice: String {
    switch kind {
    case .busy: "try again, or close the other program that has it open"
    case .full: "free some space on the disk and try again"
    case .io where isCopying: "check that the disk is connected and healthy, then try again"
    case .readOnly where isCopying: "check the permissions of the folder, or choose another one"
    case .cantOpen where isCopying:
      "choose a path where nothing is yet, in a folder that exists and may be written to"
    case .io: "check that the disk is connected and healthy, then open the file again"
    case .corrupt: "stop writing to it, keep a copy, and restore it from another replica or a backup"
    case .readOnly: "check the permissions of the file and its folder, or open it for writing"
    case .notADatabase: "choose another path; the file was left as it is"
    case .cantOpen: "check that the folder exists, that it may be written to, and that the path is a file"
    case .constraint: "change what the rule refuses and try again"
    case .other where isOutOfMemory: "free some memory and try again"
    case .other: "report this with the code and message above"
    }
  }

  private var isCopying: Bool { ["back up", "restore", "rename"].contains(operation) }

  private var isOutOfMemory: Bool { primaryCode == SQLITE_NOMEM }
}
