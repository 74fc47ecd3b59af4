import RejoinCore

/// The change index of the store in memory: by origin and time, what was written then and still stands.
struct ChangeIndex {
  private var origins: [ReplicaID: SortedChunks<Place>] = [:]
  private var collections = Interning<Collection>()
  private var logs = Interning<LogName>()

  /// How many entries were looked at.
  var probes: Int { origins.values.reduce(lookups) { $0 + $1.probes } }
  private var lookups = 0

  /// An entry; names are numbers, so that it stays small.
  private struct Place: Comparable {
    var time: HybridTime
    /// Twice the number of the collection, or twice that of the log plus one.
    var space: Int32
    var high: UInt64
    var low: UInt64

    static func start(after time: HybridTime) -> Place {
      Place(time: time.successor, space: 0, high: 0, low: 0)
    }

    static func < (left: Place, right: Place) -> Bool {
      if left.time != right.time { return left.time < right.time }
      if left.space != right.space { return left.space < right.space }
      return left.high == right.high ? left.low < right.low : left.high < right.high
    }
  }

  // MARK: Changing

  mutating func insert(_ timestamp: Timestamp, _ key: RecordKey) {
    let place = place(timestamp.time, key)
    origins[timestamp.replica, default: SortedChunks()].insert(place)
  }

  mutating func remove(_ timestamp: Timestamp, _ key: RecordKey) {
    let place = place(timestamp.time, key)
    origins[timestamp.replica]?.remove(place)
  }

  mutating func insert(_ timestamp: Timestamp, _ key: EntryKey) {
    let place = place(timestamp.time, key)
    origins[timestamp.replica, default: SortedChunks()].insert(place)
  }

  mutating func remove(_ timestamp: Timestamp, _ key: EntryKey) {
    let place = place(timestamp.time, key)
    origins[timestamp.replica]?.remove(place)
  }

  private mutating func place(_ time: HybridTime, _ key: RecordKey) -> Place {
    Place(time: time, space: collections.number(of: key.collection) * 2, high: key.id.high, low: key.id.low)
  }

  private mutating func place(_ time: HybridTime, _ key: EntryKey) -> Place {
    Place(time: time, space: logs.number(of: key.log) * 2 + 1, high: key.id.high, low: key.id.low)
  }

  // MARK: Finding

  /// The keys of everything that `vector` does not cover, each once.
  mutating func changes(notCoveredBy vector: VersionVector) -> StoredKeys {
    var keys = StoredKeys()
    var seen = Set<RecordKey>()
    var places: [Place] = []
    for replica in Array(origins.keys) {
      lookups += 1
      let covered = vector[replica]
      guard covered < .distantFuture else { continue }
      origins[replica]?.forEach(from: .start(after: covered)) { place in
        places.append(place)
        return true
      }
    }
    for place in places {
      if place.space & 1 == 1 {
        keys.entries.append(entryKey(place))
      } else {
        let key = recordKey(place)
        if seen.insert(key).inserted { keys.records.append(key) }
      }
    }
    return keys
  }

  /// The replicas of which there is an entry.
  var replicas: [ReplicaID] { origins.filter { !$0.value.isEmpty }.map(\.key) }

  /// At most `limit` entries of an origin behind a place, in their order.
  mutating func changes(by origin: ReplicaID, after place: ChangePlace, limit: Int) -> [ChangePlace] {
    let start = position(of: place)
    var found: [Place] = []
    origins[origin]?.forEach(from: start) { next in
      if place.key == nil || next != start { found.append(next) }
      return found.count < limit
    }
    return found.map { ChangePlace($0.time, key($0)) }
  }

  /// Where to go on behind a place; behind a key that was never here the entries of its time come all.
  private func position(of place: ChangePlace) -> Place {
    switch place.key {
    case nil: .start(after: place.time)
    case .record(let key)?:
      Place(
        time: place.time, space: collections.known(key.collection).map { $0 * 2 } ?? -1, high: key.id.high,
        low: key.id.low)
    case .entry(let key)?:
      Place(
        time: place.time, space: logs.known(key.log).map { $0 * 2 + 1 } ?? -1, high: key.id.high,
        low: key.id.low)
    }
  }

  private func key(_ place: Place) -> StoredKey {
    place.space & 1 == 0 ? .record(recordKey(place)) : .entry(entryKey(place))
  }

  /// The records that hold something under `timestamp`.
  mutating func records(at timestamp: Timestamp) -> [RecordKey] {
    var places: [Place] = []
    let start = Place(time: timestamp.time, space: 0, high: 0, low: 0)
    origins[timestamp.replica]?.forEach(from: start) { place in
      guard place.time == timestamp.time else { return false }
      if place.space & 1 == 0 { places.append(place) }
      return true
    }
    return places.map(recordKey)
  }

  /// The latest time of a replica that is not after `bound`.
  mutating func latestTime(of replica: ReplicaID, notAfter bound: HybridTime) -> HybridTime {
    let end = Place(time: bound, space: .max, high: .max, low: .max)
    return origins[replica]?.last(before: end)?.time ?? .zero
  }

  private func entryKey(_ place: Place) -> EntryKey {
    EntryKey(logs.name(of: place.space / 2), EntryID(high: place.high, low: place.low))
  }

  private func recordKey(_ place: Place) -> RecordKey {
    RecordKey(collections.name(of: place.space / 2), RecordID(high: place.high, low: place.low))
  }
}

/// Numbers for names.
private struct Interning<Element: Hashable> {
  private var numbers: [Element: Int32] = [:]
  private var names: [Element] = []

  mutating func number(of name: Element) -> Int32 {
    if let number = numbers[name] { return number }
    let number = Int32(names.count)
    numbers[name] = number
    names.append(name)
    return number
  }

  func known(_ name: Element) -> Int32? { numbers[name] }

  func name(of number: Int32) -> Element { names[Int(number)] }
}
