import RejoinCore
import TestSupport
import Testing

/// The binary form of deltas: exact, canonical, and never a trap, whatever the bytes are.
struct DeltaCodingTests {
  private static let suite = "DeltaCodingTests"

  /// Runs `body` for every seed, with a line that runs the seed again should it fail.
  private func forEach(_ chunk: Seeds.Chunk, _ body: (inout GeneratedDeltas) throws -> Bool) {
    for seed in chunk.seeds {
      var deltas = GeneratedDeltas(seed: seed)
      do {
        guard try !body(&deltas) else { continue }
        Issue.record("\(Seeds.replay(seed, suite: Self.suite))")
      } catch {
        Issue.record("\(error)\n\(Seeds.replay(seed, suite: Self.suite))")
      }
      return
    }
  }

  @Test(arguments: Seeds.chunks(count: 2_000))
  func `a delta comes back from its bytes`(chunk: Seeds.Chunk) {
    forEach(chunk) { deltas in
      let delta = deltas.delta()
      return try Delta(decoding: delta.encoded()) == delta
    }
  }

  @Test(arguments: Seeds.chunks(count: 1_000))
  func `equal deltas have equal bytes, whatever the order of their parts`(chunk: Seeds.Chunk) {
    forEach(chunk) { deltas in
      let delta = deltas.delta()
      let other = deltas.reordered(delta)
      return delta == other && delta.encoded() == other.encoded()
    }
  }

  @Test(arguments: Seeds.chunks(count: 20, size: 5))
  func `every truncation is refused`(chunk: Seeds.Chunk) {
    forEach(chunk) { deltas in
      let bytes = deltas.delta().encoded()
      return bytes.indices.allSatisfy { (try? Delta(decoding: Array(bytes[..<$0]))) == nil }
    }
  }

  @Test(arguments: Seeds.chunks(count: 8, size: 2))
  func `every byte that is flipped is noticed`(chunk: Seeds.Chunk) {
    forEach(chunk) { deltas in
      let bytes = deltas.delta(size: 3).encoded()
      return bytes.indices.allSatisfy { index in
        ([0x01, 0x80] as [UInt8]).allSatisfy { bits in
          var damaged = bytes
          damaged[index] ^= bits
          return (try? Delta(decoding: damaged)) == nil
        }
      }
    }
  }

  @Test(arguments: Seeds.chunks(count: 8, size: 2))
  func `damage under a good checksum is refused, or is the one form of another delta`(
    chunk: Seeds.Chunk
  ) {
    forEach(chunk) { deltas in
      let bytes = deltas.delta(size: 3).encoded()
      return try bytes.indices.allSatisfy { index in
        try ([0x01, 0x02, 0x80, 0xff] as [UInt8]).allSatisfy { bits in
          var damaged = bytes
          damaged[index] ^= bits
          guard let delta = try? Delta(decoding: damaged, checksChecksum: false) else { return true }
          for part in delta.records { _ = try PackedRecord(validating: part.fragment.bytes) }
          _ = delta.winners
          return delta.encoded().dropLast(8) == damaged.dropLast(8)
        }
      }
    }
  }

  @Test(arguments: Seeds.chunks(count: 16, size: 4))
  func `a delta cut short under a good checksum is refused`(chunk: Seeds.Chunk) {
    forEach(chunk) { deltas in
      let bytes = deltas.delta(size: 3).encoded()
      return (0..<bytes.count - 8).allSatisfy { end in
        (try? Delta(decoding: Array(bytes[..<end]) + Array(bytes.suffix(8)), checksChecksum: false)) == nil
      }
    }
  }

  @Test func `a delta that names a record or an entry twice is refused`() {
    let record = Delta.RecordPart(key: SmallCases.record, fragment: SmallCases.fragments[0])
    let entry = Delta.EntryPart(
      key: EntryKey("events", EntryID(high: 0, low: 1)), entry: SmallCases.logEntries[0])
    let deltas = [([record, record], [entry]), ([record], [entry, entry])].map { records, entries in
      Delta(
        dataset: DatasetID(high: 0, low: 1), from: .init(), through: .covering(records, entries),
        records: records, entries: entries)
    }
    for delta in deltas {
      #expect(throws: CodingError.self) { try Delta(decoding: delta.encoded()) }
    }
    let once = Delta(
      dataset: DatasetID(high: 0, low: 1), from: .init(), through: .covering([record], [entry]),
      records: [record], entries: [entry])
    #expect(throws: Never.self) { try Delta(decoding: once.encoded()) }
  }

  @Test func `a delta whose vector does not cover what it carries is refused`() {
    let record = Delta.RecordPart(key: SmallCases.record, fragment: SmallCases.fragments[0])
    let delta = Delta(
      dataset: DatasetID(high: 0, low: 1), from: .init(), through: .init(), records: [record], entries: [])
    #expect(throws: CodingError.self) { try Delta(decoding: delta.encoded()) }
  }

  @Test func `a life that could not be counted on from is refused`() {
    for count in [Limits.lives + 1, .max - 1, .max] {
      let life = Life(count: count, timestamp: SmallCases.stamp(1, 1))
      let part = Delta.RecordPart(key: SmallCases.record, fragment: SmallCases.fragment(life: life, []))
      let delta = Delta(
        dataset: DatasetID(high: 0, low: 1), from: .init(), through: .init(), records: [part], entries: [])
      #expect(throws: CodingError.overLimit("lives of a record", limit: Int(Limits.lives))) {
        try Delta(decoding: delta.encoded())
      }
      #expect(throws: CodingError.self) { try PackedRecord(validating: part.fragment.bytes) }
    }
  }

  @Test func `foreign bytes and newer formats are told apart`() {
    #expect(throws: CodingError.truncated(offset: 0)) { try Delta(decoding: []) }
    #expect(throws: CodingError.notADelta) { try Delta(decoding: Array("hello".utf8)) }
    var deltas = GeneratedDeltas(seed: 0)
    var newer = deltas.delta().encoded()
    newer[2] = 2
    #expect(throws: CodingError.upgradeRequired(format: 2, supported: DeltaFormat.supported)) {
      try Delta(decoding: newer)
    }
  }
}
