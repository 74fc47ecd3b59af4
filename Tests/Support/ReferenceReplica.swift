/// A replica so plain that it is obviously right: the rules of the design, one after the other, on dictionaries.
///
/// It judges the engine and shares nothing with it. It knows lives, both slots of an address, the drift bound and
/// showing early; it is slow and forgets nothing that the rules do not tell it to forget.
package struct ReferenceReplica: Sendable {
  package typealias Address = Reference.Address
  package typealias Register = Reference.Register
  package typealias Life = Reference.Life
  package typealias Stamp = Reference.Stamp

  package let id: UInt64
  package let driftMilliseconds: Int64
  package var wallMilliseconds: Int64
  package var last: UInt64 = 0
  package var vector: [UInt64: UInt64] = [:]
  package var ordinary: [Address: Register] = [:]
  package var future: [Address: Register] = [:]
  package var lives: [Int: Life] = [:]
  package var entries: Set<Reference.Entry> = []
  /// Who gave way to somebody who had not seen it, and when that was noticed.
  package var ledger: [Reference.Loser: Stamp] = [:]
  var told: Set<Reference.Waiting> = []
  private var lastDue: UInt64 = 0

  /// Makes an empty replica.
  package init(id: UInt64, wallMilliseconds: Int64, driftMilliseconds: Int64) {
    self.id = id
    self.wallMilliseconds = wallMilliseconds
    self.driftMilliseconds = driftMilliseconds
  }

  // MARK: Time

  /// The last time that is not from the future; what was told as due never is again.
  package var latestAcceptable: UInt64 {
    max(UInt64(max(wallMilliseconds + driftMilliseconds, 0)) << 16 | 0xffff, lastDue)
  }

  func isDue(_ stamp: Stamp) -> Bool { stamp.time <= latestAcceptable }

  /// Whether the write of a stamp is covered.
  package func covers(_ stamp: Stamp) -> Bool { stamp.time <= vector[stamp.replica] ?? 0 }

  /// What has come due moves the clock, and what waited waits no longer.
  package mutating func settle() {
    let counted = ordinary.values.filter(\.outlivesLives)
    let stamps =
      (future.values + counted).map(\.stamp) + lives.values.map(\.stamp) + entries.map(\.stamp)
      + ledger.values
    last = max(last, stamps.filter(isDue).map(\.time).max() ?? 0)
    for (address, register) in future where isDue(register.stamp) {
      told.insert(Reference.Waiting(record: address.record, stamp: register.stamp))
      lastDue = max(lastDue, register.stamp.time)
    }
  }

  // MARK: Showing

  /// How often a record came to life and was deleted; 1 when it never was.
  package func count(_ record: Int) -> UInt64 { lives[record]?.count ?? 1 }

  /// The life that is running, or that ended last.
  package func latestLife(_ record: Int) -> UInt64 {
    count(record) % 2 == 1 ? count(record) : count(record) - 1
  }

  private func inForce(_ register: Register?, at address: Address) -> Register? {
    guard let register, register.outlivesLives || register.life >= count(address.record) else { return nil }
    return register
  }

  /// A transaction from the future shows early only if none of its addresses has anything else.
  private func showsEarly(_ stamp: Stamp) -> Bool {
    future.allSatisfy { address, register in
      register.stamp != stamp || inForce(register, at: address) == nil
        || inForce(ordinary[address], at: address) == nil
    }
  }

  /// The register that readers see.
  package func shown(_ address: Address) -> Register? {
    guard count(address.record) % 2 == 1 else { return nil }
    let now = inForce(ordinary[address], at: address)
    guard let later = inForce(future[address], at: address) else { return now }
    guard let now else { return isDue(later.stamp) || showsEarly(later.stamp) ? later : nil }
    return later.beats(now) && (isDue(later.stamp) || later.life > now.life) ? later : now
  }

  /// The addresses at which a record holds something.
  package func addresses(of record: Int) -> Set<Address> {
    Set(ordinary.keys).union(future.keys).filter { $0.record == record }
  }

  /// The values that a record shows by field; nil when it is not visible.
  package func fields(of record: Int) -> [Int: Int]? {
    let shown = addresses(of: record).compactMap { address in
      self.shown(address).map { (address, $0) }
    }
    guard shown.contains(where: { !$0.1.outlivesLives }) else { return nil }
    let plain = shown.filter { $0.0.mark == nil && $0.0.field > Reference.Address.existence }
    return Dictionary(uniqueKeysWithValues: plain.map { ($0.0.field, $0.1.value) })
  }

  /// The sums of a record's counters by field.
  package func counters(of record: Int) -> [Int: Int] {
    var sums: [Int: Int] = [:]
    for (address, register) in counted(record) where address.mark?.element == nil {
      sums[address.field, default: 0] += (address.mark?.isReset ?? false ? -1 : 1) * register.value
    }
    return sums
  }

  /// The elements of a record's sets by field.
  package func sets(of record: Int) -> [Int: Set<Int>] {
    var sets: [Int: Set<Int>] = [:]
    for (address, register) in counted(record) {
      guard let element = address.mark?.element else { continue }
      sets[address.field, default: []].formUnion(register.value == 1 ? [element] : [])
    }
    return sets
  }

  private func counted(_ record: Int) -> [Address: Register] {
    guard fields(of: record) != nil else { return [:] }
    return ordinary.filter { $0.key.record == record && $0.key.mark != nil }
  }

  /// The larger slot of an address.
  package func best(_ address: Address) -> Register? {
    guard let later = future[address] else { return ordinary[address] }
    guard let now = ordinary[address], now.beats(later) else { return later }
    return now
  }

  /// The log in order.
  package var log: [Reference.Entry] { entries.sorted { ($0.stamp, $0.id) < ($1.stamp, $1.id) } }

  /// What waits for its time.
  package var waiting: Set<Reference.Waiting> {
    Set(future.map { Reference.Waiting(record: $0.key.record, stamp: $0.value.stamp) }).subtracting(told)
  }

  // MARK: Tidying

  /// A future slot that has lost goes, and so do registers of lives before the latest.
  mutating func tidy() {
    for (address, register) in future {
      if let now = ordinary[address], !register.beats(now) { future[address] = nil }
    }
    ordinary = ordinary.filter { $0.value.outlivesLives || $0.value.life >= latestLife($0.key.record) }
    future = future.filter { $0.value.life >= latestLife($0.key.record) }
    let held = Set(future.map { Reference.Waiting(record: $0.key.record, stamp: $0.value.stamp) })
    told.formIntersection(held)
  }
}
