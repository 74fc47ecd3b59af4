import RejoinCore

/// How much of the ledger is kept.
extension Engine {
  /// Lets go of what a commit would leave in the ledger beyond the newest entries of each collection.
  ///
  /// It looks only now and then, so that an entry costs the same however many there are; until it does, what is beyond
  /// is stored, and listed nowhere. When it looks follows from the ids of the new entries: one in an eighth of the bound.
  func retain(_ commit: inout StoreCommit) throws {
    let isDue = commit.entries.contains { write in
      write.key.log == .conflicts && write.old == nil && write.new != nil && isLookedAt(after: write.key.id)
    }
    guard isDue else { return }
    for log in [LogName.conflicts, .resolutions] {
      var entries: [Collection: [(timestamp: Timestamp, id: EntryID, stored: LogEntry?)]] = [:]
      let changed = Dictionary(
        commit.entries.lazy.filter { $0.key.log == log }.map { ($0.key.id, $0.new) }, uniquingKeysWith: { $1 }
      )
      func add(_ id: EntryID, _ entry: LogEntry, stored: LogEntry?) {
        guard let collection = entry.collection(in: log) else { return }
        entries[collection, default: []].append((entry.timestamp, id, stored))
      }
      try store.forEachEntry(in: log) { id, entry in
        if changed[id] == nil { add(id, entry, stored: entry) }
      }
      for case let (id, entry?) in changed { add(id, entry, stored: nil) }
      for var entries in entries.values where entries.count > conflictsPerCollection {
        entries.sort { ($0.timestamp, $0.id) < ($1.timestamp, $1.id) }
        let gone = entries.dropLast(conflictsPerCollection)
        commit.remove(gone.map { (EntryKey(log, $0.id), $0.stored) })
      }
    }
  }

  private func isLookedAt(after id: EntryID) -> Bool {
    let period = UInt64(conflictsPerCollection / 8)
    return period < 2 || id.low % period == 0
  }
}

extension StoreCommit {
  /// Lets go of log entries: of what is stored, and of what this commit would add.
  mutating func remove(_ gone: [(key: EntryKey, stored: LogEntry?)]) {
    let places = Dictionary(entries.indices.map { (entries[$0].key, $0) }, uniquingKeysWith: { $1 })
    for (key, stored) in gone {
      if let place = places[key] {
        entries[place].new = nil
      } else {
        entries.append(EntryWrite(key: key, old: stored, new: nil))
      }
    }
    entries.removeAll { $0.old == nil && $0.new == nil }
  }
}

extension LogEntry {
  /// The collection that an entry of the ledger, or a resolution, is about; nil when this version cannot tell.
  func collection(in log: LogName) -> Collection? {
    if log == .conflicts { return LedgerEntry.collection(of: self) }
    if case .string(let name)? = values["collection"] { return Collection(name) }
    return nil
  }
}
