import Foundation
import RejoinSQLite

/// Gives `body` a new folder and removes it afterwards, whatever happens.
func withDatabaseFolder(_ body: (DatabaseFolder) throws -> Void) throws {
  let url = FileManager.default.temporaryDirectory.appending(path: "rejoin-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  try body(DatabaseFolder(url: url))
}

/// A temporary folder for the database files of one test.
struct DatabaseFolder {
  let url: URL

  /// The path of a file in the folder, which need not exist.
  func path(_ name: String = "test.sqlite") -> String {
    url.appending(path: name).path(percentEncoded: false)
  }

  /// Opens a database in the folder and runs `sql` on it.
  @discardableResult
  func connection(
    _ name: String = "test.sqlite", access: SQLiteConnection.Access = .create, executing sql: String = ""
  ) throws(SQLiteError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path: path(name), access: access)
    try connection.execute(sql)
    return connection
  }
}

extension SQLiteConnection {
  /// The first column of the only row of a query, as a whole number.
  func number(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try cached(sql)
    guard try statement.step() else { return -1 }
    defer { statement.reset() }
    return statement.int64(at: 0)
  }
}

/// What `body` throws, or nil if it throws nothing.
func failure(of body: () throws(SQLiteError) -> Void) -> SQLiteError? {
  do throws(SQLiteError) {
    try body()
    return nil
  } catch {
    return error
  }
}
