import RejoinCore

extension Engine {
  /// Commits writes, moves clock and vector, tells what came due and what changed.
  ///
  /// Clock and vector are given as they shall be; what shows of the records is filled in here. What came due is
  /// part of every commit, so that a transaction which fails leaves no trace of it either. What changed is not worked out
  /// where nobody listens and the caller does not report it.
  @discardableResult
  mutating func commit(
    _ commit: consuming StoreCommit, clock: HybridClock, vector: VersionVector, cause: ChangeSet.Cause,
    due: borrowing DueRegisters, isReported: Bool = true
  ) throws -> ChangeSet {
    commit.header.lastTime = clock.last
    if let last = due.waiting.last { commit.header.lastDue = max(commit.header.lastDue, last.timestamp.time) }
    commit.vector = self.vector.missing(from: vector)
    if due.waiting.isEmpty, commit.changesNothing(after: header) {
      store.cancelWriting()
      return ChangeSet(cause: cause, records: [], entries: [])
    }
    let latestAcceptable = due.moment.latestAcceptable
    let dueChanges = try add(due, to: &commit)
    try addSiblings(to: &commit, latestAcceptable: latestAcceptable)
    let records = try fillIn(
      &commit, latestAcceptable: latestAcceptable, isTold: cause == .merge && isReported || !observers.isEmpty
    )
    try store.commit(commit)
    header = commit.header
    learnSchemaVersion(from: commit)
    self.clock = clock
    self.vector = vector
    let entries = commit.entries.lazy.filter { $0.old == nil && !$0.key.log.isReserved }.map(\.key)
    let changes = ChangeSet(cause: cause, records: records, entries: Array(entries))
    tell(ChangeSet(cause: .due, records: dueChanges, entries: []))
    tell(changes)
    return changes
  }

  /// Tells changes that are changes.
  func tell(_ changes: ChangeSet) {
    if !changes.isEmpty { observers.tell(changes) }
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
    let after = try visibility(latestAcceptable: due.moment.latestAcceptable)
    let earlier = try visibility(latestAcceptable: before)
    var known = Set(commit.records.map(\.key))
    var writes: [(key: RecordKey, old: PackedRecord?, new: PackedRecord)] = []
    for key in Set(due.waiting.map(\.record)).sorted() {
      guard let record = try store.record(key) else { continue }
      writes.append((key, record, record))
      guard known.insert(key).inserted else { continue }
      commit.records.append(StoreCommit.RecordWrite(key: key, old: record, new: record, shown: []))
    }
    return try describe(writes, from: earlier, to: after)
  }

  /// Fills in what every written record shows and, where anybody is told, says how what is seen differs from before.
  private func fillIn(
    _ commit: inout StoreCommit, latestAcceptable: HybridTime, isTold: Bool
  ) throws -> [RecordChange] {
    let references = try commit.declaring(in: store.references())
    let before = try visibility(latestAcceptable: latestAcceptable, references: references)
    let after = try visibility(
      latestAcceptable: latestAcceptable,
      pending: references.isEmpty ? commit.pendingIfWaiting : commit.pending, references: references)
    for index in commit.records.indices {
      commit.records[index].shown = try after.shown(commit.records[index].new)
    }
    guard isTold else { return [] }
    return try describe(
      commit.records.map { (key: $0.key, old: $0.old, new: $0.new) }, from: before, to: after)
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
    let before = try visibility(latestAcceptable: latestAcceptable)
    let after = try visibility(latestAcceptable: latestAcceptable, pending: commit.pendingIfWaiting)
    var known = Set(commit.records.map(\.key))
    for timestamp in waiting where timestamp.time > latestAcceptable {
      guard try before.showsEarly(timestamp) != after.showsEarly(timestamp) else { continue }
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
    return records.isEmpty && entries.isEmpty && vector.isEmpty && local.isEmpty && self.header == same
  }

  /// The records as they shall be, where any of them holds a waiting register; nothing otherwise, since then
  /// nobody asks.
  fileprivate var pendingIfWaiting: [RecordKey: PackedRecord] {
    guard records.contains(where: { $0.new.hasWaiting || $0.old?.hasWaiting ?? false }) else { return [:] }
    return pending
  }

  /// The records as they shall be.
  var pending: [RecordKey: PackedRecord] {
    Dictionary(records.map { ($0.key, $0.new) }, uniquingKeysWith: { $1 })
  }

  /// A table of references with those that this commit makes known.
  fileprivate func declaring(in table: ReferenceTable) -> ReferenceTable {
    var table = table
    for declaration in references {
      for reference in declaration.references { table.declare(reference, in: declaration.collection) }
    }
    return table
  }
}
