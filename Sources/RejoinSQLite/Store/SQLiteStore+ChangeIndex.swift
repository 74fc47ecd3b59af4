package import Rejoin

extension SQLiteStore {
  package func changes(notCoveredBy vector: VersionVector) throws -> StoredKeys {
    var keys = StoredKeys()
    var seen = Set<RecordKey>()
    for origin in try origins() {
      let statement = try connection.cached(
        "SELECT space, id FROM rejoin_change WHERE replica = ?1 AND time > ?2 ORDER BY time, space, id")
      try statement.bind(origin.sortable, at: 1)
      try statement.bind(vector[origin].sortable, at: 2)
      defer { statement.reset() }
      while try statement.step() {
        switch try key(statement, from: 0) {
        case .record(let key): if seen.insert(key).inserted { keys.records.append(key) }
        case .entry(let key): keys.entries.append(key)
        }
      }
    }
    return keys
  }

  /// The replicas that occur in the change index, found by skipping from one to the next.
  package func origins() throws -> [ReplicaID] {
    var origins: [ReplicaID] = []
    let statement = try connection.cached(
      "SELECT replica FROM rejoin_change WHERE replica > ?1 ORDER BY replica LIMIT 1")
    let first = try connection.cached("SELECT replica FROM rejoin_change ORDER BY replica LIMIT 1")
    defer {
      first.reset()
      statement.reset()
    }
    var next = try first.step() ? first.replica(at: 0, of: changeIndex) : nil
    while let replica = next {
      origins.append(replica)
      try statement.bind(replica.sortable, at: 1)
      next = try statement.step() ? statement.replica(at: 0, of: changeIndex) : nil
      statement.reset()
      // In a damaged file even SQLite's order need not hold, and what does not grow would never end.
      if let next, next <= replica { throw StoreError.damaged(path: connection.path, what: changeIndex) }
    }
    return origins
  }

  package func changes(by origin: ReplicaID, after place: ChangePlace, limit: Int) throws -> [ChangePlace] {
    let (space, id) = position(of: place.key)
    let statement = try connection.cached(
      "SELECT time, space, id FROM rejoin_change WHERE replica = ?1 AND (time, space, id) > (?2, ?3, ?4) "
        + "ORDER BY time, space, id LIMIT ?5")
    try statement.bind(origin.sortable, at: 1)
    try statement.bind(place.time.sortable, at: 2)
    try statement.bind(.int(space), at: 3)
    try statement.bind(.blob(id), at: 4)
    try statement.bind(.int(Int64(limit)), at: 5)
    defer { statement.reset() }
    var places: [ChangePlace] = []
    while try statement.step() {
      places.append(
        ChangePlace(try statement.time(at: 0, of: changeIndex), try key(statement, from: 1)))
    }
    return places
  }

  /// Where a key stands among those of one time; one that the file never had stands before all of them.
  private func position(of key: StoredKey?) -> (space: Int64, id: [UInt8]) {
    switch key {
    case nil: (.max, [])
    case .record(let key)?: (spaces.space(of: key.collection)?.number ?? -1, key.id.bytes)
    case .entry(let key)?: (spaces.space(of: key.log)?.number ?? -1, key.id.bytes)
    }
  }

  package func records(at timestamp: Timestamp) throws -> [RecordKey] {
    let statement = try connection.cached(
      "SELECT space, id FROM rejoin_change WHERE replica = ?1 AND time = ?2 ORDER BY space, id")
    try statement.bind(timestamp.replica.sortable, at: 1)
    try statement.bind(timestamp.time.sortable, at: 2)
    defer { statement.reset() }
    var keys: [RecordKey] = []
    while try statement.step() {
      if case .record(let key) = try key(statement, from: 0) { keys.append(key) }
    }
    return keys
  }

  package func latestTime(of replica: ReplicaID, notAfter bound: HybridTime) throws -> HybridTime {
    let statement = try connection.cached(
      "SELECT time FROM rejoin_change WHERE replica = ?1 AND time <= ?2 ORDER BY time DESC LIMIT 1")
    try statement.bind(replica.sortable, at: 1)
    try statement.bind(bound.sortable, at: 2)
    defer { statement.reset() }
    return try statement.step() ? statement.time(at: 0, of: changeIndex) : .zero
  }

  package func waiting(notAfter bound: HybridTime) throws -> [WaitingRegister] {
    let statement = try connection.cached(
      "SELECT space, id, time, replica FROM rejoin_waiting WHERE time <= ?1 ORDER BY time, replica")
    try statement.bind(bound.sortable, at: 1)
    defer { statement.reset() }
    var waiting: [WaitingRegister] = []
    while try statement.step() {
      guard case .record(let key) = try key(statement, from: 0) else { continue }
      let timestamp = Timestamp(
        time: try statement.time(at: 2, of: waitingIndex),
        replica: try statement.replica(at: 3, of: waitingIndex))
      // Whoever looks at the moment before it needs one.
      guard timestamp.time > .zero else {
        throw StoreError.damaged(path: connection.path, what: waitingIndex)
      }
      waiting.append(WaitingRegister(timestamp: timestamp, record: key))
    }
    return waiting.sorted()
  }

  package func forEachRecordHoldingBack(
    _ timestamp: Timestamp, _ body: (RecordKey) throws -> Bool
  ) throws {
    let statement = try connection.cached(
      "SELECT space, id FROM rejoin_waiting WHERE time = ?1 AND replica = ?2 AND held_back = 1")
    try statement.bind(timestamp.time.sortable, at: 1)
    try statement.bind(timestamp.replica.sortable, at: 2)
    defer { statement.reset() }
    while try statement.step() {
      guard case .record(let key) = try key(statement, from: 0) else { continue }
      guard try body(key) else { return }
    }
  }

  /// What an index entry names.
  private func key(_ row: SQLiteStatement, from column: Int) throws -> StoredKey {
    let bytes = try row.blob(at: column + 1)
    guard let name = spaces.name(of: try row.number(at: column, of: changeIndex)) else {
      throw StoreError.damaged(path: connection.path, what: changeIndex)
    }
    switch name.kind {
    case .collection:
      if let id = RecordID(bytes: bytes) { return .record(RecordKey(Collection(name.name), id)) }
    case .log:
      if let id = EntryID(bytes: bytes) { return .entry(EntryKey(LogName(name.name), id)) }
    }
    throw StoreError.damaged(path: connection.path, what: changeIndex)
  }

  private var changeIndex: String { "its change index" }
  private var waitingIndex: String { "its list of waiting registers" }
}
