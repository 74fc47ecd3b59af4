/// The replicas that a delta names, in order, with what of their times it may use.
struct DeltaReplicas: Sendable {
  /// The replicas.
  private(set) var ids: [ReplicaID] = []

  /// How far each one's writes are covered.
  private var throughTimes: [HybridTime] = []
  private var isUsed: [Bool] = []

  /// Makes room for `count` replicas.
  init(reserving count: Int) {
    ids.reserveCapacity(count)
    throughTimes.reserveCapacity(count)
    isUsed.reserveCapacity(count)
  }

  /// Adds the next replica.
  mutating func append(_ id: ReplicaID, through: HybridTime, isUsed used: Bool) {
    ids.append(id)
    throughTimes.append(through)
    isUsed.append(used)
  }

  /// Whether something of each one occurs.
  var areAllUsed: Bool { !isUsed.contains(false) }

  /// Notes that a timestamp of a replica occurs; false when the sender's vector does not cover it.
  mutating func use(_ index: Int, at time: HybridTime) -> Bool {
    isUsed[index] = true
    return time > .zero && time <= throughTimes[index]
  }
}

/// Where the times of some parts and their origins stand.
struct TimestampColumn: Sendable {
  private let replicas: [ReplicaID]
  private let times: ByteReader
  private let origins: ByteReader

  /// Reads and checks the timestamps of parts of which `counts` says how many each one has.
  init(
    from reader: inout ByteReader, replicas: inout DeltaReplicas, counts: some PartCounts
  ) throws(CodingError) {
    self.replicas = replicas.ids
    times = reader
    var times = TimeCursor(reader)
    var remaining = counts
    while let count = try remaining.next() {
      for index in 0..<count { _ = try times.next(isFirst: index == 0) }
    }
    origins = times.reader
    var cursor = makeCursor()
    remaining = counts
    while let count = try remaining.next() {
      var last: Timestamp?
      for index in 0..<count {
        let offset = cursor.origins.position
        let timestamp = try cursor.next(isFirst: index == 0)
        guard last.map({ $0 < timestamp }) ?? true, replicas.use(cursor.origin, at: timestamp.time) else {
          throw .malformed("timestamps", offset: offset)
        }
        last = timestamp
      }
    }
    reader = cursor.origins
  }

  /// Reads the column from its start.
  func makeCursor() -> Cursor { Cursor(replicas: replicas, times: TimeCursor(times), origins: origins) }

  /// Reads timestamps one by one.
  struct Cursor {
    fileprivate let replicas: [ReplicaID]
    fileprivate var times: TimeCursor
    fileprivate var origins: ByteReader

    /// Whose the last timestamp was.
    fileprivate var origin = 0

    fileprivate init(replicas: [ReplicaID], times: TimeCursor, origins: ByteReader) {
      self.replicas = replicas
      self.times = times
      self.origins = origins
    }

    /// The next timestamp, the first of its part or not.
    mutating func next(isFirst: Bool) throws(CodingError) -> Timestamp {
      let time = try times.next(isFirst: isFirst)
      origin = try origins.readIndex(into: "replicas", count: replicas.count)
      return Timestamp(time: time, replica: replicas[origin])
    }
  }
}

/// Says of one part of a delta after the other how many timestamps it has; nil after the last.
protocol PartCounts {
  mutating func next() throws(CodingError) -> Int?
}

/// Reads times: the first of a part counts from the first of the part before, the others from the one before.
struct TimeCursor {
  private(set) var reader: ByteReader
  private var first = TimeColumn()
  private var last = TimeColumn()

  init(_ reader: ByteReader) {
    self.reader = reader
  }

  mutating func next(isFirst: Bool) throws(CodingError) -> HybridTime {
    guard isFirst else { return try last.read(from: &reader) }
    let time = try first.read(from: &reader)
    last = first
    return time
  }
}
