import Rejoin

/// The layout of a replica's file, as the steps that lead to it from nothing and from every older layout.
///
/// Each collection is a table named after it, of its visible records, readable by any program: the id as a UUID,
/// a column per declared field, and `rejoin_state` with everything else. Deleted records lie in `rejoin_hidden`.
package struct Schema: Sendable {
  /// "Rjon": marks the file as a replica.
  static let applicationID: Int64 = 0x526a_6f6e

  /// Tables whose name starts so belong to the library.
  static let reservedPrefix = "rejoin_"

  /// A step from one version of the layout to the next.
  package struct Step: Sendable {
    /// What the library's tables must have after it: their names, and their columns as SQL lists them.
    package typealias Shape = [(table: String, columns: String)]

    package let shape: Shape
    let take: @Sendable (SQLiteConnection) throws -> Void

    /// Describes a step; `take` is called in a transaction, which it must leave open.
    package init(to shape: Shape, take: @escaping @Sendable (SQLiteConnection) throws -> Void) {
      self.shape = shape
      self.take = take
    }
  }

  /// Step n brings version n to version n + 1; step 0 lays out a new file.
  package let steps: [Step]

  /// Describes a layout by its steps; there is at least one.
  package init(steps: [Step]) {
    precondition(!steps.isEmpty, "a layout has a step that lays it out")
    self.steps = steps
  }

  /// The version to which the last step leads.
  package var version: Int64 { Int64(steps.count) }
}

extension Schema {
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
