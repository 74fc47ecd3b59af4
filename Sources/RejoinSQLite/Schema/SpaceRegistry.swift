import Rejoin

/// The collections and logs of the file, kept in memory and read anew when another process changed them.
///
/// A value: whoever begins a transaction keeps a copy, and takes it back when the transaction comes to nothing.
struct SpaceRegistry {
  let connection: SQLiteConnection
  private var collections: [Collection: Space] = [:]
  private var logs: [LogName: Space] = [:]
  private var names: [Int64: (kind: Space.Kind, name: String)] = [:]

  /// What refers to what.
  var referenceRegistry = ReferenceRegistry()

  /// What can be found by its values.
  var indexRegistry = IndexRegistry()

  // MARK: Reading

  /// Reads all from the file.
  init(_ connection: SQLiteConnection) throws {
    self.connection = connection
    var fields: [Int64: [FieldName]] = [:]
    let columns = try connection.prepare("SELECT space, field FROM rejoin_column ORDER BY space, position")
    while try columns.step() {
      fields[try columns.number(at: 0, of: "its columns"), default: []].append(
        FieldName(try columns.text(at: 1)))
    }
    let spaces = try connection.prepare("SELECT number, kind, name, table_name FROM rejoin_space")
    while try spaces.step() {
      let number = try spaces.counter(at: 0, of: "its collections")
      guard let kind = Space.Kind(rawValue: try spaces.text(at: 1)) else { continue }
      add(
        kind,
        Space(
          number: number, name: try spaces.text(at: 2),
          table: spaces.isNull(at: 3) ? nil : try spaces.text(at: 3), fields: fields[number] ?? []))
    }
    let numbered = Dictionary(
      collections.map { ($0.value.number, $0.key) }, uniquingKeysWith: { $1 })
    referenceRegistry = try Self.references(in: connection, collections: numbered)
    indexRegistry = try Self.indexes(in: connection, collections: numbered)
  }

  private mutating func add(_ kind: Space.Kind, _ space: Space) {
    names[space.number] = (kind, space.name)
    switch kind {
    case .collection: collections[Collection(space.name)] = space
    case .log: logs[LogName(space.name)] = space
    }
  }

  /// The space of a collection, where it has one.
  func space(of collection: Collection) -> Space? { collections[collection] }

  /// The space of a log, where it has one.
  func space(of log: LogName) -> Space? { logs[log] }

  /// What a number stands for.
  func name(of number: Int64) -> (kind: Space.Kind, name: String)? { names[number] }

  /// The collections and logs.
  var allSpaces: [Space] { Array(collections.values) + Array(logs.values) }

  /// The collections, in order.
  var allCollections: [Collection] { collections.keys.sorted() }

  /// The logs, in order.
  var allLogs: [LogName] { logs.keys.sorted() }

  // MARK: Making

  /// The space of a collection, made with its table when it is new.
  ///
  /// Within a transaction.
  mutating func makeSpace(of collection: Collection) throws -> Space {
    if let space = collections[collection] { return space }
    let number = try nextNumber()
    let name = collection.text
    let table = try isFree(name) ? name : "rejoin_collection_\(number)"
    try connection.execute(
      "CREATE TABLE \(Schema.quoted(table))(id TEXT PRIMARY KEY NOT NULL, rejoin_state BLOB NOT NULL) "
        + "WITHOUT ROWID")
    return try insert(.collection, Space(number: number, name: name, table: table, fields: []))
  }

  /// The space of a log, made when it is new.
  ///
  /// Within a transaction.
  mutating func makeSpace(of log: LogName) throws -> Space {
    if let space = logs[log] { return space }
    let number = try nextNumber(isBounded: !LogName.own.contains(log))
    return try insert(.log, Space(number: number, name: log.text, table: nil, fields: []))
  }

  private mutating func insert(_ kind: Space.Kind, _ space: Space) throws -> Space {
    try connection.cached("INSERT INTO rejoin_space(number, kind, name, table_name) VALUES(?1, ?2, ?3, ?4)")
      .run(
        .int(space.number), .text(kind.rawValue), .text(space.name),
        space.table.map { .text($0) } ?? .null)
    add(kind, space)
    return space
  }

  /// The library's own logs are few, and a merge must never fail for want of one.
  private func nextNumber(isBounded: Bool = true) throws -> Int64 {
    guard !isBounded || names.count < Limits.collections else {
      throw StoreError.tooManyCollections(path: connection.path, limit: Limits.collections)
    }
    return (names.keys.max() ?? 0) + 1
  }

  /// Whether a table can be named so: allowed, and no table of that name but for the case of its letters.
  private func isFree(_ name: String) throws -> Bool {
    guard Schema.canBear(name) else { return false }
    let statement = try connection.cached("SELECT 1 FROM sqlite_schema WHERE lower(name) = lower(?1)")
    try statement.bind(name, at: 1)
    defer { statement.reset() }
    return try !statement.step()
  }

  /// Makes columns for fields that have none and can have one.
  ///
  /// Within a transaction.
  ///
  /// Rows are not rewritten: a new column shows a value once its record is written again.
  mutating func declare(_ fields: [FieldName], in collection: Collection) throws {
    var space = try makeSpace(of: collection)
    guard let table = space.table else { return }
    for field in fields where space.hasRoom(for: field) {
      try connection.execute("ALTER TABLE \(Schema.quoted(table)) ADD COLUMN \(Schema.quoted(field.text))")
      try connection.cached("INSERT INTO rejoin_column(space, position, field) VALUES(?1, ?2, ?3)")
        .run(.int(space.number), .int(Int64(space.fields.count)), .text(field.text))
      space = Space(number: space.number, name: space.name, table: table, fields: space.fields + [field])
      add(.collection, space)
    }
  }
}
