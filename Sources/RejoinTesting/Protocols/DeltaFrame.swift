import RejoinCore

/// A delta as it travels between two ends that both know its `from`: its columns, and what those do not tell.
///
/// Mark, format, data set and replica ids are known. Of `through` there are only exceptions: entries that reach
/// neither as far as the registers that follow nor, where there are none of a replica, as far as `from`. After the
/// columns, eight bytes of a hash of all of it.
struct DeltaFrame {
  /// The entries of `through` that are written down.
  let exceptions: VectorDifference

  private let delta: Delta

  /// Frames a delta.
  init(_ delta: Delta) {
    self.delta = delta
    let written = delta.latestTimes
    exceptions = VectorDifference(
      delta.replicas.compactMap { replica in
        let time = delta.through[replica]
        let isTold = delta.from[replica] > .zero && time == written[replica] ?? delta.from[replica]
        return isTold ? nil : (replica, time)
      })
  }

  /// Appends the frame, and says how many bytes the whole delta would take.
  func write(to writer: inout ByteWriter, roster: [ReplicaID]) -> Int {
    let start = writer.bytes.count
    let (bytes, columns) = delta.encodedForm()
    exceptions.write(to: &writer, against: delta.from, roster: roster)
    writer.write(bytes[columns])
    writer.write(bigEndian: Self.checksum(writer.bytes[start...]))
    return bytes.count
  }

  /// Reads a frame to its end, and makes the whole delta again.
  static func read(
    from reader: inout ByteReader, dataset: DatasetID, since from: VersionVector, roster: [ReplicaID]
  ) throws(CodingError) -> Delta {
    let frame = try reader.readRange(count: max(reader.remaining, checksumSize))
    let content = frame.lowerBound..<frame.upperBound - checksumSize
    var tail = ByteReader(reader.bytes, in: content.upperBound..<frame.upperBound)
    guard try tail.readBigEndian() == checksum(reader.bytes[content]) else { throw .checksumMismatch }
    var body = ByteReader(reader.bytes, in: content)
    let exceptions = try VectorDifference(from: &body, against: from, roster: roster).entries

    // The decoder wants every timestamp covered; how far they reach is known only once it has read them.
    let furthest = HybridTime(milliseconds: Limits.wallMilliseconds, counter: .max)
    let replicas = Set(from.entries.map(\.replica) + exceptions.map(\.replica))
    var delta = try Delta(
      columns: reader.bytes, in: body.position..<content.upperBound, dataset: dataset, from: from,
      through: VersionVector(replicas.map { ($0, furthest) }))
    var times = delta.latestTimes
    for exception in exceptions { times[exception.replica] = exception.time }
    delta.through = VersionVector(replicas.map { ($0, times[$0] ?? from[$0]) })
    return delta
  }

  private static let checksumSize = 8

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var hash = SipHash128(key0: 0x7265_6a6f_696e_2d73, key1: 0x6573_7369_6f6e_3031)
    hash.combine(bytes)
    return hash.finalize().0
  }
}

extension Delta {
  /// The replicas that its vectors name, ascending.
  fileprivate var replicas: [ReplicaID] { from.merging(through).entries.map(\.replica) }

  /// The latest time of each replica in its records and log entries.
  fileprivate var latestTimes: [ReplicaID: HybridTime] {
    var latest = VersionVector()
    for part in records {
      for timestamp in part.fragment.timestamps { latest.advance(timestamp.replica, to: timestamp.time) }
    }
    for part in entries { latest.advance(part.entry.timestamp.replica, to: part.entry.timestamp.time) }
    return Dictionary(uniqueKeysWithValues: latest.entries.map { ($0.replica, $0.time) })
  }
}
