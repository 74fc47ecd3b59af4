import Rejoin

/// The layout of a replica's file.
///
/// Each collection is a table named after it, of its visible records, readable by any program: the id as a UUID,
/// a column per declared field, and `rejoin_state` with everything else. Deleted records lie in `rejoin_hidden`.
enum Schema {
  /// "Rjon": marks the file as a replica.
  static let applicationID: Int64 = 0x526a_6f6e

  /// The version of this layout.
  static let version: Int64 = 1

  /// Tables whose name starts so belong to the library.
  static let reservedPrefix = "rejoin_"

  /// The tables of a new file.
  static let tables = """
    CREATE TABLE rejoin_replica(
      only INTEGER PRIMARY KEY CHECK (only = 1), replica TEXT NOT NULL, dataset TEXT NOT NULL,
      dataset_chosen INTEGER NOT NULL, last_time INTEGER NOT NULL,
      last_due INTEGER NOT NULL, commits INTEGER NOT NULL);
    CREATE TABLE rejoin_vector(replica INTEGER PRIMARY KEY, time INTEGER NOT NULL);
    CREATE TABLE rejoin_space(
      number INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, table_name TEXT,
      UNIQUE(kind, name));
    CREATE TABLE rejoin_column(
      space INTEGER NOT NULL, position INTEGER NOT NULL, field TEXT NOT NULL,
      PRIMARY KEY(space, position)) WITHOUT ROWID;
    CREATE TABLE rejoin_hidden(
      space INTEGER NOT NULL, id TEXT NOT NULL, rejoin_state BLOB NOT NULL,
      PRIMARY KEY(space, id)) WITHOUT ROWID;
    CREATE TABLE rejoin_log(
      space INTEGER NOT NULL, time INTEGER NOT NULL, replica INTEGER NOT NULL, id TEXT NOT NULL,
      entry TEXT NOT NULL, PRIMARY KEY(space, time, replica, id)) WITHOUT ROWID;
    CREATE UNIQUE INDEX rejoin_log_id ON rejoin_log(space, id);
    CREATE TABLE rejoin_change(
      replica INTEGER NOT NULL, time INTEGER NOT NULL, space INTEGER NOT NULL, id BLOB NOT NULL,
      PRIMARY KEY(replica, time, space, id)) WITHOUT ROWID;
    CREATE TABLE rejoin_waiting(
      time INTEGER NOT NULL, replica INTEGER NOT NULL, held_back INTEGER NOT NULL, space INTEGER NOT NULL,
      id BLOB NOT NULL, PRIMARY KEY(time, replica, held_back, space, id)) WITHOUT ROWID;
    CREATE TABLE rejoin_label(time INTEGER PRIMARY KEY, label TEXT NOT NULL);
    """

  /// What every table of the library must have.
  static let shape = [
    ("rejoin_replica", "only, replica, dataset, dataset_chosen, last_time, last_due, commits"),
    ("rejoin_vector", "replica, time"),
    ("rejoin_space", "number, kind, name, table_name"), ("rejoin_column", "space, position, field"),
    ("rejoin_hidden", "space, id, rejoin_state"), ("rejoin_log", "space, time, replica, id, entry"),
    ("rejoin_change", "replica, time, space, id"), ("rejoin_waiting", "time, replica, held_back, space, id"),
    ("rejoin_label", "time, label"),
  ]

  /// An identifier of SQL, quoted.
  static func quoted(_ name: String) -> String {
    var quoted = "\""
    for scalar in name.unicodeScalars {
      if scalar == "\"" { quoted += "\"\"" } else { quoted.unicodeScalars.append(scalar) }
    }
    return quoted + "\""
  }

  /// A name as SQLite compares it: ASCII letters in lower case, everything else as it is.
  static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 }
  }

  /// Whether a collection's table or a field's column can bear this name.
  static func canBear(_ name: String) -> Bool {
    let folded = folded(name)
    return !name.isEmpty && !folded.contains(0) && !folded.starts(with: reservedPrefix.utf8)
      && !folded.starts(with: "sqlite_".utf8)
  }
}

extension HybridTime {
  /// As a signed number of the same order, so that SQLite compares times rightly.
  var sortable: Int64 { Int64(bitPattern: rawValue ^ 1 << 63) }

  /// Reads the sortable form.
  init(sortable: Int64) {
    self.init(rawValue: UInt64(bitPattern: sortable) ^ 1 << 63)
  }
}

extension ReplicaID {
  /// As a signed number of the same order.
  var sortable: Int64 { Int64(bitPattern: rawValue ^ 1 << 63) }

  /// Reads the sortable form.
  init(sortable: Int64) {
    self.init(rawValue: UInt64(bitPattern: sortable) ^ 1 << 63)
  }
}

extension Identifier {
  /// Reads 16 bytes.
  init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func half(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: half(0..<8), low: half(8..<16))
  }
}
