package import Rejoin

/// A store in a SQLite file that can let go of the file, and of every lock on it, while an application is suspended.
///
/// While it has let go, every call throws `StoreError.suspended`.
package final class SuspendableStore: Store {
  private let path: String
  private let durability: Durability
  private let files: FileSystem
  private let schema: Schema
  private var opened: SQLiteStore?

  /// Opens a file of this version, brings one of an older version up to it, or lays out a new one.
  package init(
    path: String, durability: Durability, files: FileSystem = .system, schema: Schema = .current
  ) throws {
    self.path = path
    self.durability = durability
    self.files = files
    self.schema = schema
    opened = try open()
  }

  package func suspend() {
    opened = nil
  }

  package func resume(after header: StoreHeader) throws {
    if opened == nil { opened = try open(after: header) }
  }

  private func open(after header: StoreHeader? = nil) throws -> SQLiteStore {
    try SQLiteStore(path: path, durability: durability, files: files, schema: schema, after: header)
  }

  /// The open file.
  package var store: SQLiteStore {
    get throws {
      guard let opened else { throw StoreError.suspended(path: path) }
      return opened
    }
  }

  package func header() throws -> StoreHeader? { try store.header() }
  package func vector() throws -> VersionVector { try store.vector() }
  package func beginReading() throws { try store.beginReading() }
  package func endReading() { opened?.endReading() }
  package func beginWriting() throws { try store.beginWriting() }
  package func commit(_ commit: StoreCommit) throws { try store.commit(commit) }
  package func cancelWriting() { opened?.cancelWriting() }
  package func record(_ key: RecordKey) throws -> PackedRecord? { try store.record(key) }
  package func forEachRecord(
    in collection: Collection, _ body: (RecordID, PackedRecord) throws -> Void,
    unreadable: (UnreadableRecord) throws -> Void
  ) throws {
    try store.forEachRecord(in: collection, body, unreadable: unreadable)
  }
  package func local(_ key: LocalKey) throws -> String? { try store.local(key) }
  package func forEachLocal(
    in space: String, from first: [UInt8], _ body: (_ key: [UInt8], _ text: String) throws -> Bool
  ) throws {
    try store.forEachLocal(in: space, from: first, body)
  }
  package func collections() throws -> [Collection] { try store.collections() }
  package func entry(_ key: EntryKey) throws -> LogEntry? { try store.entry(key) }
  package func forEachEntry(in log: LogName, _ body: (EntryID, LogEntry) throws -> Void) throws {
    try store.forEachEntry(in: log, body)
  }
  package func logs() throws -> [LogName] { try store.logs() }
  package func changes(notCoveredBy vector: VersionVector) throws -> StoredKeys {
    try store.changes(notCoveredBy: vector)
  }
  package func origins() throws -> [ReplicaID] { try store.origins() }
  package func changes(by origin: ReplicaID, after place: ChangePlace, limit: Int) throws -> [ChangePlace] {
    try store.changes(by: origin, after: place, limit: limit)
  }
  package func records(at timestamp: Timestamp) throws -> [RecordKey] { try store.records(at: timestamp) }
  package func latestTime(of replica: ReplicaID, notAfter bound: HybridTime) throws -> HybridTime {
    try store.latestTime(of: replica, notAfter: bound)
  }
  package func waiting(notAfter bound: HybridTime) throws -> [WaitingRegister] {
    try store.waiting(notAfter: bound)
  }
  package func forEachRecordHoldingBack(
    _ timestamp: Timestamp, _ body: (RecordKey) throws -> Bool
  ) throws {
    try store.forEachRecordHoldingBack(timestamp, body)
  }

  package func label(at time: HybridTime) throws -> String? { try store.label(at: time) }
  package func editedRecords(in collection: Collection) throws -> [RecordKey] {
    try store.editedRecords(in: collection)
  }
  package func declare(_ fields: [FieldName], in collection: Collection) throws {
    try store.declare(fields, in: collection)
  }
  package func declaredFields(of collection: Collection) throws -> [FieldName] {
    try store.declaredFields(of: collection)
  }
  package func declare(_ references: [Reference], in collection: Collection) throws {
    try store.declare(references, in: collection)
  }
  package func references() throws -> ReferenceTable { try store.references() }
  package func children(of parent: RecordKey) throws -> [RecordKey] { try store.children(of: parent) }

  package func forEachChild(
    in collection: Collection, through field: FieldName,
    _ body: (_ parent: RecordID, _ child: RecordID) throws -> Void
  ) throws {
    try store.forEachChild(in: collection, through: field, body)
  }

  package func declare(_ indexes: [Index], in collection: Collection) throws {
    try store.declare(indexes, in: collection)
  }

  package func remove(_ indexes: [Index], in collection: Collection) throws {
    try store.remove(indexes, in: collection)
  }

  package func indexes() throws -> IndexTable { try store.indexes() }

  package func forEachIndexed(
    in collection: Collection, by field: FieldName, within range: KeyRange, descending: Bool,
    _ body: (IndexedRecord) throws -> Bool
  ) throws {
    try store.forEachIndexed(in: collection, by: field, within: range, descending: descending, body)
  }
}
