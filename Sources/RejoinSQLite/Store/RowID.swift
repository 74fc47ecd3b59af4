import Rejoin

/// The id of a row, whatever somebody made of it, in the order in which SQLite sorts them.
struct RowID: Comparable {
  private let bytes: [UInt8]
  private let isText: Bool

  /// Reads the first column of a row.
  init(_ row: SQLiteStatement) throws {
    isText = row.type(at: 0) == .text
    bytes = try row.blob(at: 0)
  }

  /// The id as the library writes it; nil for anything else, also for one in upper case, which no look-up finds.
  var recordID: RecordID? {
    guard isText, !bytes.contains(where: { UInt8(ascii: "A")...UInt8(ascii: "F") ~= $0 }),
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    return RecordID(text)
  }

  /// Texts come before bytes.
  static func < (left: RowID, right: RowID) -> Bool {
    left.isText == right.isText ? left.bytes.lexicographicallyPrecedes(right.bytes) : left.isText
  }
}
