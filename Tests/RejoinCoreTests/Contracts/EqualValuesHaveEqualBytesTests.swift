import RejoinCore
import TestSupport
import Testing

/// Equality, order and hash of values go by their canonical bytes, of which each value has one form.
struct EqualValuesHaveEqualBytesTests {
  /// Values that other notions of equality confuse.
  private static let distinct: [Value] = [
    .null, false, true, 0, 0.0, -0.0, 1, 1.0, -1, 63, 64, .int(.min), .int(.max), .time(0), .time(1), "", "0",
    "1",
    .double(.nan), .double(.infinity), .double(-.infinity), .double(.leastNonzeroMagnitude), "é", "e\u{301}",
    "\0",
    .string(String(repeating: "a", count: 63)), .string(String(repeating: "a", count: 64)), .data([]),
    .data([0]),
    .data([0x31]), .record(RecordID(high: 0, low: 0)), .record(RecordID(high: 0, low: 1)), [], [.null], [[]],
    [1],
    [1.0], [:], ["": .null], ["a": .null], ["a": 1], ["a": 1.0], ["é": 1], ["e\u{301}": 1], ["a": ["b": []]],
    .unknown(kind: 0x10, bytes: []), .unknown(kind: 0x11, bytes: []), .unknown(kind: 0x10, bytes: [0]),
  ]

  @Test func `values are equal exactly when their bytes are, and then hash alike`() {
    for (first, left) in Self.distinct.enumerated() {
      for (second, right) in Self.distinct.enumerated() {
        #expect((left == right) == (first == second))
        #expect((left == right) == (left.canonicalBytes == right.canonicalBytes))
        #expect((left < right) == left.canonicalBytes.lexicographicallyPrecedes(right.canonicalBytes))
      }
    }
    #expect(Set(Self.distinct).count == Self.distinct.count)
  }

  @Test func `every value comes back from its bytes`() throws {
    for value in Self.distinct {
      #expect(try Value(canonicalBytes: value.canonicalBytes) == value)
    }
  }

  @Test func `all not-a-numbers are one`() throws {
    let payloads = [Double.nan, .signalingNaN, -.nan, Double(nan: 7, signaling: false)]
    #expect(Set(payloads.map { Value.double($0) }).count == 1)
    #expect(Set(payloads.map { Value.double($0).canonicalBytes }).count == 1)
    let foreign = [0x04] + [UInt8](repeating: 0xff, count: 8)
    #expect(throws: CodingError.self) { try Value(canonicalBytes: foreign) }
  }

  @Test func `a map's order and a string's storage leave no mark`() {
    let first: ValueMap = ["b": 1, "a": 2, "é": 3]
    var second = ValueMap()
    for name in ["é", "a", "b"] { second[name] = 0 }
    second["b"] = 1
    second["a"] = 2
    second["é"] = 3
    #expect(first == second)
    #expect(Value.map(first).canonicalBytes == Value.map(second).canonicalBytes)
    let joined = ["he", "llo"].joined()
    let slice = String("say hello".dropFirst(4))
    #expect(Value.string(joined).canonicalBytes == Value.string(slice).canonicalBytes)
  }

  @Test func `bytes in a longer form than need be are refused`() {
    let longer: [[UInt8]] = [
      [0x03, 0x02], [0x05, 0x01, 0x61], [0x03, 0x80, 0x00], [0x0a, 0x02, 0x01, 0x62, 0x00, 0x01, 0x61, 0x00],
      [0x0a, 0x02, 0x01, 0x61, 0x00, 0x01, 0x61, 0x00], [0x00, 0x00], [], [0x0b], [0x81, 0xff],
    ]
    for bytes in longer {
      #expect(throws: CodingError.self) { try Value(canonicalBytes: bytes) }
    }
  }

  @Test(arguments: Seeds.chunks(count: 2_000))
  func `random bytes are refused or are the bytes of the value that they give`(chunk: Seeds.Chunk) {
    let tags: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0a, 0x10, 0x41, 0x80, 0x81, 0x82]
    for seed in chunk.seeds {
      var generator = SplitMix64(seed: seed)
      let bytes = (0..<1 + generator.number(below: 12)).map { _ in
        generator.succeeds(percent: 70) ? generator.element(of: tags) : UInt8(generator.number(below: 256))
      }
      guard let value = try? Value(canonicalBytes: bytes), value.canonicalBytes != bytes else { continue }
      Issue.record("\(bytes)\n\(Seeds.replay(seed, suite: "EqualValuesHaveEqualBytesTests"))")
    }
  }
}
