import RejoinCore
import RejoinOutbox
import RejoinSQLite

/// The least that could be done: the same rows in a table of SQLite alone, one statement a row, a transaction a page.
final class PlainTable {
  private let connection: SQLiteConnection
  private let insert: SQLiteStatement

  init(path: String) throws {
    connection = try SQLiteConnection(path: path)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536")
    let columns = SampleRows.fields.map { "\"\($0)\"" }.joined(separator: ", ")
    try connection.execute("CREATE TABLE orders(id TEXT PRIMARY KEY NOT NULL, \(columns)) WITHOUT ROWID")
    let parameters = (1...SampleRows.fields.count + 1).map { "?\($0)" }.joined(separator: ", ")
    insert = try connection.prepare("INSERT INTO orders(id, \(columns)) VALUES(\(parameters))")
  }

  /// The values of a page's rows, in the order of the columns.
  static func bindings(of page: PullPage) -> [[SQLiteBinding]] {
    page.rows.map { row in
      [.text(row.id)]
        + SampleRows.fields.map { field in
          switch row.fields.first(where: { $0.name == field.text })?.value {
          case .bool(let flag): .int(flag ? 1 : 0)
          case .int(let number): .int(number)
          case .double(let number): .double(number)
          case .string(let text): .text(text)
          case .null, .array, .object, nil: .null
          }
        }
    }
  }

  /// Writes the rows of a page.
  func write(_ rows: [[SQLiteBinding]]) throws {
    try connection.execute("BEGIN IMMEDIATE")
    for row in rows {
      insert.reset()
      for (index, value) in row.enumerated() { try insert.bind(value, at: index + 1) }
      _ = try insert.step()
    }
    insert.reset()
    try connection.execute("COMMIT")
  }
}
