import RejoinCore

/// The reference store: everything in memory, nothing durable, a commit cannot fail.
package final class MemoryStore: Store {
  private var storedHeader: StoreHeader?
  private var storedVector = VersionVector()
  private var records: [Collection: [RecordID: PackedRecord]] = [:]
  private var logEntries: [EntryKey: LogEntry] = [:]
  private var logOrder: [LogName: SortedChunks<LogPlace>] = [:]
  private var index = ChangeIndex()
  private var waitingRegisters = WaitingIndex()
  private var childIndex = ChildIndex()
  private var valueIndex = ValueIndex()
  private var labels: [HybridTime: String] = [:]
  private var declared: [Collection: [FieldName]] = [:]
  private var localState = LocalTable()

  /// How often the indexes looked at an entry, for tests that hold cost against what is returned.
  package var probes: Int {
    index.probes + childIndex.probes + valueIndex.probes + logOrder.values.reduce(0) { $0 + $1.probes }
      + recordReads
  }
  private var recordReads = 0

  /// Makes an empty store.
  package init() {}

  package func header() -> StoreHeader? { storedHeader }

  package func vector() -> VersionVector { storedVector }

  package func beginReading() {}

  package func endReading() {}

  package func beginWriting() {}

  package func cancelWriting() {}

  // MARK: Committing

  package func commit(_ commit: StoreCommit) {
    storedHeader = commit.header
    for entry in commit.vector { storedVector.advance(entry.replica, to: entry.time) }
    for declaration in commit.declarations { declare(declaration.fields, in: declaration.collection) }
    for declaration in commit.references { declare(declaration.references, in: declaration.collection) }
    for declaration in commit.indexes { declare(declaration.indexes, in: declaration.collection) }
    for write in commit.records { apply(write) }
    for write in commit.entries { apply(write) }
    if let label = commit.label { labels[label.time] = label.text }
    for write in commit.local { localState.apply(write) }
    for waiting in commit.due { waitingRegisters.remove(waiting) }
  }

  private func apply(_ write: StoreCommit.RecordWrite) {
    guard write.old != write.new else { return }
    records[write.key.collection, default: [:]][write.key.id] = write.new
    let old = write.old?.timestamps ?? []
    let new = write.new.timestamps
    for timestamp in old where !new.contains(timestamp) { index.remove(timestamp, write.key) }
    for timestamp in new where !old.contains(timestamp) { index.insert(timestamp, write.key) }
    applyWaiting(write)
    childIndex.apply(write)
    valueIndex.apply(write)
  }

  private func applyWaiting(_ write: StoreCommit.RecordWrite) {
    let old = write.old?.waitingTransactions ?? [:]
    let new = write.new.waitingTransactions
    for (timestamp, _) in old where new[timestamp] == nil {
      waitingRegisters.remove(WaitingRegister(timestamp: timestamp, record: write.key))
    }
    for (timestamp, isHeldBack) in new {
      let waiting = WaitingRegister(timestamp: timestamp, record: write.key)
      // What was told as due is on the list no more, and must not come back.
      if old[timestamp] == nil || waitingRegisters.remove(waiting) {
        waitingRegisters.insert(waiting, isHeldBack: isHeldBack)
      }
    }
  }

  private func apply(_ write: StoreCommit.EntryWrite) {
    logEntries[write.key] = write.new
    if let old = write.old {
      logOrder[write.key.log]?.remove(LogPlace(timestamp: old.timestamp, id: write.key.id))
      index.remove(old.timestamp, write.key)
    }
    guard let new = write.new else { return }
    logOrder[write.key.log, default: SortedChunks()].insert(
      LogPlace(timestamp: new.timestamp, id: write.key.id))
    index.insert(new.timestamp, write.key)
  }

  // MARK: Reading

  package func record(_ key: RecordKey) -> PackedRecord? {
    recordReads += 1
    return records[key.collection]?[key.id]
  }

  package func forEachRecord(
    in collection: Collection, _ body: (RecordID, PackedRecord) throws -> Void,
    unreadable: (UnreadableRecord) throws -> Void
  ) rethrows {
    let records = records[collection] ?? [:]
    for (id, record) in records.sorted(by: { $0.key < $1.key }) { try body(id, record) }
  }

  package func collections() -> [Collection] {
    Set(records.keys).union(declared.keys).sorted()
  }

  package func entry(_ key: EntryKey) -> LogEntry? {
    recordReads += 1
    return logEntries[key]
  }

  package func forEachEntry(in log: LogName, _ body: (EntryID, LogEntry) throws -> Void) rethrows {
    try logOrder[log]?.forEach(from: .first) { place in
      if let entry = logEntries[EntryKey(log, place.id)] { try body(place.id, entry) }
      return true
    }
  }

  package func logs() -> [LogName] { logOrder.filter { !$0.value.isEmpty }.keys.sorted() }

  package func changes(notCoveredBy vector: VersionVector) -> StoredKeys {
    index.changes(notCoveredBy: vector)
  }

  package func origins() -> [ReplicaID] { index.replicas }

  package func changes(by origin: ReplicaID, after place: ChangePlace, limit: Int) -> [ChangePlace] {
    index.changes(by: origin, after: place, limit: limit)
  }

  package func records(at timestamp: Timestamp) -> [RecordKey] { index.records(at: timestamp) }

  package func latestTime(of replica: ReplicaID, notAfter bound: HybridTime) -> HybridTime {
    index.latestTime(of: replica, notAfter: bound)
  }

  package func waiting(notAfter bound: HybridTime) -> [WaitingRegister] {
    waitingRegisters.registers(notAfter: bound)
  }

  package func forEachRecordHoldingBack(
    _ timestamp: Timestamp, _ body: (RecordKey) throws -> Bool
  ) rethrows {
    try waitingRegisters.forEachRecordHoldingBack(timestamp, body)
  }

  package func label(at time: HybridTime) -> String? { labels[time] }

  package func editedRecords(in collection: Collection) -> [RecordKey] { [] }

  package func declare(_ fields: [FieldName], in collection: Collection) {
    let known = Set(declared[collection] ?? [])
    declared[collection, default: []] += fields.filter { !known.contains($0) }
  }

  package func declaredFields(of collection: Collection) -> [FieldName] { declared[collection] ?? [] }

  package func declare(_ references: [Reference], in collection: Collection) {
    childIndex.declare(references, in: collection, records: records[collection] ?? [:])
  }

  package func references() -> ReferenceTable { childIndex.references }

  package func children(of parent: RecordKey) -> [RecordKey] { childIndex.children(of: parent) }

  package func forEachChild(
    in collection: Collection, through field: FieldName,
    _ body: (_ parent: RecordID, _ child: RecordID) throws -> Void
  ) rethrows {
    try childIndex.forEachChild(in: collection, through: field, body)
  }

  package func declare(_ indexes: [Index], in collection: Collection) {
    valueIndex.declare(indexes, in: collection, records: records[collection] ?? [:])
  }

  package func remove(_ indexes: [Index], in collection: Collection) {
    valueIndex.remove(indexes, in: collection)
  }

  package func indexes() -> IndexTable { valueIndex.table }

  package func forEachIndexed(
    in collection: Collection, by field: FieldName, within range: KeyRange, descending: Bool,
    _ body: (IndexedRecord) throws -> Bool
  ) rethrows {
    try valueIndex.forEach(in: collection, by: field, within: range, descending: descending, body)
  }

  package func local(_ key: LocalKey) -> String? { localState[key] }

  package func forEachLocal(
    in space: String, from first: [UInt8], _ body: (_ key: [UInt8], _ text: String) throws -> Bool
  ) rethrows {
    // A copy: `body` may ask for other keys.
    var table = localState
    try table.forEach(in: space, from: first, body)
  }
}

/// Where an entry stands in its log.
private struct LogPlace: Comparable {
  var timestamp: Timestamp
  var id: EntryID

  static let first = LogPlace(
    timestamp: Timestamp(time: .zero, replica: ReplicaID(rawValue: 0)), id: EntryID(high: 0, low: 0))

  static func < (left: LogPlace, right: LogPlace) -> Bool {
    left.timestamp == right.timestamp ? left.id < right.id : left.timestamp < right.timestamp
  }
}
