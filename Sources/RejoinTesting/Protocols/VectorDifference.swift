import RejoinCore

/// How some entries of a vector differ from those of another that both ends know, in few bytes.
///
/// A varint count; then of each entry a varint of the replica's place in the roster that both ends have, and the
/// distance of its time from the known one: a varint of the zigzag of milliseconds, doubled, plus one when a counter
/// follows.
struct VectorDifference {
  /// The entries, in ascending order of replica.
  private(set) var entries: [(replica: ReplicaID, time: HybridTime)]

  /// Makes a difference of entries in ascending order of replica.
  init(_ entries: [(replica: ReplicaID, time: HybridTime)]) {
    self.entries = entries
  }

  /// Appends the entries as they differ from `known`; all of their replicas stand in the roster.
  func write(to writer: inout ByteWriter, against known: VersionVector, roster: [ReplicaID]) {
    writer.write(count: entries.count)
    for (replica, time) in entries {
      guard let place = roster.firstIndex(of: replica) else {
        preconditionFailure("replicas are on the roster before they write")
      }
      writer.write(count: place)
      let distance = time.milliseconds - known[replica].milliseconds
      let zigzag = UInt64(bitPattern: distance << 1 ^ distance >> 63)
      writer.write(varint: zigzag << 1 | (time.counter == 0 ? 0 : 1))
      if time.counter != 0 { writer.write(count: Int(time.counter)) }
    }
  }

  /// Reads entries that were written against `known`.
  init(
    from reader: inout ByteReader, against known: VersionVector, roster: [ReplicaID]
  ) throws(CodingError) {
    entries = []
    for _ in 0..<(try reader.readCount(of: "vector difference", eachAtLeast: 2)) {
      let replica = roster[try reader.readIndex(into: "roster", count: roster.count)]
      let offset = reader.position
      let head = try reader.readVarint()
      let counter = head & 1 == 0 ? 0 : try reader.readVarint()
      let distance = Int64(bitPattern: head >> 2) ^ -Int64(bitPattern: head >> 1 & 1)
      let (milliseconds, overflow) = known[replica].milliseconds.addingReportingOverflow(distance)
      guard !overflow, 0...Limits.wallMilliseconds ~= milliseconds, let counter = UInt16(exactly: counter)
      else { throw .malformed("vector difference", offset: offset) }
      entries.append((replica, HybridTime(milliseconds: milliseconds, counter: counter)))
    }
  }
}
