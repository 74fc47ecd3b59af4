import Rejoin

/// A record as a row: columns hold what shows where they can hold it exactly, the state holds the rest.
///
/// Where a column cannot hold a value exactly (a truth value, -0.0, NaN, lists, a register that waits), it holds
/// a readable copy and the state the truth.
enum RowCodec {
  /// Markers in the state for a value that a column holds.
  private enum Marker {
    /// The column's own kind says it all.
    static let plain: UInt8 = 0xf0
    /// The column's number is a time.
    static let time: UInt8 = 0xf1
    /// The column's text is a record's id.
    static let record: UInt8 = 0xf2
  }

  /// The state and the columns of a record.
  static func encode(
    _ record: PackedRecord, shown: [PackedRegister], in space: Space
  ) -> (state: [UInt8], columns: [SQLiteBinding]) {
    var columns = [SQLiteBinding](repeating: .null, count: space.fields.count)
    var markers: [(value: Int, marker: UInt8)] = []
    if !space.fields.isEmpty {
      let counted = record.arePlain(shown) ? [:] : CountedFields(record, shown).fields
      for (name, field) in counted {
        // The sum of a counter and the list of a set are readable copies: their registers are in the state.
        if let column = space.columns[name] { columns[column] = encode(field.value).0 }
      }
      markers.reserveCapacity(shown.count)
      for register in shown {
        let address = record.address(of: register)
        guard address.kind == 0, counted[address.field] == nil, let column = space.columns[address.field]
        else { continue }
        let (binding, marker) = encode(record.value(of: register))
        columns[column] = binding
        if let marker { markers.append((register.value.lowerBound, marker)) }
      }
    }
    guard !markers.isEmpty else { return (record.bytes + seal(record), columns) }
    // What shows stands in the order of the registers.
    var next = markers[...]
    var state = record.eliding { register in
      guard let first = next.first, first.value == register.value.lowerBound else { return nil }
      next = next.dropFirst()
      return first.marker
    }
    state += seal(record)
    return (state, columns)
  }

  private static func encode(_ value: Value) -> (SQLiteBinding, marker: UInt8?) {
    switch value {
    case .null: (.null, Marker.plain)
    case .bool(let flag): (.int(flag ? 1 : 0), nil)
    case .int(let number): (.int(number), Marker.plain)
    case .double(let number) where number.isNaN: (.null, nil)
    case .double(let number): (.double(number), number == 0 && number.sign == .minus ? nil : Marker.plain)
    case .string(let text): (.text(text), Marker.plain)
    case .data(let bytes): (.blob(bytes), Marker.plain)
    case .time(let milliseconds): (.int(milliseconds), Marker.time)
    case .record(let id): (.text(id.description), Marker.record)
    case .array, .map: (.text(value.json.text()), nil)
    case .unknown: (.null, nil)
    }
  }

  /// The end of the state: by it, columns that were edited behind the library's back are found.
  private static func seal(_ record: PackedRecord) -> [UInt8] {
    var hash = SipHash128(key0: 0x7265_6a6f_696e_2d72, key1: 0x6f77_2d73_6561_6c31)
    hash.combine(record.bytes)
    return Array(hash.finalize().0.bigEndianBytes.prefix(sealBytes))
  }

  private static let sealBytes = 4

  /// Whether a row still is what the library wrote.
  static func isIntact(_ row: SQLiteStatement, stateColumn: Int, in space: Space) throws -> Bool {
    let state = try row.blob(at: stateColumn)
    return try state.suffix(sealBytes).elementsEqual(seal(decode(row, stateColumn: stateColumn, in: space)))
  }

  /// Reads a record from a row: the state at `stateColumn`, the fields' columns behind it.
  ///
  /// An edited column reads as edited: one curious hand must not hide a record from its user. The seal is checked
  /// by those who look for damage.
  static func decode(_ row: SQLiteStatement, stateColumn: Int, in space: Space) throws -> PackedRecord {
    let state = try row.blob(at: stateColumn)
    return try PackedRecord(expanding: Array(state.dropLast(sealBytes))) { field, marker in
      guard let column = space.columns[FieldName(field)] else {
        throw CodingError.malformed("column", offset: 0)
      }
      return try decode(row, at: stateColumn + 1 + column, marker: marker).canonicalBytes
    }
  }

  private static func decode(_ row: SQLiteStatement, at column: Int, marker: UInt8) throws -> Value {
    switch (marker, row.type(at: column)) {
    case (Marker.plain, .null): return .null
    case (Marker.plain, .integer): return .int(row.int64(at: column))
    case (Marker.plain, .real): return .double(row.double(at: column))
    case (Marker.plain, .text): return .string(try text(row, at: column))
    case (Marker.plain, .blob): return .data(try row.blob(at: column))
    case (Marker.time, .integer): return .time(row.int64(at: column))
    case (Marker.record, .text):
      guard let id = RecordID(try text(row, at: column)) else { break }
      return .record(id)
    default: break
    }
    throw CodingError.malformed("column", offset: 0)
  }

  /// Text that is not UTF-8 makes its own row unreadable, and no other.
  private static func text(_ row: SQLiteStatement, at column: Int) throws -> String {
    guard let text = String(validating: try row.blob(at: column), as: UTF8.self) else {
      throw CodingError.malformed("column", offset: 0)
    }
    return text
  }
}
