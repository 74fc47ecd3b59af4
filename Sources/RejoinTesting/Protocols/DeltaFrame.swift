import RejoinCore

/// A delta as it travels between two ends that both know its `from`: its columns, and what those do not tell.
///
/// Mark, format, data set and replica ids are known. Of `through` there are only exceptions, where there are any:
/// entries that reach neither as far as the registers that follow nor, where there are none of a replica, as far as
/// `from`. A replica that `from` does not name is an exception too, for the columns count replicas; its time is 0 when
/// the registers tell it. After the
/// columns, eight bytes of a hash of all of it and of what it stands on: the number of the question, and `from`.
struct DeltaFrame {
  /// The entries of `through` that are written down.
  let exceptions: VectorDifference

  private let delta: Delta
  private let number: Int

  /// Frames a delta that answers the question of a number.
  init(_ delta: Delta, number: Int) {
    self.delta = delta
    self.number = number
    let written = delta.latestTimes
    exceptions = VectorDifference(
      delta.replicas.compactMap { replica in
        let time = delta.through[replica]
        guard time == written[replica] ?? delta.from[replica] else { return (replica, time) }
        return delta.from[replica] > .zero ? nil : (replica, .zero)
      })
  }

  /// Whether any entry is written down.
  var hasExceptions: Bool { !exceptions.entries.isEmpty }

  /// Appends the frame, and says how many bytes the whole delta would take.
  func write(to writer: inout ByteWriter, roster: [ReplicaID]) -> Int {
    let start = writer.bytes.count
    let (bytes, columns) = delta.encodedForm()
    if hasExceptions { exceptions.write(to: &writer, against: delta.from, roster: roster) }
    writer.write(bytes[columns])
    let check = Self.checksum(writer.bytes[start...], number: number, since: delta.from)
    writer.write(bigEndian: check)
    return bytes.count
  }

  /// Where a frame stands, as far as the end that reads it knows.
  struct Place {
    /// The number of the question.
    var number: Int
    /// Whether exceptions are written down.
    var hasExceptions: Bool
    /// What `from` may be, the likeliest first.
    var candidates: [VersionVector]

    /// Reads a frame to its end, and makes the whole delta again; nil when it stands somewhere else.
    func read(
      from reader: inout ByteReader, dataset: DatasetID, roster: [ReplicaID]
    ) throws(CodingError) -> Delta? {
      let frame = try reader.readRange(count: max(reader.remaining, DeltaFrame.checksumSize))
      let content = frame.lowerBound..<frame.upperBound - DeltaFrame.checksumSize
      var tail = ByteReader(reader.bytes, in: content.upperBound..<frame.upperBound)
      let check = try tail.readBigEndian()
      guard
        let from = candidates.first(where: {
          DeltaFrame.checksum(reader.bytes[content], number: number, since: $0) == check
        })
      else { return nil }
      var body = ByteReader(reader.bytes, in: content)
      let exceptions =
        hasExceptions ? try VectorDifference(from: &body, against: from, roster: roster).entries : []

      // The decoder wants every timestamp covered; how far they reach is known only once it has read them.
      let furthest = HybridTime(milliseconds: Limits.wallMilliseconds, counter: .max)
      let replicas = Set(from.entries.map(\.replica) + exceptions.map(\.replica))
      var delta = try Delta(
        columns: reader.bytes, in: body.position..<content.upperBound, dataset: dataset, from: from,
        through: VersionVector(replicas.map { ($0, furthest) }))
      var times = delta.latestTimes
      for exception in exceptions where exception.time > .zero || from[exception.replica] > .zero {
        times[exception.replica] = exception.time
      }
      for entry in from.entries where times[entry.replica] == nil { times[entry.replica] = entry.time }
      delta.through = VersionVector(times.map { ($0.key, $0.value) })
      return delta
    }
  }

  fileprivate static let checksumSize = 8

  fileprivate static func checksum(
    _ bytes: ArraySlice<UInt8>, number: Int, since from: VersionVector
  ) -> UInt64 {
    var hash = SipHash128(key0: 0x7265_6a6f_696e_2d73, key1: 0x6573_7369_6f6e_3031)
    hash.combine(UInt64(number).bigEndianBytes)
    for entry in from.entries {
      hash.combine(entry.replica.rawValue.bigEndianBytes)
      hash.combine(entry.time.rawValue.bigEndianBytes)
    }
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
