import RejoinCore

/// How losers get into the ledger: in the commit that makes them lose.
extension Engine {
  /// Adds the losers that the ledger does not hold yet to a merge, under one tick of the clock.
  ///
  /// A merge without new losers reads nothing of the ledger, and no clock ticks: two replicas that are level stay so.
  ///
  /// - Returns: how many were added.
  func record(
    _ conflicts: [Conflict], in commit: inout StoreCommit, clock: inout HybridClock,
    vector: inout VersionVector, wallMilliseconds: Int64
  ) throws -> Int {
    let losers = try unrecorded(conflicts, beside: commit)
    guard !losers.isEmpty else { return 0 }
    let time = clock.tick(wallMilliseconds: wallMilliseconds)
    vector.advance(header.replica, to: time)
    append(losers, at: Timestamp(time: time, replica: header.replica), to: &commit)
    return losers.count
  }

  /// Adds the losers of a local transaction, under its timestamp.
  func record(_ conflicts: [Conflict], at timestamp: Timestamp, in commit: inout StoreCommit) throws {
    append(try unrecorded(conflicts, beside: commit), at: timestamp, to: &commit)
  }

  /// The losers that neither the ledger holds nor what is to be committed, each once.
  private func unrecorded(
    _ conflicts: [Conflict], beside commit: StoreCommit
  ) throws -> [(id: EntryID, conflict: Conflict)] {
    guard conflictsPerCollection > 0, !conflicts.isEmpty else { return [] }
    var known = Set(commit.entries.lazy.filter { $0.key.log == .conflicts }.map(\.key.id))
    return try conflicts.compactMap { conflict in
      // Registers of other kinds, such as counters and sets, lose to nothing.
      guard conflict.address?.kind ?? 0 == 0, !conflict.record.collection.isReserved, !conflict.isOfProxies
      else { return nil }
      let id = EntryID(
        losing: conflict.loser.timestamp, at: conflict.address, of: conflict.record, in: header.dataset)
      guard known.insert(id).inserted, try store.entry(EntryKey(.conflicts, id)) == nil else { return nil }
      return (id, conflict)
    }
  }

  private func append(
    _ losers: [(id: EntryID, conflict: Conflict)], at timestamp: Timestamp, to commit: inout StoreCommit
  ) {
    commit.entries.reserveCapacity(commit.entries.count + losers.count)
    for (id, conflict) in losers {
      let entry = LedgerEntry(conflict, observed: timestamp, dataset: header.dataset)
      commit.entries.append(
        StoreCommit.EntryWrite(key: EntryKey(.conflicts, id), old: nil, new: entry.logEntry))
    }
  }
}

extension WriteTransaction {
  /// The writes of this transaction at whose addresses a register waits that will win when its time comes.
  var losersToWaiting: [Conflict] {
    var losers: [Conflict] = []
    for (key, record) in pendingRecords where record.hasWaiting {
      let registers = record.registers
      for (register, waiting) in zip(registers, registers.dropFirst())
      where waiting.isFuture && register.precedence.timestamp == timestamp {
        let address = record.address(of: register)
        guard record.address(of: waiting) == address else { continue }
        losers.append(
          Conflict(
            record: key, address: address, winner: .register(record.register(waiting)),
            loser: .register(record.register(register))))
      }
    }
    return losers
  }
}

extension PackedRecord {
  /// A register with its value.
  func register(_ register: PackedRegister) -> LWWRegister {
    LWWRegister(value(of: register), precedence: register.precedence)
  }
}

extension Conflict {
  /// Whether a server's word stands on both sides, or once beside a write that says the same.
  ///
  /// Two devices that learnt one row each wrote it down for themselves, and a write that a server passed on comes back
  /// from it under another name: nobody's write gives way.
  fileprivate var isOfProxies: Bool {
    switch (winner.timestamp.replica.isProxy, loser.timestamp.replica.isProxy) {
    case (true, true): true
    case (false, false): false
    default:
      switch (winner, loser) {
      case (.register(let left), .register(let right)): left.value == right.value
      case (.life(let left), .life(let right)): left.isAlive == right.isAlive
      default: false
      }
    }
  }
}
