extension PackedRecord {
  /// The registers that show, by address; none when the record is deleted.
  ///
  /// Of an address shows the larger slot; the future one only once its time has come, or when there is nothing
  /// else and the whole transaction that wrote it has nothing else.
  /// Registers that outlive lives show only beside others: they make no record visible by themselves.
  ///
  /// What is stamped later than `latestAcceptable` has not come due; `showsEarly` says whether all addresses of
  /// a transaction that has not come due have nothing else.
  package func shown(
    latestAcceptable: HybridTime, showsEarly: (Timestamp) throws -> Bool
  ) rethrows -> [PackedRegister] {
    let (header, registers) = parts
    let life = header.life?.count ?? 1
    guard life % 2 == 1 else { return [] }
    var shown: [PackedRegister] = []
    shown.reserveCapacity(registers.count)
    for register in registers where register.precedence.isKept(fromLife: life) {
      guard register.isFuture else {
        shown.append(register)
        continue
      }
      let isDue = register.precedence.timestamp.time <= latestAcceptable
      if let ordinary = shown.last, sharesAddress(ordinary, register) {
        if isDue || register.precedence.life > ordinary.precedence.life { shown[shown.count - 1] = register }
      } else if try isDue || showsEarly(register.precedence.timestamp) {
        shown.append(register)
      }
    }
    return shown.contains { !$0.precedence.outlivesLives } ? shown : []
  }

  /// Of each address the larger of its slots, whatever the time: the state that equal vectors share.
  ///
  /// Registers of lives before `life` are left out.
  package func best(fromLife life: UInt64) -> [PackedRegister] {
    var best: [PackedRegister] = []
    for register in parts.registers where register.precedence.isKept(fromLife: life) {
      if let last = best.last, sharesAddress(last, register) {
        if last.precedence < register.precedence { best[best.count - 1] = register }
      } else {
        best.append(register)
      }
    }
    return best
  }

  /// The transactions of which registers wait in this record, each with whether one of them stands beside an
  /// ordinary register in force, which holds the transaction back from showing early.
  package var waitingTransactions: [Timestamp: Bool] {
    guard hasWaiting else { return [:] }
    let (header, registers) = parts
    let life = header.life?.count ?? 1
    var transactions: [Timestamp: Bool] = [:]
    for (index, register) in registers.enumerated() where register.isFuture {
      let isHeldBack =
        index > 0 && register.precedence.isKept(fromLife: life)
        && registers[index - 1].precedence.isKept(fromLife: life)
        && sharesAddress(registers[index - 1], register)
      transactions[register.precedence.timestamp, default: false] =
        transactions[register.precedence.timestamp] ?? false || isHeldBack
    }
    return transactions
  }

  /// The timestamps of the registers in future slots.
  package var waitingTimestamps: Set<Timestamp> {
    guard hasWaiting else { return [] }
    return Set(parts.registers.lazy.filter(\.isFuture).map(\.precedence.timestamp))
  }

  private func sharesAddress(_ left: PackedRegister, _ right: PackedRegister) -> Bool {
    RecordMerger.compare(bytes, left.address, bytes, right.address) == 0
  }
}

extension PackedRecord {
  /// What `vector` does not cover, with the record's life; nil when that is nothing.
  ///
  /// Registers travel with the record's entry in the tombstone set, also when the receiver covers that entry:
  /// without it a register of a later life could show in a record that the receiver believes deleted.
  package func fragment(notCoveredBy vector: VersionVector) -> PackedRecord? {
    fragment { !vector.covers($0) }
  }

  /// What was written at some timestamps, with the record's life; nil when that is nothing.
  package func fragment(at timestamps: Set<Timestamp>) -> PackedRecord? {
    fragment { timestamps.contains($0) }
  }

  private func fragment(_ isBrought: (Timestamp) -> Bool) -> PackedRecord? {
    let (header, registers) = parts
    var packer = RecordPacker(life: header.life, sources: [bytes])
    for var register in registers where isBrought(register.precedence.timestamp) {
      register.isFuture = false
      packer.append(register, from: 0)
    }
    let bringsLife = header.life.map { isBrought($0.timestamp) } ?? false
    return packer.count > 0 || bringsLife ? packer.pack() : nil
  }

  /// About how many bytes what was written at a timestamp takes, with what says where and when.
  package func size(at timestamp: Timestamp) -> Int {
    parts.registers.reduce(24) { size, register in
      register.precedence.timestamp == timestamp
        ? size + register.address.count + register.value.count + 24 : size
    }
  }

  /// What waits under `early`, issued again under `timestamp`; nil when nothing in force does.
  ///
  /// Life and rank are kept, and what waits goes on waiting.
  package func adopting(_ early: Timestamp, as timestamp: Timestamp) -> PackedRecord? {
    let (header, registers) = parts
    let life = header.life?.count ?? 1
    guard life % 2 == 1 else { return nil }
    var packer = RecordPacker(life: header.life, sources: [bytes])
    for var register in registers
    where register.isFuture && register.precedence.timestamp == early
      && register.precedence.isKept(fromLife: life)
    {
      register.precedence.timestamp = timestamp
      register.isFuture = false
      packer.append(register, from: 0)
    }
    return packer.count > 0 ? packer.pack() : nil
  }

  /// The record in a new life: of each address the larger slot, edits beneath the deletion included, issued
  /// again under the life's timestamp with its rank kept.
  ///
  /// What outlives lives is there already, and is nobody's to issue again but its writer's.
  package func reissued(in life: Life) -> PackedRecord {
    var packer = RecordPacker(life: life, sources: [bytes])
    for var register in best(fromLife: 1) where !register.precedence.outlivesLives {
      register.precedence.life = life.count
      register.precedence.timestamp = life.timestamp
      register.isFuture = false
      packer.append(register, from: 0)
    }
    return packer.pack()
  }
}
