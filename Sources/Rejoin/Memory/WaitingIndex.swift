import RejoinCore

/// The waiting registers of the store in memory: by timestamp, those first that hold their transaction back.
struct WaitingIndex {
  private var places = SortedChunks<Place>()

  private struct Place: Comparable {
    var timestamp: Timestamp
    var isFree: Bool
    var record: RecordKey?

    static func < (left: Place, right: Place) -> Bool {
      if left.timestamp != right.timestamp { return left.timestamp < right.timestamp }
      if left.isFree != right.isFree { return !left.isFree }
      guard let rightRecord = right.record else { return false }
      return left.record.map { $0 < rightRecord } ?? true
    }
  }

  /// Adds a register.
  mutating func insert(_ waiting: WaitingRegister, isHeldBack: Bool) {
    places.insert(Place(timestamp: waiting.timestamp, isFree: !isHeldBack, record: waiting.record))
  }

  /// Removes a register, and says whether it was there.
  @discardableResult
  mutating func remove(_ waiting: WaitingRegister) -> Bool {
    let free = places.remove(Place(timestamp: waiting.timestamp, isFree: true, record: waiting.record))
    let held = places.remove(Place(timestamp: waiting.timestamp, isFree: false, record: waiting.record))
    return free || held
  }

  /// The registers that are not stamped after `bound`, in order of timestamp and record.
  mutating func registers(notAfter bound: HybridTime) -> [WaitingRegister] {
    var registers: [WaitingRegister] = []
    let first = Timestamp(time: .zero, replica: ReplicaID(rawValue: 0))
    places.forEach(from: Place(timestamp: first, isFree: false, record: nil)) { place in
      guard place.timestamp.time <= bound, let record = place.record else { return false }
      registers.append(WaitingRegister(timestamp: place.timestamp, record: record))
      return true
    }
    return registers.sorted()
  }

  /// Calls `body` for the records that hold a transaction back, until it returns false.
  mutating func forEachRecordHoldingBack(
    _ timestamp: Timestamp, _ body: (RecordKey) throws -> Bool
  ) rethrows {
    try places.forEach(from: Place(timestamp: timestamp, isFree: false, record: nil)) { place in
      guard place.timestamp == timestamp, !place.isFree, let record = place.record else { return false }
      return try body(record)
    }
  }
}
