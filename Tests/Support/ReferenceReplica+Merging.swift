extension ReferenceReplica {
  /// A delta that starts further than this replica has come.
  package struct Gap: Error, Hashable {}

  /// What this replica knows and `version` lacks.
  package func delta(since version: [UInt64: UInt64]) -> Reference.Delta {
    let isNew = { (stamp: Stamp) in stamp.time > version[stamp.replica] ?? 0 }
    let registers = (Array(ordinary) + Array(future)).filter { isNew($0.value.stamp) }
    let touched = Set(registers.map(\.key.record))
    return Reference.Delta(
      from: version, through: vector,
      registers: registers.map { (address: $0.key, register: $0.value) },
      lives: lives.filter { isNew($0.value.stamp) || touched.contains($0.key) },
      entries: entries.filter { isNew($0.stamp) }, ledger: ledger.filter { isNew($0.value) })
  }

  /// Merges a delta and says which concurrent writes met.
  package mutating func merge(_ delta: Reference.Delta) throws -> Set<Reference.Conflict> {
    settle()
    guard delta.from.allSatisfy({ $0.value <= vector[$0.key] ?? 0 }) else { throw Gap() }
    let before = self
    var conflicts: Set<Reference.Conflict> = []
    for (record, life) in delta.lives {
      conflicts.formUnion(before.conflicts(of: life, record: record, through: delta.through))
      if life.beats(lives[record]) { lives[record] = life }
    }
    for (address, register) in delta.registers {
      conflicts.formUnion(
        before.conflicts(of: register, at: address, life: lives[address.record], through: delta.through))
      if register.outlivesLives || isDue(register.stamp) {
        if ordinary[address].map(register.beats) ?? true { ordinary[address] = register }
      } else {
        if future[address].map(register.beats) ?? true { future[address] = register }
      }
    }
    entries.formUnion(delta.entries)
    tidy()
    ledger.merge(delta.ledger) { max($0, $1) }
    let times =
      delta.registers.map(\.register.stamp.time) + delta.lives.values.map(\.stamp.time)
      + delta.entries.map(\.stamp.time) + delta.ledger.values.map(\.time) + delta.through.values
    last = max(last, times.filter { $0 <= latestAcceptable }.max() ?? 0)
    vector.merge(delta.through) { max($0, $1) }
    record(conflicts)
    return conflicts
  }

  /// Notes losers that nobody has noted, at one new time.
  private mutating func record(_ conflicts: Set<Reference.Conflict>) {
    let losers = Set(conflicts.map(\.losing)).filter { ledger[$0] == nil }
    guard !losers.isEmpty else { return }
    last = max(UInt64(max(wallMilliseconds, 0)) << 16, last + 1)
    vector[id] = last
    for loser in losers { ledger[loser] = Stamp(time: last, replica: id) }
  }

  /// Conflicts of an incoming life with registers that it hides and with the life that stands.
  private func conflicts(
    of life: Life, record: Int, through: [UInt64: UInt64]
  ) -> Set<Reference.Conflict> {
    let isUnknownToSender = { (stamp: Stamp) in stamp.time > through[stamp.replica] ?? 0 }
    var conflicts: Set<Reference.Conflict> = []
    guard life != lives[record] else { return conflicts }
    guard life.beats(lives[record]) else {
      if let stands = lives[record], !covers(life.stamp) {
        conflicts.insert(
          .init(record: record, field: nil, winner: .life(stands.stamp), loser: .life(life.stamp)))
      }
      return conflicts
    }
    for (address, register) in Array(ordinary) + Array(future)
    where address.record == record && address.isPlain && isUnknownToSender(register.stamp) {
      guard life.count % 2 == 0 || register.life < life.count else { continue }
      conflicts.insert(
        .init(
          record: record, field: address.field, winner: .life(life.stamp), loser: .register(register.stamp)))
    }
    if let stood = lives[record], isUnknownToSender(stood.stamp) {
      conflicts.insert(
        .init(record: record, field: nil, winner: .life(life.stamp), loser: .life(stood.stamp)))
    }
    return conflicts
  }

  /// Conflicts of an incoming register with a life that hides it and with both slots of its address.
  private func conflicts(
    of register: Register, at address: Address, life: Life?, through: [UInt64: UInt64]
  ) -> Set<Reference.Conflict> {
    guard address.isPlain else { return [] }
    let isUnknownToSender = { (stamp: Stamp) in stamp.time > through[stamp.replica] ?? 0 }
    var conflicts: Set<Reference.Conflict> = []
    let note = { (winner: Reference.Conflict.Side, loser: Stamp) in
      _ = conflicts.insert(
        .init(record: address.record, field: address.field, winner: winner, loser: .register(loser)))
    }
    if let life, life.count % 2 == 0 || register.life < life.count, isUnknownToSender(life.stamp),
      !covers(register.stamp)
    {
      note(.life(life.stamp), register.stamp)
    }
    guard !covers(register.stamp) else { return conflicts }
    for stored in [ordinary[address], future[address]].compactMap(\.self) where stored.stamp != register.stamp
    {
      if register.beats(stored) {
        if isUnknownToSender(stored.stamp) { note(.register(register.stamp), stored.stamp) }
      } else {
        note(.register(stored.stamp), register.stamp)
      }
    }
    return conflicts
  }
}

extension Reference.Address {
  /// Whether writes of it can lose anything.
  package var isPlain: Bool { mark == nil }
}
