import RejoinCore

/// Deltas that take as much memory as their bytes can make a careless reader take.
///
/// They are written by hand, since no sender would make them; their checksum is none.
enum HostileDeltas {
  /// Every one by what it does; all but the last few are valid.
  static let all: [(name: String, bytes: [UInt8])] = [
    ("one byte under a long name, in every record", values(count: 20_000, nameBytes: 255, value: [0])),
    ("an array of bytes", values(count: 1, nameBytes: 1, value: array(of: [0], count: 400_000))),
    ("an array of arrays", values(count: 1, nameBytes: 1, value: array(of: [9, 0], count: 400_000))),
    ("a map of short names", values(count: 1, nameBytes: 1, value: mapOfShortNames)),
    ("a long text that is not ASCII", values(count: 1, nameBytes: 1, value: text(count: 200_000))),
    ("a name in a map that is not ASCII", values(count: 1, nameBytes: 1, value: mapOfOneLongName)),
    ("fields that each record has all of", wide(records: 4)),
    ("a timestamp for each field", wide(records: 20, timestampPerRegister: true)),
    ("a shape for each record", shapes(count: 20_000)),
    ("a collection for each record", collections(count: 20_000)),
    ("log entries of arrays", entries(count: 50, map: [10, 1, 1, 0x61] + array(of: [0], count: 10_000))),
    ("log entries of nothing", entries(count: 20_000, map: [10, 0])),
    ("replicas that cover something", bytes(replicas: 20_000, records: [0], entries: [0])),
    ("replicas that cover nothing", bytes(unusedReplicas: 40_000)),
    ("fields and nothing behind them", fields(count: 60_000, behind: 0)),
    ("fields that are one field", fields(count: 60_000, behind: 120_000)),
  ]

  /// A delta with `replicas` that cover a millisecond and more each.
  static func bytes(replicas: Int = 1, records: [UInt8], entries: [UInt8]) -> [UInt8] {
    var writer = preamble
    writer.write(count: replicas)
    for id in 1...replicas {
      writer.write(bigEndian: UInt64(id))
      writer.write(1 as UInt8)
      writer.write(bigEndian: 1 << 40)
    }
    writer.write(records)
    writer.write(entries)
    writer.write([UInt8](repeating: 0, count: 8))
    return writer.bytes
  }

  private static var preamble: ByteWriter {
    var writer = ByteWriter()
    writer.write([0x52, 0x4a, 1, 0])
    writer.write([UInt8](repeating: 7, count: 16))
    return writer
  }

  private static func bytes(unusedReplicas count: Int) -> [UInt8] {
    var writer = preamble
    writer.write(count: count)
    for id in 1...count {
      writer.write(bigEndian: UInt64(id))
      writer.write(2 as UInt8)
    }
    writer.write([UInt8](repeating: 0, count: 10))
    return writer.bytes
  }

  // MARK: Records

  /// Starts the records: their count, one collection and ascending ids.
  private static func records(count: Int) -> ByteWriter {
    var writer = ByteWriter()
    writer.write(count: count)
    writer.write([1, 1, 0x63, 0])
    writer.write(count: count)
    writeIdentifiers(count: count, to: &writer)
    return writer
  }

  private static func writeIdentifiers(count: Int, to writer: inout ByteWriter) {
    for id in 0..<count {
      writer.write(bigEndian: 1)
      writer.write(bigEndian: UInt64(id))
    }
  }

  /// The same time of one replica for each part.
  private static func writeTimestamps(count: Int, to writer: inout ByteWriter) {
    writer.write(2 as UInt8)
    writer.write([UInt8](repeating: 0, count: count - 1 + count))
  }

  private static func name(_ number: Int, count: Int) -> [UInt8] {
    let digits = Array(String(number).utf8)
    return [UInt8](repeating: 0x30, count: max(0, count - digits.count)) + digits
  }

  /// Records of one field with one value.
  static func values(count: Int, nameBytes: Int, value: [UInt8]) -> [UInt8] {
    var writer = records(count: count)
    writer.write(count: 1)
    writer.write(count: nameBytes << 1)
    writer.write(name(0, count: nameBytes))
    writer.write(0 as UInt8)
    writer.write([UInt8](repeating: 1, count: count - 1))
    writer.write([2, 1, 0, 0])
    writeTimestamps(count: count, to: &writer)
    writer.write(count: count * value.count)
    for _ in 0..<count { writer.write(value) }
    return bytes(records: writer.bytes, entries: [0])
  }

  /// Records that each have all of 4,096 fields.
  private static func wide(records count: Int, timestampPerRegister: Bool = false) -> [UInt8] {
    let width = Limits.registersPerRecord
    var writer = records(count: count)
    writer.write(count: width)
    for field in 0..<width {
      writer.write(8 as UInt8)
      writer.write(name(field, count: 4))
    }
    writer.write(0 as UInt8)
    writer.write([UInt8](repeating: 1, count: count - 1))
    let timestamps = timestampPerRegister ? width : 1
    writer.write(count: timestamps << 1)
    writer.write(count: width)
    for field in 0..<width {
      writer.write(count: field)
      writer.write(count: timestampPerRegister ? field << 2 : 0)
    }
    for record in 0..<count {
      for timestamp in 0..<timestamps {
        writer.write(record + timestamp == 0 || timestamp > 0 ? 2 : 0 as UInt8)
      }
    }
    writer.write([UInt8](repeating: 0, count: timestamps * count))
    for _ in 0..<width {
      writer.write(count: count)
      writer.write([UInt8](repeating: 0, count: count))
    }
    return bytes(records: writer.bytes, entries: [0])
  }

  /// Deleted records that each have a shape of their own.
  private static func shapes(count: Int) -> [UInt8] {
    var writer = records(count: count)
    writer.write(0 as UInt8)
    writer.write([UInt8](repeating: 0, count: count))
    for shape in 0..<count {
      writer.write(3 as UInt8)
      writer.write(count: shape + 2)
      writer.write([0, 0])
    }
    writeTimestamps(count: count, to: &writer)
    return bytes(records: writer.bytes, entries: [0])
  }

  /// Deleted records that each have a collection of their own.
  private static func collections(count: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(count: count)
    writer.write(count: count)
    for collection in 0..<count { writer.write(counted: name(collection, count: 16)) }
    for collection in 0..<count {
      writer.write(count: collection)
      writer.write(1 as UInt8)
    }
    writeIdentifiers(count: count, to: &writer)
    writer.write([0, 0])
    writer.write([UInt8](repeating: 1, count: count - 1))
    writer.write([3, 2, 0, 0])
    writeTimestamps(count: count, to: &writer)
    return bytes(records: writer.bytes, entries: [0])
  }

  /// Short fields, the same again from the 10,000th on, and zeros behind them.
  private static func fields(count: Int, behind: Int) -> [UInt8] {
    var writer = records(count: 1)
    writer.write(count: count)
    for field in 0..<count {
      writer.write(8 as UInt8)
      writer.write(name(field % 10_000, count: 4))
    }
    writer.write([UInt8](repeating: 0, count: behind))
    return bytes(records: writer.bytes, entries: [])
  }

  // MARK: Values and log entries

  private static func array(of element: [UInt8], count: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(9 as UInt8)
    writer.write(count: count)
    for _ in 0..<count { writer.write(element) }
    return writer.bytes
  }

  private static func text(count: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(5 as UInt8)
    writer.write(counted: [UInt8](String(repeating: "é", count: count).utf8))
    return writer.bytes
  }

  private static var mapOfShortNames: [UInt8] {
    var writer = ByteWriter()
    writer.write(10 as UInt8)
    writer.write(count: 100_000)
    for name in 0..<100_000 {
      writer.write(counted: self.name(name, count: 5))
      writer.write(0 as UInt8)
    }
    return writer.bytes
  }

  private static var mapOfOneLongName: [UInt8] { [10, 1] + text(count: 200_000).dropFirst() + [0] }

  private static func entries(count: Int, map: [UInt8]) -> [UInt8] {
    var writer = records(count: count)
    writeTimestamps(count: count, to: &writer)
    for _ in 0..<count { writer.write(map) }
    return bytes(records: [0], entries: writer.bytes)
  }
}
