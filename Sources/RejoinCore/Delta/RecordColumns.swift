/// The records of a delta as they stand in its bytes, column by column, all of it checked.
package struct RecordColumns: DeltaColumns {
  /// How many records there are.
  package let count: Int

  private let layout: RecordLayout

  /// Keeps columns that were checked.
  init(_ layout: RecordLayout) {
    self.layout = layout
    count = layout.count
  }

  /// Starts with the first record.
  package func makeIterator() -> Iterator { Iterator(layout) }

  /// Puts one record after the other together.
  package struct Iterator: IteratorProtocol {
    private let layout: RecordLayout
    private var cursor: RecordCursor

    fileprivate init(_ layout: RecordLayout) {
      self.layout = layout
      cursor = RecordCursor(layout)
    }

    /// The next record; nil after the last.
    package mutating func next() -> Delta.RecordPart? {
      guard cursor.remaining > 0 else { return nil }
      do {
        let key = try cursor.nextKey()
        return Delta.RecordPart(key: key, fragment: try assemble())
      } catch {
        preconditionFailure("the columns were checked when they were read: \(error)")
      }
    }

    /// Writes the packed form: its timestamps are those of the shape, in the same order.
    private mutating func assemble() throws(CodingError) -> PackedRecord {
      var shape = try cursor.nextShape()
      var writer = ByteWriter(reserving: 16 * shape.timestampCount + 16 * shape.remaining + 16)
      writer.write(count: shape.timestampCount << 2 | (shape.life == nil ? 0 : Int(PackedHeader.hasLife)))
      if let life = shape.life {
        writer.write(varint: life.count)
        writer.write(count: life.timestamp)
      }
      for index in 0..<shape.timestampCount {
        let timestamp = try cursor.nextTimestamp(isFirst: index == 0)
        writer.write(bigEndian: timestamp.time.rawValue)
        writer.write(bigEndian: timestamp.replica.rawValue)
      }
      while let register = try shape.next(addressCount: layout.addresses.count) {
        writer.write(layout.bytes[layout.addresses[register.address]])
        let hasLife = register.life != 1
        let hasRank = register.rank != 0
        let flags = (hasLife ? PackedHeader.lifeFollows : 0) | (hasRank ? PackedHeader.rankFollows : 0)
        writer.write(varint: UInt64(register.timestamp) << 3 | flags)
        if hasLife { writer.write(varint: register.life) }
        if hasRank { writer.write(varint: register.rank) }
        writer.write(counted: layout.bytes[try cursor.nextValue(at: register.address)])
      }
      return PackedRecord(trusted: writer.bytes)
    }
  }
}

/// Where the columns of records stand in a delta's bytes.
struct RecordLayout: Sendable {
  /// The whole delta.
  let bytes: [UInt8]
  /// How many records there are.
  let count: Int
  /// The record's collections.
  let collections: NameColumn<Collection>
  /// The records' ids.
  let ids: ByteReader
  /// The dictionary of addresses.
  let addresses: [Range<Int>]
  /// A reference to a shape per record.
  let shapeReferences: ByteReader
  /// The definitions of the shapes.
  let shapes: [Range<Int>]
  /// The records' timestamps.
  let timestamps: TimestampColumn
  /// A column of values per address.
  let values: [Range<Int>]
}

/// Reads columns of records side by side: of each record first the key, then the shape, then the rest.
struct RecordCursor {
  /// How many records were not begun yet.
  private(set) var remaining: Int

  private let layout: RecordLayout
  private var collections: NameColumn<Collection>.Cursor
  private var ids: ByteReader
  private var shapes: ShapeReferences
  private var timestamps: TimestampColumn.Cursor
  /// Where the next value of each address stands.
  private(set) var positions: [Int]

  /// Starts with the first record.
  init(_ layout: RecordLayout) {
    self.layout = layout
    remaining = layout.count
    collections = layout.collections.makeCursor()
    ids = layout.ids
    shapes = ShapeReferences(layout.shapeReferences, count: layout.count)
    timestamps = layout.timestamps.makeCursor()
    positions = layout.values.map(\.lowerBound)
  }

  /// Begins the next record.
  mutating func nextKey() throws(CodingError) -> RecordKey {
    remaining -= 1
    let collection = try collections.next()
    let high = try ids.readBigEndian()
    return RecordKey(collection, RecordID(high: high, low: try ids.readBigEndian()))
  }

  /// The record's shape.
  mutating func nextShape() throws(CodingError) -> FragmentShapeReader {
    let index = try shapes.next() ?? 0
    return try FragmentShapeReader(ByteReader(layout.bytes, in: layout.shapes[index]))
  }

  /// The record's next timestamp.
  mutating func nextTimestamp(isFirst: Bool) throws(CodingError) -> Timestamp {
    try timestamps.next(isFirst: isFirst)
  }

  /// Where the next value of an address stands, after checking it.
  mutating func nextValue(at address: Int) throws(CodingError) -> Range<Int> {
    let start = positions[address]
    var reader = ByteReader(layout.bytes, in: start..<layout.values[address].upperBound)
    try Value.skip(in: &reader)
    positions[address] = reader.position
    guard reader.position - start <= Limits.valueBytes else {
      throw .overLimit("bytes of a value", limit: Limits.valueBytes)
    }
    return start..<reader.position
  }
}

/// The column that says of each record which shape it has: 0 for a new one, else one more than its index.
struct ShapeReferences {
  private(set) var reader: ByteReader

  /// How many shapes there were so far.
  private(set) var known = 0
  private var remaining: Int

  init(_ reader: ByteReader, count: Int) {
    self.reader = reader
    remaining = count
  }

  /// The index of the next record's shape; nil after the last.
  mutating func next() throws(CodingError) -> Int? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    let reference = try reader.readIndex(into: "shapes", count: known + 1)
    if reference == 0 { known += 1 }
    return reference == 0 ? known - 1 : reference - 1
  }
}
