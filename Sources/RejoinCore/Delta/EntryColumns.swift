/// The log entries of a delta as they stand in its bytes, column by column, all of it checked.
package struct EntryColumns: DeltaColumns {
  /// How many entries there are.
  package let count: Int

  private let logs: NameColumn<LogName>
  private let ids: ByteReader
  private let timestamps: TimestampColumn
  private let values: ByteReader

  /// Reads and checks the entries; nil for none.
  init?(from reader: inout ByteReader, replicas: inout DeltaReplicas) throws(CodingError) {
    count = try reader.readCount(of: "log entries", eachAtLeast: 20)
    guard count > 0 else { return nil }
    logs = try NameColumn(from: &reader, count: count, of: "log")
    ids = reader
    guard count <= reader.remaining / 16 else { throw .truncated(offset: reader.position) }
    _ = try reader.readRange(count: 16 * count)
    timestamps = try TimestampColumn(from: &reader, replicas: &replicas, counts: OneEach(remaining: count))
    values = reader
    try check(&reader)
  }

  /// Checks the values and the order of the entries.
  private func check(_ reader: inout ByteReader) throws(CodingError) {
    var cursor = Iterator(self)
    var keys = Set<EntryKey>(minimumCapacity: count)
    var last: (timestamp: Timestamp, key: EntryKey)?
    while cursor.remaining > 0 {
      let (key, timestamp) = try cursor.nextKey()
      let offset = reader.position
      guard !reader.isAtEnd else { throw .truncated(offset: offset) }
      guard reader.bytes[offset] == ValueTag.map else { throw .malformed("log entry", offset: offset) }
      try Value.skip(in: &reader)
      guard reader.position - offset <= Limits.entryBytes else {
        throw .overLimit("bytes of a log entry", limit: Limits.entryBytes)
      }
      if let last, last.timestamp == timestamp ? last.key >= key : last.timestamp > timestamp {
        throw .malformed("order of log entries", offset: offset)
      }
      guard keys.insert(key).inserted else { throw .malformed("order of log entries", offset: offset) }
      last = (timestamp, key)
    }
  }

  /// Starts with the first entry.
  package func makeIterator() -> Iterator { Iterator(self) }

  /// Reads one entry after the other.
  package struct Iterator: IteratorProtocol {
    fileprivate var remaining: Int
    private var logs: NameColumn<LogName>.Cursor
    private var ids: ByteReader
    private var timestamps: TimestampColumn.Cursor
    private var values: ByteReader

    fileprivate init(_ columns: EntryColumns) {
      remaining = columns.count
      logs = columns.logs.makeCursor()
      ids = columns.ids
      timestamps = columns.timestamps.makeCursor()
      values = columns.values
    }

    /// Begins the next entry.
    fileprivate mutating func nextKey() throws(CodingError) -> (EntryKey, Timestamp) {
      remaining -= 1
      let log = try logs.next()
      let high = try ids.readBigEndian()
      let id = EntryID(high: high, low: try ids.readBigEndian())
      return (EntryKey(log, id), try timestamps.next(isFirst: true))
    }

    /// The next entry; nil after the last.
    package mutating func next() -> Delta.EntryPart? {
      guard remaining > 0 else { return nil }
      do {
        let (key, timestamp) = try nextKey()
        guard case .map(let values) = try Value.read(from: &values, depth: 0) else {
          preconditionFailure("the columns were checked when they were read: a log entry is a map")
        }
        return Delta.EntryPart(key: key, entry: LogEntry(values, timestamp: timestamp))
      } catch {
        preconditionFailure("the columns were checked when they were read: \(error)")
      }
    }
  }
}

/// One timestamp for each of what remains.
private struct OneEach: PartCounts {
  var remaining: Int

  mutating func next() -> Int? {
    remaining -= 1
    return remaining < 0 ? nil : 1
  }
}
