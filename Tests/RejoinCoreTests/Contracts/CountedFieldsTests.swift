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

  private func tally(_ session: UInt64) -> RegisterAddress { .tally(of: "f", SessionMark(session: session)) }

  private func reset(_ session: UInt64) -> RegisterAddress { .reset(of: "f", SessionMark(session: session)) }

  private func element(_ value: Value, _ session: UInt64 = 1) -> RegisterAddress {
    .element(of: "f", SessionMark(session: session, element: value.canonicalBytes))
  }

  private func shown(_ writes: [(RegisterAddress, Value, life: UInt64)]) -> Value? {
    let record = record(writes + [(.existence, true, life: 1)])
    return record.fields(record.shown(latestAcceptable: .distantFuture) { _ in true })["f"]
  }

  @Test func `elements go before tallies, and tallies before a plain value`() {
    let plain = (RegisterAddress("f"), Value.int(40), life: UInt64(1))
    let text = (RegisterAddress("f"), Value.string("x"), life: UInt64(1))
    let counter = (tally(1), Value.int(2), life: UInt64(0))
    let set = (element("a"), Value.null, life: UInt64(0))
    #expect(shown([plain]) == 40)
    #expect(shown([plain, counter]) == 42)
    #expect(shown([text, counter]) == 2)
    #expect(shown([plain, counter, set]) == 42, "nothing is in the set")
    #expect(shown([plain, counter, set, (element("b"), true, life: 0)]) == ["b"])
    #expect(
      shown([counter, (element("b"), true, life: 0), (element("a", 2), true, life: 0), set]) == ["a", "b"])
  }

  @Test func `where nothing counts and no element is there, a plain value of another kind shows`() {
    let counter = [(tally(1), Value.int(2), life: UInt64(0)), (reset(1), 2, life: 0)]
    let set = [(element("a"), Value.null, life: UInt64(0))]
    #expect(shown(counter) == 0)
    #expect(shown(set) == [])
    #expect(shown(counter + set) == [], "a set goes before a counter")
    for value in ["x", true, [1], 1.5] as [Value] {
      #expect(shown(counter + [(RegisterAddress("f"), value, life: 1)]) == value)
    }
    for value in ["x", true, 7, 1.5] as [Value] {
      #expect(shown(set + [(RegisterAddress("f"), value, life: 1)]) == value)
    }
    #expect(shown(counter + [(RegisterAddress("f"), 7, life: 1)]) == 7)
    #expect(shown(counter + set + [(RegisterAddress("f"), 7, life: 1)]) == 7)
    #expect(shown(set + [(RegisterAddress("f"), ["b", "a"], life: 1)]) == ["a", "b"])
    for all in [counter, set] {
      let null = (RegisterAddress("f"), Value.null, life: UInt64(1))
      let later = (RegisterAddress("f"), Value.unknown(kind: 0x1f, bytes: [1]), life: UInt64(1))
      #expect(shown(all + [null]) == shown(all), "null is no value of another kind")
      #expect(shown(all + [later]) == shown(all), "nor is one that this version does not know")
    }
    let another = (tally(2), Value.int(0), life: UInt64(0))
    #expect(shown(counter + [another, (RegisterAddress("f"), "x", life: 1)]) == 0, "nobody took that back")
  }

  @Test func `a kind of an earlier draft shows nothing, and what named an epoch counts nothing`() {
    let good = (tally(1), Value.int(1), life: UInt64(0))
    let old = RegisterAddress("f", kind: RegisterKind.tally, element: [1] + SessionMark(session: 1).bytes)
    #expect(shown([good, (RegisterAddress("", kind: 3), 3, life: 1), (old, 5, life: 0)]) == 1)
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
    for (parts, goal, missing) in [
      ([], 0, 0), ([5], 0, -5), ([.max, .max], .max, -.max), ([.max, .max], 0, nil), ([.min], 0, nil),
      ([.min], -1, .max), ([.min, .min], 0, nil), ([.max], .min, nil), ([1], .min, nil),
      ([.max, .max, .max], .max, nil), ([.max, 1], 0, .min),
    ] as [([Int64], Int64, Int64?)] {
      var sum = ExactSum()
      for part in parts { sum.add(part) }
      #expect(sum.missing(to: goal) == missing, "\(parts) to \(goal)")
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

  @Test
  func `starting afresh takes back every tally and element once, whatever its field and its kind of value`()
    throws
  {
    let later = element(.unknown(kind: 0x1f, bytes: [1]))
    let other = RegisterAddress.tally(of: "g", SessionMark(session: 3))
    func write(_ address: RegisterAddress, _ value: Value, rank: UInt64) -> RegisterWrite {
      let precedence = Precedence(life: 0, rank: rank, timestamp: SmallCases.stamp(1, 1))
      return RegisterWrite(address: address, value: value, precedence: precedence)
    }
    let writes = [
      write(tally(1), 5, rank: 3), write(tally(2), 7, rank: 1), write(reset(2), 7, rank: 1),
      write(other, 9, rank: 1), write(element("a"), true, rank: 5), write(element("b"), .null, rank: 2),
      write(later, true, rank: 1),
    ]
    let record = RecordPacker.fragment(life: nil, writes: writes)
    func edits() -> CountedEdits {
      CountedEdits(of: record, shown: [], session: { 1 }, timestamp: SmallCases.stamp(2, 2))
    }
    func written(_ edits: CountedEdits) -> [RegisterAddress: [UInt64]] {
      edits.writes.reduce(into: [:]) { $0[$1.address, default: []].append($1.precedence.rank) }
    }
    var all = edits()
    try all.startAfresh()
    try all.startAfresh()
    let otherReset = RegisterAddress.reset(of: "g", SessionMark(session: 3))
    #expect(written(all) == [reset(1): [3], otherReset: [1], element("a"): [6], later: [2]])
    #expect(all.writes.first { $0.address == reset(1) }?.value == 5)
    var one = edits()
    try one.startAfresh("g")
    #expect(written(one) == [otherReset: [1]])
    var full = CountedEdits(
      of: RecordPacker.fragment(
        life: nil, writes: [write(element("a"), true, rank: Limits.rankOutsideLives)]),
      shown: [], session: { 1 }, timestamp: SmallCases.stamp(2, 2))
    #expect(throws: CountedEditError.overflow("f")) { try full.startAfresh() }
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
