/// Merges what comes in for one record into what is stored: a linear pass over two sorted runs.
package struct RecordMerger {
  /// The merged state.
  package private(set) var result: PackedRecord

  /// Concurrent writes that met here for the first time.
  package private(set) var conflicts: [Conflict] = []

  /// Registers of equal precedence and unequal value: a fault elsewhere, decided by canonical bytes.
  package private(set) var collisions = 0

  /// The timestamps of incoming registers that are from the future.
  package private(set) var waiting: Set<Timestamp> = []

  /// How many registers came in.
  package private(set) var received = 0

  /// How many of the incoming registers are part of the result.
  package private(set) var applied = 0

  /// A register and in which of the two states it stands.
  private struct Candidate {
    var register: PackedRegister
    var source: Int
    var precedence: Precedence { register.precedence }
  }

  private static let stored = 0
  private static let incoming = 1
  private let key: RecordKey
  private let rules: MergeRules
  private let sources: [[UInt8]]
  private var packer: RecordPacker
  private let life: Life?

  /// Merges `incoming` into `stored`.
  package init(_ incoming: PackedRecord, into stored: PackedRecord?, key: RecordKey, rules: MergeRules) {
    let (newHeader, newRegisters) = incoming.parts
    let (oldHeader, oldRegisters) =
      stored?.parts ?? (PackedHeader(life: nil, timestamps: []), [])
    self.key = key
    self.rules = rules
    sources = [stored?.bytes ?? [], incoming.bytes]
    life = RecordMerger.joined(oldHeader.life, newHeader.life)
    packer = RecordPacker(life: life, sources: sources)
    result = incoming
    noteLives(oldHeader.life, newHeader.life, stored: oldRegisters)
    mergeRuns(oldRegisters, newRegisters)
    if let stored {
      conflicts += HiddenByKind.conflicts(
        of: key, merging: .init(record: incoming, registers: newRegisters),
        into: .init(record: stored, registers: oldRegisters), life: life, rules: rules)
    }
    received = newRegisters.count
    result = packer.pack()
  }

  /// Whether the stored state is changed by the merge.
  package func changes(_ stored: PackedRecord?) -> Bool { result != stored }

  private static func joined(_ left: Life?, _ right: Life?) -> Life? {
    guard let left, let right else { return left ?? right }
    return left.merging(right)
  }

  // MARK: Registers

  private mutating func mergeRuns(_ old: [PackedRegister], _ new: [PackedRegister]) {
    var oldIndex = 0
    var newIndex = 0
    while oldIndex < old.count || newIndex < new.count {
      let order = orderOfAddresses(old, oldIndex, new, newIndex)
      let oldStart = oldIndex
      let newStart = newIndex
      if order <= 0 { oldIndex = endOfAddress(old, oldIndex, in: RecordMerger.stored) }
      if order >= 0 { newIndex = endOfAddress(new, newIndex, in: RecordMerger.incoming) }
      mergeAddress(old[oldStart..<oldIndex], new[newStart..<newIndex])
    }
  }

  /// Merges all registers of one address: each incoming one goes to the slot that the receiver's clock says.
  private mutating func mergeAddress(_ old: ArraySlice<PackedRegister>, _ new: ArraySlice<PackedRegister>) {
    var ordinary = candidate(old.first { !$0.isFuture })
    var future = candidate(old.first { $0.isFuture })
    let slots = [ordinary, future]
    for register in new {
      var arrival = Candidate(register: register, source: RecordMerger.incoming)
      // What outlives lives is ordered by rank alone, so a clock that is ahead hides nobody's edit.
      arrival.register.isFuture =
        !register.precedence.outlivesLives && register.precedence.timestamp.time > rules.latestAcceptable
      if arrival.register.isFuture { waiting.insert(arrival.precedence.timestamp) }
      for case let other? in slots { noteConflict(arrival, other) }
      noteHidden(arrival)
      if arrival.register.isFuture {
        future = larger(future, arrival)
      } else {
        ordinary = larger(ordinary, arrival)
      }
    }
    if let low = ordinary, let high = future, low.precedence >= high.precedence {
      // Of one precedence are a register and itself, delivered again when it had come due, or a collision.
      if low.precedence == high.precedence { ordinary = larger(high, low) }
      ordinary?.register.isFuture = false
      future = nil
    }
    keep(ordinary)
    keep(future)
  }

  private func candidate(_ register: PackedRegister?) -> Candidate? {
    register.map { Candidate(register: $0, source: RecordMerger.stored) }
  }

  private mutating func larger(_ current: Candidate?, _ arrival: Candidate) -> Candidate {
    guard let current else { return arrival }
    if current.precedence != arrival.precedence {
      return current.precedence < arrival.precedence ? arrival : current
    }
    if rules.overwritesTies { return arrival }
    let currentBytes = sources[current.source][current.register.value]
    let arrivalBytes = sources[arrival.source][arrival.register.value]
    if currentBytes == arrivalBytes { return current }
    collisions += 1
    return currentBytes.lexicographicallyPrecedes(arrivalBytes) ? arrival : current
  }

  /// Registers of an earlier life can never show again once a later odd count is known, be it that of a life
  /// which has ended too: otherwise what is stored would depend on which counts a replica happened to see.
  ///
  /// Registers of life 0 outlive all lives.
  private mutating func keep(_ candidate: Candidate?) {
    guard let candidate else { return }
    if let life, !candidate.precedence.isKept(fromLife: life.latest) { return }
    if candidate.source == RecordMerger.incoming { applied += 1 }
    packer.append(candidate.register, from: candidate.source)
  }

  // MARK: Order of addresses

  private func orderOfAddresses(
    _ old: [PackedRegister], _ oldIndex: Int, _ new: [PackedRegister], _ newIndex: Int
  ) -> Int {
    guard oldIndex < old.count else { return 1 }
    guard newIndex < new.count else { return -1 }
    return RecordMerger.compare(
      sources[RecordMerger.stored], old[oldIndex].address, sources[RecordMerger.incoming],
      new[newIndex].address)
  }

  /// The end of the run of registers that share the address at `start`.
  private func endOfAddress(_ registers: [PackedRegister], _ start: Int, in source: Int) -> Int {
    var end = start + 1
    while end < registers.count,
      RecordMerger.compare(sources[source], registers[end].address, sources[source], registers[start].address)
        == 0
    { end += 1 }
    return end
  }

  /// Compares two packed addresses byte by byte.
  package static func compare(
    _ left: [UInt8], _ leftRange: Range<Int>, _ right: [UInt8], _ rightRange: Range<Int>
  )
    -> Int
  {
    let shared = min(leftRange.count, rightRange.count)
    for offset in 0..<shared {
      let leftByte = left[leftRange.lowerBound + offset]
      let rightByte = right[rightRange.lowerBound + offset]
      if leftByte != rightByte { return leftByte < rightByte ? -1 : 1 }
    }
    return leftRange.count - rightRange.count
  }

  // MARK: Conflicts

  /// Two registers were concurrent when the one that loses was unknown to the other's side.
  ///
  /// What came in before has met all that is stored, then or when that was written.
  private mutating func noteConflict(_ arrival: Candidate, _ other: Candidate) {
    guard isPlain(arrival), arrival.precedence.timestamp != other.precedence.timestamp,
      !rules.own.covers(arrival.precedence.timestamp)
    else { return }
    if arrival.precedence < other.precedence {
      note(winner: side(other), loser: side(arrival), at: arrival)
    } else if !rules.through.covers(other.precedence.timestamp) {
      note(winner: side(arrival), loser: side(other), at: other)
    }
  }

  /// An incoming register that a life hides, which its writer's side had not seen.
  private mutating func noteHidden(_ arrival: Candidate) {
    guard let life, isPlain(arrival), !life.isAlive || arrival.precedence.life < life.count,
      !rules.through.covers(life.timestamp), !rules.own.covers(arrival.precedence.timestamp)
    else { return }
    note(winner: .life(life), loser: side(arrival), at: arrival)
  }

  /// Stored registers that an incoming life hides, and lives that gave way to another, each unknown to its side.
  private mutating func noteLives(_ old: Life?, _ new: Life?, stored: [PackedRegister]) {
    guard let new, new != old else { return }
    let first = Life(count: 1, timestamp: Timestamp(time: .zero, replica: ReplicaID(rawValue: 0)))
    guard new.beats(old ?? first) else {
      if let old, !rules.own.covers(new.timestamp) {
        conflicts.append(Conflict(record: key, address: nil, winner: .life(old), loser: .life(new)))
      }
      return
    }
    for register in stored
    where !rules.through.covers(register.precedence.timestamp)
      && (!new.isAlive || register.precedence.life < new.count)
    {
      let hidden = Candidate(register: register, source: RecordMerger.stored)
      guard isPlain(hidden) else { continue }
      note(winner: .life(new), loser: side(hidden), at: hidden)
    }
    if let old, !rules.through.covers(old.timestamp) {
      conflicts.append(Conflict(record: key, address: nil, winner: .life(new), loser: .life(old)))
    }
  }

  /// Registers of other kinds than plain values do not lose to each other: of what they stand for, nothing gives way.
  private func isPlain(_ candidate: Candidate) -> Bool {
    RegisterAddress.isPlain(sources[candidate.source], candidate.register.address)
  }

  private mutating func note(winner: Conflict.Side, loser: Conflict.Side, at candidate: Candidate) {
    let record = PackedRecord(trusted: sources[candidate.source])
    conflicts.append(
      Conflict(
        record: key, address: record.address(of: candidate.register), winner: winner, loser: loser))
  }

  private func side(_ candidate: Candidate) -> Conflict.Side {
    let record = PackedRecord(trusted: sources[candidate.source])
    return .register(
      LWWRegister(record.value(of: candidate.register), precedence: candidate.precedence))
  }
}
