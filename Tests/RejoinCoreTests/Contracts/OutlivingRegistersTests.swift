import RejoinCore
import TestSupport
import Testing

/// Registers of life 0 belong to the record: no life drops them, none issues them again, and no clock makes them wait.
struct OutlivingRegistersTests {
  private typealias Cases = SmallCases
  private static let outliving = LWWRegister(
    7, precedence: Precedence(life: 0, rank: 1, timestamp: SmallCases.stamp(3, 1)))
  private static let plain = LWWRegister(
    "x", precedence: Precedence(life: 1, timestamp: SmallCases.stamp(1, 1)))

  private func merged(
    _ left: PackedRecord, _ right: PackedRecord, latestAcceptable: HybridTime = .distantFuture
  ) -> RecordMerger {
    RecordMerger(
      right, into: left, key: SmallCases.record,
      rules: MergeRules(latestAcceptable: latestAcceptable, own: .init(), through: .init()))
  }

  private var both: PackedRecord {
    let plain = SmallCases.fragment(life: nil, [Self.plain])
    let other = SmallCases.fragment(life: nil, [Self.outliving], at: SmallCases.outlivingAddress)
    return merged(plain, other).result
  }

  private func dead(_ count: UInt64) -> PackedRecord {
    SmallCases.fragment(life: Life(count: count, timestamp: SmallCases.stamp(2, 2)), [])
  }

  private func shown(_ record: PackedRecord) -> [RegisterAddress] {
    record.shown(latestAcceptable: .distantFuture) { _ in true }.map(record.address)
  }

  @Test func `no later life drops them, and a deletion hides them`() {
    #expect(shown(both) == [RegisterAddress("a"), SmallCases.outlivingAddress])
    let deleted = merged(both, dead(2)).result
    #expect(deleted.registers.count == 2)
    #expect(shown(deleted).isEmpty)
    let later = merged(both, dead(3)).result
    #expect(later.registers.map(later.address) == [SmallCases.outlivingAddress])
    #expect(shown(later).isEmpty, "they make no record visible by themselves")
    #expect(later.best(fromLife: 3).count == 1)
  }

  @Test func `they are not issued again`() {
    let life = Life(count: 3, timestamp: SmallCases.stamp(3, 2))
    let reissued = merged(both, dead(2)).result.reissued(in: life)
    #expect(reissued.registers.map(reissued.address) == [RegisterAddress("a")])
  }

  @Test func `they do not wait`() {
    let other = SmallCases.fragment(life: nil, [Self.outliving], at: SmallCases.outlivingAddress)
    let merger = merged(both, other, latestAcceptable: .zero)
    #expect(merger.waiting.isEmpty)
    #expect(!merger.result.hasWaiting)
    let fresh = merged(
      SmallCases.fragment(life: nil, [Self.plain]), other, latestAcceptable: SmallCases.stamp(1, 1).time)
    #expect(!fresh.result.hasWaiting)
  }

  @Test func `other kinds than plain values make no conflicts`() {
    for life: UInt64 in [0, 1] {
      let low = LWWRegister(1, precedence: Precedence(life: life, timestamp: SmallCases.stamp(1, 1)))
      let high = LWWRegister(
        2, precedence: Precedence(life: life, rank: 1, timestamp: SmallCases.stamp(1, 2)))
      for (old, new) in [(low, high), (high, low)] {
        let stored = SmallCases.fragment(life: nil, [old], at: SmallCases.outlivingAddress)
        let incoming = SmallCases.fragment(life: nil, [new], at: SmallCases.outlivingAddress)
        #expect(merged(stored, incoming).conflicts.isEmpty)
        #expect(merged(stored, dead(2)).conflicts.isEmpty)
        #expect(merged(dead(2), incoming).conflicts.isEmpty)
      }
      let plain = [low, high].map {
        LWWRegister($0.value, precedence: Precedence(life: 1, timestamp: $0.precedence.timestamp))
      }
      let conflicts = merged(
        SmallCases.fragment(life: nil, [plain[0]]), SmallCases.fragment(life: nil, [plain[1]])
      ).conflicts
      #expect(conflicts.count == 1)
    }
  }

  @Test func `a plain value cannot outlive lives, and ranks outside of lives have a bound`() throws {
    func bytes(_ address: RegisterAddress, rank: UInt64, isFuture: Bool = false) -> PackedRecord {
      let precedence = Precedence(life: 0, rank: rank, timestamp: SmallCases.stamp(1, 1))
      let fragment = RecordPacker.fragment(life: nil, values: [(address, 1)], precedence: precedence)
      guard isFuture else { return fragment }
      var marked = fragment.bytes
      marked[0] |= 2
      // The address takes six bytes behind a head of one and a timestamp of sixteen.
      marked[17 + address.packed.count] |= 1
      return PackedRecord(trusted: marked)
    }
    func delta(_ record: PackedRecord) -> [UInt8] {
      let part = Delta.RecordPart(key: SmallCases.record, fragment: record)
      return Delta(
        dataset: DatasetID(high: 0, low: 0), from: .init(), through: .covering([part], []), records: [part],
        entries: []
      ).encoded()
    }
    let other = SmallCases.outlivingAddress
    for record in [bytes(other, rank: 0), bytes(other, rank: Limits.rankOutsideLives)] {
      #expect(try PackedRecord(validating: record.bytes) == record)
      #expect(try Delta(decoding: delta(record)).records.map(\.fragment) == [record])
    }
    for record in [bytes(RegisterAddress("a"), rank: 0), bytes(other, rank: Limits.rankOutsideLives + 1)] {
      #expect(throws: CodingError.self) { try PackedRecord(validating: record.bytes) }
      #expect(throws: CodingError.self) { try Delta(decoding: delta(record)) }
    }
    #expect(throws: CodingError.self) {
      try PackedRecord(validating: bytes(other, rank: 0, isFuture: true).bytes)
    }
  }

  @Test func `the digest holds them while the record lives`() {
    func digest(_ record: PackedRecord) -> Digest {
      var digest = Digest(dataset: DatasetID(high: 0, low: 0))
      digest.add(record, at: SmallCases.record)
      return digest
    }
    #expect(digest(both) != digest(SmallCases.fragment(life: nil, [Self.plain])))
    #expect(digest(merged(both, dead(2)).result) == digest(dead(2)))
  }
}
