/// Checking the records of a delta without putting one of them together.
///
/// What is kept of them is smaller than what it came in: per address and shape where it stands, and of the rest
/// only where the column begins.
extension RecordColumns {
  /// Reads and checks `count` records, column by column; nil for none.
  init?(from reader: inout ByteReader, replicas: inout DeltaReplicas) throws(CodingError) {
    let count = try reader.readCount(of: "records", eachAtLeast: 19)
    guard count > 0 else { return nil }
    let collections = try NameColumn<Collection>(from: &reader, count: count, of: "collection")
    let ids = reader
    guard count <= reader.remaining / 16 else { throw .truncated(offset: reader.position) }
    _ = try reader.readRange(count: 16 * count)
    let addresses = try RecordColumns.skipAddresses(in: &reader)
    let shapeReferences = reader
    let shapes = try RecordColumns.skipShapes(in: &reader, count: count, addresses: addresses)
    let counts = ShapeCounts(
      bytes: reader.bytes, shapes: shapes, references: ShapeReferences(shapeReferences, count: count))
    let timestamps = try TimestampColumn(from: &reader, replicas: &replicas, counts: counts)
    var values: [Range<Int>] = []
    values.reserveCapacity(addresses.count)
    for _ in addresses { values.append(try reader.readCountedRange(of: "values")) }
    let layout = RecordLayout(
      bytes: reader.bytes, count: count, collections: collections, ids: ids, addresses: addresses,
      shapeReferences: shapeReferences, shapes: shapes, timestamps: timestamps, values: values)
    try RecordColumns.check(layout, offset: reader.position)
    self.init(layout)
  }

  private static func skipAddresses(in reader: inout ByteReader) throws(CodingError) -> [Range<Int>] {
    // Besides itself an address takes two bytes of a shape, the count of its column and a value.
    let count = try reader.readCount(of: "fields", eachAtLeast: 5)
    var addresses: [Range<Int>] = []
    addresses.reserveCapacity(count)
    for _ in 0..<count {
      let range = try RegisterAddress.skipChecked(in: &reader)
      guard range.count <= Limits.nameBytes * 2 else { throw .malformed("field", offset: range.lowerBound) }
      addresses.append(range)
    }
    guard reader.areDistinct(addresses) else { throw .malformed("fields", offset: reader.position) }
    return addresses
  }

  /// The shape column, then the definitions of the shapes that it calls new.
  private static func skipShapes(
    in reader: inout ByteReader, count: Int, addresses: [Range<Int>]
  ) throws(CodingError) -> [Range<Int>] {
    var references = ShapeReferences(reader, count: count)
    while try references.next() != nil {}
    reader = references.reader
    // A head, a count, and a life or a register.
    guard references.known <= reader.remaining / 4 else { throw .truncated(offset: reader.position) }
    var shapes: [Range<Int>] = []
    shapes.reserveCapacity(references.known)
    var usedAddresses = 0
    for _ in 0..<references.known {
      shapes.append(try FragmentShape.skip(in: &reader, addresses: addresses, used: &usedAddresses))
    }
    guard usedAddresses == addresses.count, reader.areDistinct(shapes) else {
      throw .malformed("shapes", offset: reader.position)
    }
    return shapes
  }

  /// Checks the values and the order of the records.
  private static func check(_ layout: RecordLayout, offset: Int) throws(CodingError) {
    var cursor = RecordCursor(layout)
    var keys = Set<RecordKey>(minimumCapacity: layout.count)
    var last: (first: Timestamp, key: RecordKey)?
    while cursor.remaining > 0 {
      let key = try cursor.nextKey()
      var shape = try cursor.nextShape()
      let first = try cursor.nextTimestamp(isFirst: true)
      for _ in 1..<shape.timestampCount { _ = try cursor.nextTimestamp(isFirst: false) }
      while let register = try shape.next(addressCount: layout.addresses.count) {
        _ = try cursor.nextValue(at: register.address)
      }
      if let last, last.first == first ? last.key >= key : last.first > first {
        throw .malformed("order of records", offset: offset)
      }
      guard keys.insert(key).inserted else { throw .malformed("order of records", offset: offset) }
      last = (first, key)
    }
    for (position, range) in zip(cursor.positions, layout.values) where position < range.upperBound {
      throw .malformed("values", offset: position)
    }
  }
}

/// How many timestamps the records have, by their shapes.
private struct ShapeCounts: PartCounts {
  let bytes: [UInt8]
  let shapes: [Range<Int>]
  var references: ShapeReferences

  mutating func next() throws(CodingError) -> Int? {
    guard let index = try references.next() else { return nil }
    return try FragmentShapeReader(ByteReader(bytes, in: shapes[index])).timestampCount
  }
}
