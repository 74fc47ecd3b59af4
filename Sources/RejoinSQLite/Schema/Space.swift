import Rejoin

/// A collection or a log of the file, with the SQL that speaks to it.
struct Space {
  /// What a space holds.
  enum Kind: String {
    /// Records, in a table of their own.
    case collection
    /// Log entries.
    case log
  }

  /// Its number, by which the library's own tables name it.
  let number: Int64

  /// Its name.
  let name: String

  /// The table of a collection.
  let table: String?

  /// The fields that are columns, in the order of their declaration.
  private(set) var fields: [FieldName] = []

  /// The columns by field.
  private(set) var columns: [FieldName: Int] = [:]

  /// The columns by the packed address of the field's plain value, in the order in which registers stand in a record.
  private(set) var addresses: [(address: [UInt8], column: Int)] = []

  private(set) var selectOne = ""
  private(set) var selectAll = ""
  private(set) var upsert = ""
  private(set) var delete = ""

  init(number: Int64, name: String, table: String?, fields: [FieldName]) {
    self.number = number
    self.name = name
    self.table = table
    for field in fields { add(field) }
    addresses = columns.map { (RegisterAddress($0.key).packed, $0.value) }
      .sorted { $0.address.lexicographicallyPrecedes($1.address) }
    prepareStatements()
  }

  private mutating func add(_ field: FieldName) {
    columns[field] = fields.count
    fields.append(field)
  }

  /// Whether a field can become a column: SQLite takes names that differ only in case for one.
  func hasRoom(for field: FieldName) -> Bool {
    let folded = Schema.folded(field.text)
    return columns[field] == nil && fields.count < Limits.columnsPerCollection && Schema.canBear(field.text)
      && !folded.elementsEqual("id".utf8) && !fields.contains { Schema.folded($0.text) == folded }
  }

  private mutating func prepareStatements() {
    guard let table else { return }
    let table_ = Schema.quoted(table)
    let names = fields.map { Schema.quoted($0.text) }
    let columns = (["rejoin_state"] + names).joined(separator: ", ")
    selectOne = "SELECT \(columns) FROM \(table_) WHERE id = ?1"
    selectAll = "SELECT id, \(columns) FROM \(table_) ORDER BY id"
    delete = "DELETE FROM \(table_) WHERE id = ?1"
    let parameters = (1...names.count + 2).map { "?\($0)" }.joined(separator: ", ")
    let updates = (["rejoin_state"] + names).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    upsert =
      "INSERT INTO \(table_)(id, \(columns)) VALUES(\(parameters)) ON CONFLICT(id) DO UPDATE SET \(updates)"
  }
}
