import RejoinCore

extension Engine {
  /// What this replica knows and a replica at `version` lacks.
  func delta(since version: VersionVector) throws -> Delta {
    session.givenThrough = vector[header.replica]
    let keys = try store.changes(notCoveredBy: version)
    let records = try keys.records.compactMap { key in
      try store.record(key)?.fragment(notCoveredBy: version).map { Delta.RecordPart(key: key, fragment: $0) }
    }
    let entries = try keys.entries.compactMap { key in
      try store.entry(key).map { Delta.EntryPart(key: key, entry: $0) }
    }
    return Delta(
      dataset: header.dataset, from: version, through: vector, records: records, entries: entries)
  }

  /// Merges a delta: records, logs, clock and vector in one transaction.
  mutating func merge(_ delta: Delta) throws -> MergeReport {
    try writing { engine, due in try engine.merge(delta, due) }
  }

  /// As above, in a transaction that has begun, with something that is kept for this device.
  mutating func merge(
    _ delta: Delta, _ due: borrowing DueRegisters, keeping local: [LocalWrite] = []
  ) throws -> MergeReport {
    try check(delta)
    let latestAcceptable = due.moment.latestAcceptable
    var report = MergeReport()
    var commit = StoreCommit(after: header)
    commit.local = local
    if !delta.through.isEmpty { commit.header.dataset = delta.dataset }
    var clock = due.clock
    let rules = MergeRules(
      latestAcceptable: latestAcceptable, own: vector, through: delta.through)
    commit.records.reserveCapacity(delta.records.count)
    for part in delta.records {
      let stored = try store.record(part.key)
      let merger = RecordMerger(part.fragment, into: stored, key: part.key, rules: rules)
      report.add(merger, latestAcceptable: latestAcceptable)
      clock.observe(part.fragment.timestamps, notAfter: latestAcceptable)
      guard merger.changes(stored) else { continue }
      for write in hidden(
        by: part.fragment, in: stored, at: part.key, latestAcceptable: latestAcceptable)
      {
        try keep(write, in: &commit)
      }
      commit.records.append(
        StoreCommit.RecordWrite(key: part.key, old: stored, new: merger.result, shown: []))
    }
    report.conflicts += try orphaned(by: commit, rules)
    for part in delta.entries {
      report.add(part.key)
      clock.observe([part.entry.timestamp], notAfter: latestAcceptable)
      try merge(part, into: &commit, &report)
    }
    clock.observe(delta.through.entries.lazy.map(\.time), notAfter: latestAcceptable)
    try erase(whatWasErasedIn: &commit)
    var vector = vector.merging(delta.through)
    report.conflictsRecorded = try record(
      report.conflicts, in: &commit, clock: &clock, vector: &vector,
      wallMilliseconds: due.moment.wallMilliseconds)
    try retain(&commit)
    report.changes = try self.commit(commit, clock: clock, vector: vector, cause: .merge, due: due)
    tellDiagnostics(of: report)
    return report
  }

  /// Merges a log entry.
  ///
  /// What was let go or erased does not come back.
  private func merge(
    _ part: Delta.EntryPart, into commit: inout StoreCommit, _ report: inout MergeReport
  ) throws {
    let isOwn = part.key.log.isReserved
    let stored = try store.entry(part.key)
    if stored == nil, vector.covers(part.entry.timestamp) {
      guard try !isOwn && !isErased(part.key, part.entry) else { return }
    }
    let merged = stored?.merging(part.entry) ?? part.entry
    // Two replicas may notice one conflict, or resolve it, each at its own time.
    if let stored, stored != part.entry, !isOwn || stored.timestamp == part.entry.timestamp {
      report.collisions += 1
    }
    guard merged != stored else { return }
    if stored == nil, let hidden = HiddenWrite(part.key, merged) { try keep(hidden, in: &commit) }
    commit.entries.append(StoreCommit.EntryWrite(key: part.key, old: stored, new: merged))
  }

  private func tellDiagnostics(of report: MergeReport) {
    if report.collisions > 0 { diagnosticObservers.tell(.collision(count: report.collisions)) }
    for waiting in report.waiting {
      diagnosticObservers.tell(
        .clockAhead(
          replica: waiting.origin, transactions: waiting.count,
          offsetMilliseconds: waiting.offsetMilliseconds))
    }
  }

  /// Refuses what cannot be merged soundly, before anything is touched.
  private func check(_ delta: Delta) throws {
    try checkDataset(of: delta)
    guard delta.through[header.replica] <= vector[header.replica] else {
      throw ReplicaError.replicaForked(replica: header.replica)
    }
    let missing = vector.missing(from: delta.from)
    guard missing.isEmpty else {
      throw ReplicaError.gap(
        replica: header.replica, missing: VersionVector(missing.map { ($0.replica, $0.time) }))
    }
  }

  /// Refuses what belongs to another data set.
  func checkDataset(of delta: Delta) throws {
    let isOpen = vector.isEmpty && !header.isDatasetChosen
    guard delta.dataset == header.dataset || isOpen || delta.through.isEmpty else {
      throw ReplicaError.differentDataset(
        replica: header.replica, own: header.dataset, other: delta.dataset)
    }
  }

  /// Refuses a write that makes a record hold more registers than it may.
  ///
  /// A record that holds more already, by merges, can still be edited and deleted.
  func checkSize(of record: PackedRecord, over stored: PackedRecord?, at key: RecordKey) throws {
    // A register takes at least three bytes, so most records need no counting.
    guard record.bytes.count > 3 * Limits.registersPerRecord,
      record.registers.count > max(Limits.registersPerRecord, stored?.registers.count ?? 0)
    else { return }
    throw ReplicaError.tooManyFields(key)
  }
}

extension HybridClock {
  /// Moves the clock past the times that are not from the future.
  fileprivate mutating func observe(_ times: some Sequence<HybridTime>, notAfter latestAcceptable: HybridTime)
  {
    for time in times where time <= latestAcceptable { observe(time) }
  }

  fileprivate mutating func observe(_ timestamps: [Timestamp], notAfter latestAcceptable: HybridTime) {
    observe(timestamps.lazy.map(\.time), notAfter: latestAcceptable)
  }
}
