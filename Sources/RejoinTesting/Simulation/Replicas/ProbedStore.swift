package import Rejoin
package import RejoinCore
import Synchronization

/// What a test tells a store that it gave away, and learns from it.
package final class StoreProbe: Sendable {
  /// What commits have touched.
  package struct Touched: Sendable {
    /// Records that were written.
    package var records: Set<RecordKey> = []
    /// Log entries that were written, or went.
    package var entries: Set<EntryKey> = []
  }

  private struct State {
    var failures = 0
    var commits = 0
    var cost = 0
    var localReads = 0
    var touched: Touched?
  }

  private let state = Mutex(State())

  /// Makes a probe.
  package init() {}

  /// Makes the next commits fail.
  package func failCommits(_ count: Int = 1) {
    state.withLock { $0.failures = count }
  }

  /// How often something was committed.
  package var commitCount: Int { state.withLock { $0.commits } }

  /// Starts to remember what commits touch.
  package func watch() {
    state.withLock { $0.touched = Touched() }
  }

  /// What commits have touched since this was last asked, of a probe that watches.
  package func takeTouched() -> Touched {
    state.withLock { state in
      defer { state.touched = Touched() }
      return state.touched ?? Touched()
    }
  }

  fileprivate func countCommit(_ records: [RecordKey], _ entries: [EntryKey]) {
    state.withLock { state in
      state.commits += 1
      state.touched?.records.formUnion(records)
      state.touched?.entries.formUnion(entries)
    }
  }

  /// How often the store was asked for a text that it keeps for its device.
  package var localReads: Int { state.withLock { $0.localReads } }

  fileprivate func countLocalRead() {
    state.withLock { $0.localReads += 1 }
  }

  /// What the store's indexes or SQLite's machine have done so far: entries looked at, or steps.
  package var cost: Int { state.withLock { $0.cost } }

  /// What `body` costs.
  package func cost(of body: () throws -> Void) rethrows -> Int {
    let before = cost
    try body()
    return cost - before
  }

  fileprivate func report(_ cost: Int) {
    state.withLock { $0.cost = cost }
  }

  fileprivate func takeFailure() -> Bool {
    state.withLock { state in
      guard state.failures > 0 else { return false }
      state.failures -= 1
      return true
    }
  }
}

/// The storage failed because a test said so.
package struct InjectedFailure: Error, Equatable {
  /// Makes one.
  package init() {}
}

/// A store that forwards everything to another one, fails on demand and reports what it costs.
package final class ProbedStore: Store {
  private let base: any Store
  private let probe: StoreProbe
  private let cost: () -> Int

  /// Watches a store whose cost so far `cost` tells.
  package init(_ base: any Store, probe: StoreProbe, cost: @escaping () -> Int = { 0 }) {
    self.base = base
    self.probe = probe
    self.cost = cost
  }

  package func header() throws -> StoreHeader? { try base.header() }
  package func vector() throws -> VersionVector { try base.vector() }
  package func beginReading() throws { try base.beginReading() }
  package func beginWriting() throws { try base.beginWriting() }

  package func endReading() {
    base.endReading()
    probe.report(cost())
  }

  package func commit(_ commit: StoreCommit) throws {
    if probe.takeFailure() { throw InjectedFailure() }
    try base.commit(commit)
    probe.countCommit(commit.records.map(\.key), commit.entries.map(\.key))
    probe.report(cost())
  }

  package func cancelWriting() { base.cancelWriting() }

  package func record(_ key: RecordKey) throws -> PackedRecord? { try base.record(key) }

  package func forEachRecord(
    in collection: Collection, _ body: (RecordID, PackedRecord) throws -> Void,
    unreadable: (UnreadableRecord) throws -> Void
  ) throws {
    try base.forEachRecord(in: collection, body, unreadable: unreadable)
  }

  package func collections() throws -> [Collection] { try base.collections() }
  package func entry(_ key: EntryKey) throws -> LogEntry? { try base.entry(key) }

  package func forEachEntry(in log: LogName, _ body: (EntryID, LogEntry) throws -> Void) throws {
    try base.forEachEntry(in: log, body)
  }

  package func logs() throws -> [LogName] { try base.logs() }

  package func local(_ key: LocalKey) throws -> String? {
    probe.countLocalRead()
    return try base.local(key)
  }

  package func forEachLocal(
    in space: String, from first: [UInt8], _ body: (_ key: [UInt8], _ text: String) throws -> Bool
  ) throws {
    try base.forEachLocal(in: space, from: first, body)
  }

  package func changes(notCoveredBy vector: VersionVector) throws -> StoredKeys {
    try base.changes(notCoveredBy: vector)
  }

  package func origins() throws -> [ReplicaID] { try base.origins() }

  package func changes(by origin: ReplicaID, after place: ChangePlace, limit: Int) throws -> [ChangePlace] {
    try base.changes(by: origin, after: place, limit: limit)
  }

  package func records(at timestamp: Timestamp) throws -> [RecordKey] { try base.records(at: timestamp) }

  package func latestTime(of replica: ReplicaID, notAfter bound: HybridTime) throws -> HybridTime {
    try base.latestTime(of: replica, notAfter: bound)
  }

  package func waiting(notAfter bound: HybridTime) throws -> [WaitingRegister] {
    try base.waiting(notAfter: bound)
  }

  package func forEachRecordHoldingBack(
    _ timestamp: Timestamp, _ body: (RecordKey) throws -> Bool
  ) throws {
    try base.forEachRecordHoldingBack(timestamp, body)
  }

  package func label(at time: HybridTime) throws -> String? { try base.label(at: time) }

  package func editedRecords(in collection: Collection) throws -> [RecordKey] {
    try base.editedRecords(in: collection)
  }

  package func declare(_ fields: [FieldName], in collection: Collection) throws {
    try base.declare(fields, in: collection)
  }

  package func declaredFields(of collection: Collection) throws -> [FieldName] {
    try base.declaredFields(of: collection)
  }

  package func declare(_ references: [Reference], in collection: Collection) throws {
    try base.declare(references, in: collection)
  }

  package func references() throws -> ReferenceTable { try base.references() }
  package func children(of parent: RecordKey) throws -> [RecordKey] { try base.children(of: parent) }

  package func forEachChild(
    in collection: Collection, through field: FieldName,
    _ body: (_ parent: RecordID, _ child: RecordID) throws -> Void
  ) throws {
    try base.forEachChild(in: collection, through: field, body)
  }

  package func declare(_ indexes: [Index], in collection: Collection) throws {
    try base.declare(indexes, in: collection)
  }

  package func remove(_ indexes: [Index], in collection: Collection) throws {
    try base.remove(indexes, in: collection)
  }

  package func indexes() throws -> IndexTable { try base.indexes() }

  package func forEachIndexed(
    in collection: Collection, by field: FieldName, within range: KeyRange, descending: Bool,
    _ body: (IndexedRecord) throws -> Bool
  ) throws {
    try base.forEachIndexed(in: collection, by: field, within: range, descending: descending, body)
  }
}
