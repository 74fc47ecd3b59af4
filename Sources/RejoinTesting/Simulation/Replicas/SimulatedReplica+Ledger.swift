import Rejoin
import RejoinCore

/// The conflict ledger, held against what really happened.
extension SimulatedReplica {
  /// Remembers what this replica has just written itself, and what it held and how far it had come before.
  mutating func learnOwnWrites(after past: VersionVector, _ before: Held) throws {
    let touched = chronicle.add(try replica.delta(since: past), past: past, in: replica.dataset)
    let held = try reading().held
    try checkLedger(of: touched.union(held.records(changedSince: before)), held)
    checkKinds(of: held.entries(notCoveredBy: past), held)
    try checkClock()
  }

  /// Notes the entries that a merge has put into the ledger by itself.
  ///
  /// They are stamped by one tick of its clock, which is the one thing that a merge may add to its vector.
  mutating func learnStamps(
    of entries: [(key: EntryKey, entry: LogEntry)], with message: Message, after version: VersionVector
  ) {
    var stamps = Set<Timestamp>()
    for (key, entry) in entries {
      stamps.insert(entry.timestamp)
      if let entry = LedgerEntry(entry, id: key.id) {
        check(entry, whoseSides: [chronicle, message.chronicle])
      } else {
        note("the ledger cannot read its own entry")
      }
    }
    for stamp in stamps {
      if stamps.count > 1 || stamp.replica != replica.id || stamp.time <= version[replica.id] {
        note("what a merge puts into the ledger bears more than one new timestamp of its own")
      }
      truth.advance(stamp.replica, to: stamp.time)
    }
  }

  /// Neither side of a new entry may have known the other.
  private mutating func check(_ entry: LedgerEntry, whoseSides chronicles: [Chronicle]) {
    let place = Chronicle.Place(record: entry.record, address: entry.address)
    var winners = [place]
    if case .life = entry.winner { winners = [Chronicle.Place(record: entry.record, address: nil)] }
    let (loser, winner) = (entry.loser.timestamp, entry.winner.timestamp)
    for chronicle in chronicles {
      if chronicle.write(of: loser, at: place)?.past.covers(winner) ?? false {
        note("the ledger holds a write whose author knew what it gave way to")
      }
      for place in winners where chronicle.write(of: winner, at: place)?.past.covers(loser) ?? false {
        note("the ledger holds a write that was overwritten knowingly")
      }
    }
  }

  /// Of some records: whatever nobody replaced knowingly is what its place holds, or in the ledger; and the ledger holds
  /// it as it was.
  mutating func checkLedger(of records: Set<RecordKey>, _ held: Held) throws {
    for record in records {
      let life = held.records[record]?.life
      for (address, write) in chronicle.writes(of: record) where address?.kind ?? 0 == 0 {
        let place = Chronicle.Place(record: record, address: address)
        if let stored = held.entries[EntryKey(.conflicts, write.entryID)] {
          check(LedgerEntry(stored, id: write.entryID), is: write, at: place)
          continue
        }
        guard let address else {
          if life?.timestamp != write.timestamp { note("a life gave way, and the ledger does not know") }
          continue
        }
        let count = life?.count ?? 1
        let precedence = held.records[record]?.precedence(at: address)
        if precedence?.timestamp != write.timestamp || count % 2 == 0 || write.life < count {
          note("a write gave way, and the ledger does not know")
        }
      }
    }
  }

  /// Some entries: the ledger holds nothing that joins without losers.
  mutating func checkKinds(of entries: some Sequence<EntryKey>, _ held: Held) {
    let isKnown = entries.allSatisfy { key in
      guard key.log == .conflicts, let entry = held.entries[key] else { return true }
      return LedgerEntry(entry, id: key.id).map { $0.address?.kind ?? 0 == 0 } ?? false
    }
    if !isKnown { note("the ledger holds what joins without losers") }
  }

  private mutating func check(_ entry: LedgerEntry?, is write: Chronicle.Write, at place: Chronicle.Place) {
    guard let entry, entry.record == place.record, entry.address == place.address,
      entry.losingValue == write.value, entry.loser.timestamp == write.timestamp
    else { return note("an entry of the ledger is not what was written") }
  }

  /// Resolves one of the conflicts that are listed; says what was written for it, if anything was.
  mutating func resolve(_ number: Int, by resolution: Resolution) throws -> Write? {
    let listed = try replica.conflicts(includingSettled: true)
    guard !listed.isEmpty else { return nil }
    let entry = listed[number % listed.count]
    let write = try self.write(for: entry, resolution)
    let choice: LedgerEntry.Choice =
      switch resolution {
      case .winner: .winner
      case .loser: .loser
      case .value(let value): .value(value)
      }
    let before = try snapshot()
    do {
      try replica.resolve(entry, keeping: choice)
    } catch is ReplicaError {
      if try snapshotAnew() != before { note("a resolution that was refused left a trace") }
      return nil
    }
    let now = try replica.conflicts(includingSettled: true).first { $0.id == entry.id }
    if now?.resolution == nil { note("what was resolved is not listed as resolved") }
    if try replica.conflicts().contains(where: { $0.id == entry.id }) { note("what was resolved is open") }
    return write
  }

  /// What resolving a conflict writes, where nothing forbids it.
  private func write(for entry: LedgerEntry, _ resolution: Resolution) throws -> Write? {
    guard let record = (0..<Edit.recordCount).first(where: { Self.key($0) == entry.record }) else {
      return nil
    }
    guard case .register(let loser) = entry.loser, let field = entry.field else {
      guard case .loser = resolution, case .life(let life) = entry.loser else { return nil }
      let isAlive = try reading().held.records[entry.record]?.life?.isAlive ?? true
      guard life.isAlive != isAlive else { return nil }
      return life.isAlive ? .restore(record: record) : .delete(record: record)
    }
    guard !field.text.isEmpty else { return nil }
    let shown = try replica.fields(of: entry.record.id, in: entry.record.collection)?[field]
    switch resolution {
    case .winner: return shown.map { .set(record: record, [field.text: $0]) }
    case .loser: return .set(record: record, [field.text: loser.value])
    case .value(let value): return .set(record: record, [field.text: value])
    }
  }

  /// What is listed is what the ledger holds, in order; open is what is not resolved and does not show.
  mutating func checkListing() throws {
    let all = try replica.conflicts(includingSettled: true)
    let held = try reading().held.entries.filter { $0.key.log == .conflicts }
    if all.count != held.count || Set(all.map(\.id)) != Set(held.map(\.key.id)) {
      note("the ledger is not what is listed of it")
    }
    if !zip(all, all.dropFirst()).allSatisfy({ ($0.observed, $0.id) < ($1.observed, $1.id) }) {
      note("the ledger is listed out of order")
    }
    let open = try replica.conflicts()
    if open != all.filter({ $0.resolution == nil && !$0.isShown }) { note("an open conflict is not listed") }
    for entry in open {
      guard let field = entry.field, !field.text.isEmpty, case .register = entry.winner else { continue }
      let fields = try replica.fields(of: entry.record.id, in: entry.record.collection)
      if let shown = fields?[field], shown == entry.losingValue {
        note("a conflict is listed although its value shows")
      }
    }
  }
}
