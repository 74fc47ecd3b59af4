/// A value for one parameter of a statement.
package enum SQLiteBinding: Sendable {
  /// A whole number.
  case int(Int64)

  /// A floating-point number; SQLite turns NaN into NULL.
  case double(Double)

  /// Text, stored as the exact UTF-8 it consists of, without normalisation.
  case text(String)

  /// Bytes.
  case blob([UInt8])

  /// No value.
  case null
}

/// The form in which SQLite holds a value: it belongs to the value, not to the column.
package enum SQLiteType: Hashable, Sendable {
  /// A whole number of 64 bits.
  case integer

  /// A floating-point number of 64 bits.
  case real

  /// Text.
  case text

  /// Bytes.
  case blob

  /// No value.
  case null
}
