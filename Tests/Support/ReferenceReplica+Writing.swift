extension ReferenceReplica {
  /// A write that the rules refuse.
  package enum Refusal: Error, Hashable {
    case exists
    case notVisible
    case notDeleted
  }

  /// Runs a transaction, whole or not at all, and says its stamp; nil when it wrote nothing.
  @discardableResult
  package mutating func write(_ writes: [Reference.Write]) throws -> Stamp? {
    guard !writes.isEmpty else { return nil }
    var after = self
    after.settle()
    let before = after
    let stamp = Stamp(time: max(UInt64(max(wallMilliseconds, 0)) << 16, after.last + 1), replica: id)
    for write in writes {
      try after.apply(write, stamp: stamp)
      after.tidy()
    }
    // Removing an element that is not there writes nothing.
    guard after.holdsOther(than: before) else { return nil }
    for (address, waiting) in after.future where after.ordinary[address]?.stamp == stamp {
      let loser = Reference.Loser(record: address.record, field: address.field, stamp: stamp)
      if waiting.stamp != stamp, address.isPlain { after.ledger[loser] = stamp }
    }
    after.last = stamp.time
    after.vector[id] = stamp.time
    self = after
    return stamp
  }

  private func holdsOther(than before: ReferenceReplica) -> Bool {
    ordinary != before.ordinary || future != before.future || lives != before.lives
      || entries != before.entries
  }

  private mutating func apply(_ write: Reference.Write, stamp: Stamp) throws {
    switch write {
    case .insert(let record, let fields):
      guard self.fields(of: record) == nil else { throw Refusal.exists }
      if count(record) % 2 == 0 {
        lives[record] = Life(count: count(record) + 1, stamp: stamp)
        for address in addresses(of: record) { takeBack(address, stamp: stamp) }
      }
      put(fields.isEmpty ? [Address.existence: 0] : fields, record: record, stamp: stamp)
    case .set(let record, let fields):
      guard self.fields(of: record) != nil else { throw Refusal.notVisible }
      adoptWhatShowsEarly(in: record, stamp: stamp)
      put(fields, record: record, stamp: stamp)
    case .delete(let record):
      guard self.fields(of: record) != nil else { throw Refusal.notVisible }
      lives[record] = Life(count: count(record) + 1, stamp: stamp)
    case .restore(let record):
      guard lives[record] != nil || !addresses(of: record).isEmpty else { throw Refusal.notVisible }
      guard count(record) % 2 == 0 else { throw Refusal.notDeleted }
      restore(record, stamp: stamp)
    case .append(let id, let value):
      entries.insert(Reference.Entry(stamp: stamp, id: id, value: value))
    case .increment(let record, let field, let amount):
      guard self.fields(of: record) != nil else { throw Refusal.notVisible }
      raise(Address(record: record, field: field, mark: mark()), stamp: stamp) { old in
        amount == 0 ? old : ((old?.value ?? 0) + amount, (old?.rank ?? 0) + 1)
      }
    case .reset(let record, let field):
      guard self.fields(of: record) != nil else { throw Refusal.notVisible }
      adoptWhatShowsEarly(in: record, stamp: stamp)
      for address in addresses(of: record) where address.field == field { takeBack(address, stamp: stamp) }
    case .add(let record, let field, let element):
      guard self.fields(of: record) != nil else { throw Refusal.notVisible }
      raise(Address(record: record, field: field, mark: mark(element)), stamp: stamp) { old in
        (1, (old?.rank ?? 0) + (old?.value == 1 ? 2 : 1))
      }
    case .remove(let record, let field, let element):
      guard self.fields(of: record) != nil else { throw Refusal.notVisible }
      adoptWhatShowsEarly(in: record, stamp: stamp)
      for address in addresses(of: record) where address.field == field && address.mark?.element == element {
        takeBack(address, stamp: stamp)
      }
    }
  }

  private func mark(_ element: Int? = nil) -> Reference.Mark {
    Reference.Mark(session: id, element: element)
  }

  /// What is counted at an address, as far as it is seen here, counts no longer: an element is removed, of a tally is
  /// noted how much it was.
  private mutating func takeBack(_ address: Address, stamp: Stamp) {
    guard var mark = address.mark, !mark.isReset, let seen = ordinary[address] else { return }
    if mark.element != nil {
      if seen.value == 1 { raise(address, stamp: stamp) { (0, ($0?.rank ?? 0) + 1) } }
    } else {
      mark.isReset = true
      raise(Address(record: address.record, field: address.field, mark: mark), stamp: stamp) { old in
        old?.rank == seen.rank ? nil : (seen.value, seen.rank)
      }
    }
  }

  /// Writes what outlives lives.
  private mutating func raise(
    _ address: Address, stamp: Stamp, _ change: ((value: Int, rank: UInt64)?) -> (value: Int, rank: UInt64)?
  ) {
    guard let (value, rank) = change(ordinary[address].map { ($0.value, $0.rank) }) else { return }
    ordinary[address] = Register(life: 0, stamp: stamp, value: value, rank: rank)
  }

  /// An edit of what shows ahead of its time writes the rest of that transaction again.
  private mutating func adoptWhatShowsEarly(in record: Int, stamp: Stamp) {
    let early = Set(
      addresses(of: record).compactMap { shown($0) }.filter { !$0.outlivesLives }.map(\.stamp)
        .filter { !isDue($0) && $0 != stamp })
    for (address, register) in future
    where early.contains(register.stamp) && register.life >= count(address.record)
      && count(address.record) % 2 == 1
    {
      ordinary[address] = Register(life: register.life, stamp: stamp, value: register.value)
    }
  }

  /// The life that had ended comes back: of each of its registers the larger slot.
  private mutating func restore(_ record: Int, stamp: Stamp) {
    let ended = addresses(of: record).filter { $0.mark == nil }.compactMap { address in
      best(address).flatMap { $0.life == latestLife(record) ? (address.field, $0.value) : nil }
    }
    lives[record] = Life(count: count(record) + 1, stamp: stamp)
    let values = ended.isEmpty ? [(Address.existence, 0)] : ended
    put(Dictionary(uniqueKeysWithValues: values), record: record, stamp: stamp)
  }

  private mutating func put(_ fields: [Int: Int], record: Int, stamp: Stamp) {
    for (field, value) in fields {
      ordinary[Address(record: record, field: field)] = Register(
        life: count(record), stamp: stamp, value: value)
    }
  }
}
