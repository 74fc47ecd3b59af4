public import RejoinCore

/// The writes of one `write { }`: they share one timestamp and become visible together, or not at all.
///
/// What a transaction wrote it also reads. It lives only inside the closure that it was given to.
public struct WriteTransaction: ~Copyable {
  /// The timestamp that all its writes carry.
  public let timestamp: Timestamp

  let engine: Engine
  let clock: HybridClock
  let latestAcceptable: HybridTime
  private let rules: MergeRules
  var order: [(key: RecordKey, old: PackedRecord?)] = []
  var pending: [RecordKey: PackedRecord] = [:]
  private var entries: [StoreCommit.EntryWrite] = []
  private var entryKeys: Set<EntryKey> = []
  private var lastEntryID: EntryID?
  private var declarations: [Collection: [FieldName]] = [:]
  private var references: ReferenceTable
  private var newReferences: [(collection: Collection, references: [Reference])] = []
  var policies: PolicyTable
  var knownAuthorities: [Collection: [FieldName: Authority]] = [:]
  private var newIndexes: [Collection: [Index]] = [:]

  init(_ engine: Engine, after due: borrowing DueRegisters) throws {
    self.engine = engine
    var clock = due.clock
    timestamp = Timestamp(
      time: clock.tick(wallMilliseconds: due.moment.wallMilliseconds), replica: engine.header.replica)
    self.clock = clock
    latestAcceptable = due.moment.latestAcceptable
    rules = MergeRules(localWritesOver: engine.vector)
    references = try engine.store.references()
    policies = engine.policies
  }

  /// The records that were written, as they shall be, in the order of their first writes.
  var pendingRecords: [(key: RecordKey, record: PackedRecord)] {
    order.compactMap { write in pending[write.key].map { (write.key, $0) } }
  }

  /// Whether nothing was written.
  var isEmpty: Bool { order.isEmpty && entries.isEmpty }

  // MARK: Reading

  /// The state of a record, with what this transaction wrote.
  func record(_ key: RecordKey) throws -> PackedRecord? {
    try pending[key] ?? engine.store.record(key)
  }

  /// The fields that a record shows, with what this transaction wrote; nil when it is not visible.
  public func fields(of id: RecordID, in collection: Collection) throws -> [FieldName: Value]? {
    try fields(of: id, in: collection, isOrphanShown: false)
  }

  /// As above; an orphan shows here what it would show with a parent.
  func fields(
    of id: RecordID, in collection: Collection, isOrphanShown: Bool
  ) throws -> [FieldName: Value]? {
    let key = RecordKey(collection, id)
    guard let record = try record(key) else { return nil }
    let visibility = try visibility()
    let shown = try isOrphanShown ? visibility.shown(record) : visibility.visible(record, at: key)
    return shown.isEmpty ? nil : record.fields(shown)
  }

  func visibility() throws -> Visibility {
    try engine.visibility(latestAcceptable: latestAcceptable, pending: pending, references: references)
  }

  /// Whether a record shows something itself, whatever its parents.
  func isShown(_ record: PackedRecord?) throws -> Bool {
    guard let record else { return false }
    return try !visibility().shown(record).isEmpty
  }

  /// The parent that hides a record; nil when none does.
  func hidingParent(of record: PackedRecord, at key: RecordKey) throws -> RecordKey? {
    let visibility = try visibility()
    return try visibility.hidingParent(of: record, visibility.shown(record), at: key)
  }

  // MARK: Writing

  /// Inserts a record with its fields; under the id of a deleted record a new life begins, with these fields only, and
  /// what is seen of its counters and sets is taken back.
  ///
  /// A parent that is deleted or absent does not stand in the way: the record is then hidden until that shows.
  ///
  /// - Throws: `ReplicaError.recordExists` when the record is visible, or hidden only by its parent.
  public mutating func insert(
    _ fields: [FieldName: Value], id: RecordID, in collection: Collection
  ) throws {
    try insert(FieldEdits(plain: fields), at: RecordKey(collection, id))
  }

  /// Writes fields of a visible record; `.null` clears a field.
  ///
  /// A field that is a counter is brought to the whole number, one that is a set to the elements of the list; `.null`
  /// brings the one to 0 and empties the other.
  ///
  /// - Throws: `ReplicaError.recordNotVisible` when there is no such record, `ReplicaError.parentNotVisible` when
  ///   its parent hides it, and still does afterwards.
  public mutating func set(
    _ fields: [FieldName: Value], id: RecordID, in collection: Collection
  ) throws {
    try edit(FieldEdits(plain: fields), at: RecordKey(collection, id))
  }

  /// Deletes a visible record: the tombstone wins over concurrent edits until somebody restores the record.
  ///
  /// - Throws: `ReplicaError.recordNotVisible` when there is no such record, `ReplicaError.parentNotVisible` when
  ///   its parent hides it.
  public mutating func delete(_ id: RecordID, in collection: Collection) throws {
    try check(collection)
    let key = RecordKey(collection, id)
    guard let stored = try record(key), try isShown(stored) else { throw ReplicaError.recordNotVisible(key) }
    if let parent = try hidingParent(of: stored, at: key) {
      throw ReplicaError.parentNotVisible(key, parent: parent)
    }
    let life = try next(after: stored.life?.count ?? 1, at: key)
    try put(fragment(life: life, values: []), at: key, over: stored)
  }

  /// Brings a deleted record back as it was, edits beneath the deletion included.
  ///
  /// - Throws: `ReplicaError.recordNotVisible` when nothing is known of the record,
  ///   `ReplicaError.recordNotDeleted` when it is alive.
  public mutating func restore(_ id: RecordID, in collection: Collection) throws {
    try check(collection)
    let key = RecordKey(collection, id)
    guard let stored = try record(key) else { throw ReplicaError.recordNotVisible(key) }
    guard let ended = stored.life, !ended.isAlive else { throw ReplicaError.recordNotDeleted(key) }
    let life = try next(after: ended.count, at: key)
    var reissued = stored.reissued(in: life)
    if reissued.registers.isEmpty { reissued = fragment(life: life, values: [(.existence, .bool(true))]) }
    try put(reissued, at: key, over: stored)
  }

  /// Appends an entry to a grow-only log and says its id.
  ///
  /// Entries of one transaction read in the order in which they were appended.
  /// An entry that is there already under the given id is left as it is, so that a caller can repeat an append
  /// whose outcome it does not know.
  @discardableResult
  public mutating func append(_ values: ValueMap, to log: LogName, id: EntryID? = nil) throws -> EntryID {
    try check(log.text)
    guard !log.isReserved else { throw ReplicaError.reservedName(log.text) }
    let id = id ?? makeEntryID()
    let key = EntryKey(log, id)
    let values = try values.validated()
    guard try engine.store.entry(key) == nil, entryKeys.insert(key).inserted else { return id }
    entries.append(
      StoreCommit.EntryWrite(key: key, old: nil, new: LogEntry(values, timestamp: timestamp)))
    return id
  }

  /// Puts an entry into one of the library's own logs, in place of the one that is there, if any.
  mutating func put(_ values: ValueMap, at key: EntryKey) throws {
    let written = entries.firstIndex { $0.key == key }
    let old = try written.map { entries[$0].old } ?? engine.store.entry(key)
    let new = LogEntry(values, timestamp: timestamp)
    let write = StoreCommit.EntryWrite(key: key, old: old, new: old?.merging(new) ?? new)
    if let written { entries[written] = write } else { entries.append(write) }
    entryKeys.insert(key)
  }

  /// An id after those of this transaction, whose entries share a timestamp and so read in order of their ids.
  mutating func makeEntryID() -> EntryID {
    var generator = EnvironmentGenerator(engine.environment)
    let made: EntryID
    if let last = lastEntryID {
      made = EntryID(high: last.high, low: last.low + generator.next() >> 32 + 1)
    } else {
      // The topmost random bit stays clear, so that no number of entries carries into the UUID's variant.
      let first = EntryID.make(wallMilliseconds: timestamp.time.milliseconds, using: &generator)
      made = EntryID(high: first.high, low: first.low & ~(1 << 61))
    }
    lastEntryID = made
    return made
  }

  // MARK: Applying

  /// The life or deletion that follows a count, unless the record has come and gone too often.
  func next(after count: UInt64, at key: RecordKey) throws -> Life {
    guard count < Limits.lives else { throw ReplicaError.tooManyLives(key) }
    return Life(count: count + 1, timestamp: timestamp)
  }

  /// Editing a record that shows ahead of its time takes over the whole transaction that wrote it.
  ///
  /// A transaction from the future shows early only while it has nothing else beside it. The edit is such a thing:
  /// without this the record's other fields, and the other records of the transaction, would vanish under the
  /// user's hands. So they are issued again under the edit's timestamp; the originals go on waiting.
  mutating func adoptWhatShowsEarly(in record: PackedRecord) throws {
    guard record.hasWaiting else { return }
    let shown = try visibility().shown(record)
    let early = Set(shown.lazy.filter(\.isFuture).map(\.precedence.timestamp))
    for timestamp in early.sorted() where timestamp.time > latestAcceptable {
      for key in Set(try engine.store.records(at: timestamp)).union(pending.keys).sorted() {
        let stored = try self.record(key)
        guard let adopted = stored?.adopting(timestamp, as: self.timestamp) else { continue }
        try put(adopted, at: key, over: stored)
      }
    }
  }

  func fragment(
    life: Life?, values: [(address: RegisterAddress, value: Value)]
  ) -> PackedRecord {
    RecordPacker.fragment(
      life: life, values: values, precedence: Precedence(life: life?.count ?? 1, timestamp: timestamp))
  }

  /// Joins a fragment with what is stored, by the same rules as a merge.
  mutating func put(
    _ fragment: PackedRecord, at key: RecordKey, over stored: PackedRecord?, whateverItsSize: Bool = false
  ) throws {
    let merged = RecordMerger(fragment, into: stored, key: key, rules: rules).result
    if !whateverItsSize { try engine.checkSize(of: merged, over: stored, at: key) }
    if pending.updateValue(merged, forKey: key) == nil { order.append((key, stored)) }
  }

  func checked(_ edits: FieldEdits, key: RecordKey) throws -> FieldEdits {
    try check(key.collection)
    for name in edits.names { try check(name.text, isReserved: name.text == "id") }
    return try edits.validated()
  }

  /// Refuses collections that no user writes to.
  func check(_ collection: Collection) throws {
    try check(collection.text)
    guard !collection.isReserved else { throw ReplicaError.reservedName(collection.text) }
  }

  func check(_ name: String, isReserved: Bool = false) throws {
    guard 1...Limits.nameBytes ~= name.utf8.count, !isReserved else {
      throw ReplicaError.invalidName(bytes: name.utf8.count)
    }
  }

  /// Makes fields that are written readable as columns, in the same transaction.
  mutating func declare(_ fields: [FieldName], in collection: Collection) {
    let known = declarations[collection, default: []]
    declarations[collection] = known + fields.filter { !known.contains($0) }
  }

  /// Makes what a type declares known, in the same transaction.
  mutating func declare<R: Record>(_ type: R.Type) throws {
    policies.declare(R.policies, in: R.collection)
    if !R.indexes.isEmpty, newIndexes[R.collection] == nil {
      newIndexes[R.collection] = try engine.store.indexes().missing(from: R.indexes, in: R.collection)
    }
    let missing = references.missing(from: R.references, in: R.collection)
    guard !missing.isEmpty else { return }
    for reference in missing { references.declare(reference, in: R.collection) }
    newReferences.append((R.collection, missing))
  }

  /// Everything that was written, as a commit.
  func commit(label: String?) -> StoreCommit {
    var commit = StoreCommit(after: engine.header)
    commit.records = order.compactMap { write in
      pending[write.key].map {
        StoreCommit.RecordWrite(key: write.key, old: write.old, new: $0, shown: [])
      }
    }
    commit.entries = entries
    commit.declarations = declarations.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    commit.references = newReferences
    commit.indexes = newIndexes.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
      .map { ($0.key, $0.value) }
    if let label { commit.label = (timestamp.time, label) }
    return commit
  }
}
