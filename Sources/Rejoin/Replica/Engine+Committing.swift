import RejoinCore

extension Engine {
  /// Commits writes, moves clock and vector, tells what came due and what changed.
  ///
  /// Clock and vector are given as they shall be; what shows of the records is filled in here. What came due is
  /// part of every commit, so that a transaction which fails leaves no trace of it either.
  @discardableResult
  mutating func commit(
    _ commit: consuming StoreCommit, clock: HybridClock, vector: VersionVector, cause: ChangeSet.Cause,
    due: borrowing DueRegisters
  ) throws -> ChangeSet {
    commit.header.lastTime = clock.last
    commit.vector = self.vector.missing(from: vector)
    if due.waiting.isEmpty, commit.changesNothing(after: header) {
      store.cancelWriting()
      return ChangeSet(cause: cause, records: [], entries: [])
    }
    let latestAcceptable = due.moment.latestAcceptable
    let dueChanges = try add(due, to: &commit)
    try addSiblings(to: &commit, latestAcceptable: latestAcceptable)
    let records = try describe(
      &commit, latestAcceptable: latestAcceptable, isTold: cause == .merge || !observers.isEmpty)
    try store.commit(commit)
    header = commit.header
    self.clock = clock
    self.vector = vector
    let changes = ChangeSet(
      cause: cause, records: records, entries: commit.entries.filter { $0.old == nil }.map(\.key))
    tell(ChangeSet(cause: .due, records: dueChanges, entries: []))
    tell(changes)
    return changes
  }

  /// Tells changes that are changes.
  func tell(_ changes: ChangeSet) {
    if !changes.isEmpty { observers.tell(changes) }
  }

  /// What was committed to the store since a replica of this file covered `version`.
  func changes(since version: VersionVector) throws -> ChangeSet {
    let keys = try store.changes(notCoveredBy: version)
    let latestAcceptable = moment().latestAcceptable
    let records = try keys.records.compactMap { key -> RecordChange? in
      guard let record = try store.record(key) else { return nil }
      let shown = try shown(record, latestAcceptable: latestAcceptable)
      let isNew = !record.timestamps.contains(where: version.covers)
      guard !shown.isEmpty else { return isNew ? nil : RecordChange(key: key, kind: .deleted, fields: []) }
      let isBack = record.life.map { !version.covers($0.timestamp) } ?? false
      let changed = shown.filter { isBack || !version.covers($0.precedence.timestamp) }
      let fields = changed.compactMap(record.readableField)
      if isNew || isBack { return RecordChange(key: key, kind: .inserted, fields: fields) }
      return fields.isEmpty ? nil : RecordChange(key: key, kind: .updated, fields: fields)
    }
    return ChangeSet(cause: .otherProcess, records: records, entries: keys.entries)
  }

  /// Commits and tells what came due, if anything did.
  mutating func tellDue() throws {
    let due = try due()
    guard !due.waiting.isEmpty || due.clock != clock else { return }
    _ = try writing { engine, due in
      try engine.commit(
        StoreCommit(after: engine.header), clock: due.clock, vector: engine.vector,
        cause: .due,
        due: due)
    }
  }

  /// Adds the records of registers that came due, and says how what they show differs from just before.
  private func add(_ due: borrowing DueRegisters, to commit: inout StoreCommit) throws -> [RecordChange] {
    guard let first = due.waiting.first else { return [] }
    commit.due = due.waiting
    let before = HybridTime(rawValue: first.timestamp.time.rawValue - 1)
    var known = Set(commit.records.map(\.key))
    var changes: [RecordChange] = []
    for key in Set(due.waiting.map(\.record)).sorted() {
      guard let record = try store.record(key) else { continue }
      let old = (record: record, shown: try shown(record, latestAcceptable: before))
      let new = (record: record, shown: try shown(record, latestAcceptable: due.moment.latestAcceptable))
      if let change = RecordChange(key: key, from: old, to: new) { changes.append(change) }
      guard known.insert(key).inserted else { continue }
      commit.records.append(StoreCommit.RecordWrite(key: key, old: record, new: record, shown: []))
    }
    return changes
  }

  /// Fills in what shows of every written record and, where anybody is told, says how that differs from before.
  private func describe(
    _ commit: inout StoreCommit, latestAcceptable: HybridTime, isTold: Bool
  ) throws -> [RecordChange] {
    let pending = commit.pendingIfWaiting
    var changes: [RecordChange] = []
    changes.reserveCapacity(commit.records.count)
    for index in commit.records.indices {
      let write = commit.records[index]
      let shown = try shown(write.new, latestAcceptable: latestAcceptable, pending: pending)
      commit.records[index].shown = shown
      guard isTold else { continue }
      let old = try write.old.map {
        (record: $0, shown: try self.shown($0, latestAcceptable: latestAcceptable))
      }
      if let change = RecordChange(key: write.key, from: old, to: (write.new, shown)) {
        changes.append(change)
      }
    }
    return changes
  }

  /// A write to one record can decide whether another record shows a waiting register early: when both belong
  /// to one transaction from the future.
  private func addSiblings(to commit: inout StoreCommit, latestAcceptable: HybridTime) throws {
    var waiting = Set<Timestamp>()
    for write in commit.records {
      for record in [write.old, write.new].compactMap(\.self) {
        waiting.formUnion(record.waitingTimestamps)
      }
    }
    guard !waiting.isEmpty else { return }
    var known = Set(commit.records.map(\.key))
    for timestamp in waiting where timestamp.time > latestAcceptable {
      for key in try store.records(at: timestamp) where known.insert(key).inserted {
        guard let record = try store.record(key) else { continue }
        commit.records.append(StoreCommit.RecordWrite(key: key, old: record, new: record, shown: []))
      }
    }
  }
}

extension StoreCommit {
  /// Whether a state with this header stays as it is; such a commit costs no disk.
  fileprivate func changesNothing(after header: StoreHeader) -> Bool {
    var same = header
    same.commits += 1
    return records.isEmpty && entries.isEmpty && vector.isEmpty && self.header == same
  }

  /// The records as they shall be, where any of them holds a waiting register; nothing otherwise, since then
  /// nobody asks.
  fileprivate var pendingIfWaiting: [RecordKey: PackedRecord] {
    guard records.contains(where: { !$0.new.waitingTimestamps.isEmpty }) else { return [:] }
    return Dictionary(records.map { ($0.key, $0.new) }, uniquingKeysWith: { $1 })
  }
}
