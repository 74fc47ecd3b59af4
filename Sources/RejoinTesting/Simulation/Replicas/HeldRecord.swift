import Rejoin
import RejoinCore

/// A record as it is held: its life, and of each address the larger slot.
///
/// It is compared by bytes, which equal values share; nothing is decoded for that.
final class HeldRecord: Sendable {
  /// What is stored.
  let packed: PackedRecord
  let life: Life?

  /// The registers in order of their addresses.
  let registers: [PackedRegister]

  /// What the record contributes to the digest of all that is held.
  let digest: Digest

  init(_ record: PackedRecord, at key: RecordKey, dataset: DatasetID) {
    packed = record
    life = record.life
    registers = record.best(fromLife: life?.latest ?? 1)
    var digest = Digest(dataset: dataset)
    digest.add(record, at: key)
    self.digest = digest
  }

  /// What decides about the register of an address.
  func precedence(at address: RegisterAddress) -> Precedence? {
    let name = address.packed[...]
    return registers.first { packed.bytes[$0.address] == name }?.precedence
  }

  /// Whether this is the least upper bound of two others: the larger life, and of each address the larger register of
  /// those that no later life has ended.
  func isJoin(of mine: HeldRecord, and theirs: HeldRecord) -> Bool {
    guard life == (mine.life.map { mine in theirs.life.map { mine.merging($0) } ?? mine } ?? theirs.life)
    else {
      return false
    }
    let latest = life?.latest ?? 1
    var (left, right, place) = (mine.registers[...], theirs.registers[...], 0)
    while !left.isEmpty || !right.isEmpty {
      var larger: (source: HeldRecord, register: PackedRegister)
      switch (left.first, right.first) {
      case (let one?, let other?):
        let order = RecordMerger.compare(mine.packed.bytes, one.address, theirs.packed.bytes, other.address)
        larger = order < 0 ? (mine, one) : (theirs, other)
        if order == 0, !mine.isLess(one, than: other, of: theirs) { larger = (mine, one) }
        if order <= 0 { left.removeFirst() }
        if order >= 0 { right.removeFirst() }
      case (let one?, nil):
        larger = (mine, one)
        left.removeFirst()
      case (nil, let other?):
        larger = (theirs, other)
        right.removeFirst()
      case (nil, nil): return false
      }
      guard larger.register.precedence.isKept(fromLife: latest) else { continue }
      guard place < registers.count, isSame(registers[place], larger.register, of: larger.source) else {
        return false
      }
      place += 1
    }
    return place == registers.count
  }

  private func isLess(_ one: PackedRegister, than other: PackedRegister, of theirs: HeldRecord) -> Bool {
    one.precedence == other.precedence
      ? packed.valueBytes(of: one).lexicographicallyPrecedes(theirs.packed.valueBytes(of: other))
      : one.precedence < other.precedence
  }

  private func isSame(_ one: PackedRegister, _ other: PackedRegister, of theirs: HeldRecord) -> Bool {
    one.precedence == other.precedence && packed.bytes[one.address] == theirs.packed.bytes[other.address]
      && packed.valueBytes(of: one) == theirs.packed.valueBytes(of: other)
  }
}

extension HeldRecord: Equatable {
  /// Whether both hold the same, in whichever slots.
  static func == (left: HeldRecord, right: HeldRecord) -> Bool {
    if left === right || left.packed == right.packed { return true }
    return left.life == right.life && left.registers.count == right.registers.count
      && zip(left.registers, right.registers).allSatisfy { left.isSame($0, $1, of: right) }
  }
}
