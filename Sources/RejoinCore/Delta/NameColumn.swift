/// A column of names: first each name once, then runs of an index and how often it stands.
struct NameColumn<Element: Name>: Sendable {
  private let names: [Element]
  private let runs: ByteReader

  /// Reads and checks a column of `count` names.
  init(from reader: inout ByteReader, count: Int, of what: String) throws(CodingError) {
    let offset = reader.position
    let nameCount = try reader.readCount(of: what, eachAtLeast: 2)
    // Each stands somewhere, and what has a name takes more bytes than the name does in memory.
    guard nameCount <= count else { throw .malformed(what, offset: offset) }
    var names: [Element] = []
    names.reserveCapacity(nameCount)
    for _ in 0..<nameCount {
      let name = Element(try reader.readText(of: what, limit: Limits.nameBytes))
      guard name.isValid else { throw .malformed(what, offset: reader.position) }
      names.append(name)
    }
    runs = reader
    self.names = names
    try NameColumn.skipRuns(in: &reader, count: count, nameCount: nameCount, of: what)
    guard Set(names).count == nameCount else { throw .malformed(what, offset: offset) }
  }

  /// Names come in order of first use, each is used, and neighbouring runs differ.
  private static func skipRuns(
    in reader: inout ByteReader, count: Int, nameCount: Int, of what: String
  ) throws(CodingError) {
    var remaining = count
    var used = 0
    var last: Int?
    while remaining > 0 {
      let offset = reader.position
      let index = try reader.readIndex(into: what, count: min(used + 1, nameCount))
      let run = try reader.readVarint()
      guard run > 0, run <= UInt64(remaining), index != last else { throw .malformed(what, offset: offset) }
      used = max(used, index + 1)
      last = index
      remaining -= Int(run)
    }
    guard used == nameCount else { throw .malformed(what, offset: reader.position) }
  }

  /// Reads the column from its start.
  func makeCursor() -> Cursor { Cursor(names: names, reader: runs) }

  /// Reads a column that was checked.
  struct Cursor {
    fileprivate let names: [Element]
    fileprivate var reader: ByteReader
    private var index = 0
    private var remaining = 0

    fileprivate init(names: [Element], reader: ByteReader) {
      self.names = names
      self.reader = reader
    }

    /// The next name.
    mutating func next() throws(CodingError) -> Element {
      if remaining == 0 {
        index = Int(try reader.readVarint())
        remaining = Int(try reader.readVarint())
      }
      remaining -= 1
      return names[index]
    }
  }
}
