import RejoinCore
import Testing

/// What counters and sets show, whatever a delta may bring.
struct CountedFieldsTests {
  private func record(_ writes: [(RegisterAddress, Value, life: UInt64)]) -> PackedRecord {
    RecordPacker.fragment(
      life: nil,
      writes: writes.map {
        RegisterWrite(
          address: $0.0, value: $0.1,
          precedence: Precedence(life: $0.life, rank: 0, timestamp: SmallCases.stamp(1, 1)))
      })
  }

  private func tally(_ session: UInt64, epoch: UInt64 = 1) -> RegisterAddress {
    .tally(of: "f", SessionMark(epoch: epoch, session: session))
  }

  private func element(_ value: Value, _ session: UInt64 = 1, epoch: UInt64 = 1) -> RegisterAddress {
    .element(of: "f", SessionMark(epoch: epoch, session: session, element: value.canonicalBytes))
  }

  private func shown(_ writes: [(RegisterAddress, Value, life: UInt64)]) -> Value? {
    let record = record(writes + [(.existence, true, life: 1)])
    return record.fields(record.shown(latestAcceptable: .distantFuture) { _ in true })["f"]
  }

  @Test func `a set goes before a counter, and a counter before a plain value`() {
    let plain = (RegisterAddress("f"), Value.int(40), life: UInt64(1))
    let text = (RegisterAddress("f"), Value.string("x"), life: UInt64(1))
    let counter = (tally(1), Value.int(2), life: UInt64(0))
    let set = (element("a"), Value.null, life: UInt64(0))
    #expect(shown([plain]) == 40)
    #expect(shown([plain, counter]) == 42)
    #expect(shown([text, counter]) == 2)
    #expect(shown([plain, counter, set]) == [])
    #expect(
      shown([counter, (element("b"), true, life: 0), (element("a", 2), true, life: 0), set]) == ["a", "b"])
  }

  @Test func `only the present epoch counts`() {
    let writes: [(RegisterAddress, Value, life: UInt64)] = [
      (tally(1), 1, life: 0), (tally(1, epoch: 3), 10, life: 0), (tally(1, epoch: 5), 100, life: 0),
    ]
    #expect(shown(writes) == 1)
    #expect(shown(writes + [(.epoch, 3, life: 1)]) == 10)
    #expect(shown(writes + [(.epoch, 7, life: 1)]) == nil)
    for senseless in [Value.null, "x", 0, -1] { #expect(shown(writes + [(.epoch, senseless, life: 1)]) == 1) }
  }

  @Test func `what makes no sense counts nothing`() {
    let good = (tally(1), Value.int(1), life: UInt64(0))
    for element in [[], [1], [1, 2], [1, 0, 0, 0, 0, 0, 0, 0, 1, 9]] as [[UInt8]] {
      for kind in [RegisterKind.tally, RegisterKind.element] {
        #expect(shown([good, (RegisterAddress("f", kind: kind, element: element), 5, life: 0)]) == 1)
      }
    }
    #expect(shown([good, (tally(2), "many", life: 0)]) == 1)
    let later = Value.unknown(kind: 0x1f, bytes: [1])
    #expect(shown([good, (element(later), true, life: 0)]) == 1)
  }

  @Test func `no order of adding changes a sum`() {
    let numbers: [Int64] = [.max, .max, .min, .min, 1, -1, 0, .max, .min]
    for start in numbers.indices {
      var sum = ExactSum()
      for place in numbers.indices { sum.add(numbers[(start + place * 4) % numbers.count]) }
      #expect(sum.clamped == -3)
    }
    var sum = ExactSum()
    for number in [.min, .min, .max, -1, 1, 0] as [Int64] { sum.subtract(number) }
    #expect(sum.clamped == .max)
    sum.add(.min)
    #expect(sum.clamped == 1)
    for (parts, expected) in [
      ([.max, 1], .max), ([.min, -1], .min), ([.max, .max, .min], .max - 1), ([], 0),
    ] as [([Int64], Int64)] {
      var sum = ExactSum()
      for part in parts { sum.add(part) }
      #expect(sum.clamped == expected)
    }
  }

  @Test func `an edit goes on from whatever a delta brought for its own session, up to the bound`() throws {
    func edits(rank: UInt64, _ address: RegisterAddress, _ value: Value) -> CountedEdits {
      let precedence = Precedence(life: 0, rank: rank, timestamp: SmallCases.stamp(1, 1))
      let record = RecordPacker.fragment(life: nil, values: [(address, value)], precedence: precedence)
      return CountedEdits(of: record, shown: [], session: { 1 }, timestamp: SmallCases.stamp(2, 2))
    }
    var counting = edits(rank: 4, tally(1), 5)
    try counting.increment("f", by: 2)
    #expect(counting.writes.map(\.precedence.rank) == [5])
    #expect(counting.writes.map(\.value) == [7])
    var full = edits(rank: Limits.rankOutsideLives, tally(1), 5)
    #expect(throws: CountedEditError.overflow("f")) { try full.increment("f", by: 2) }
    full = edits(rank: Limits.rankOutsideLives, element("a"), true)
    #expect(throws: CountedEditError.overflow("f")) { try full.insert("a", into: "f") }
    #expect(throws: CountedEditError.overflow("f")) { try full.remove("a", from: "f") }
    var adding = edits(rank: 5, element("a"), true)
    try adding.insert("a", into: "f")
    #expect(adding.writes.map(\.precedence.rank) == [7])
    try adding.remove("a", from: "f")
    #expect(adding.writes.map(\.precedence.rank) == [8])
    #expect(adding.writes.map(\.value) == [.null])
    try adding.insert("a", into: "f")
    #expect(adding.writes.map(\.precedence.rank) == [9])
  }
}
