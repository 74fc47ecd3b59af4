import RejoinCore
import TestSupport
import Testing

/// The bytes by which stores sort say what the order of queries says, for every pair of values.
struct QueryKeyTests {
  private static func sign(_ number: Int) -> Int { number.signum() }

  private static func byteOrder(_ left: QueryKey, _ right: QueryKey) -> Int {
    left == right ? 0 : left < right ? -1 : 1
  }

  /// Whether the keys of two values, whole and cut, stand as the values do.
  private static func isRight(_ left: Value, _ right: Value) -> Bool {
    let expected = sign(QueryOrder.compare(left, right))
    let cut = byteOrder(QueryKey(startOf: left), QueryKey(startOf: right))
    return byteOrder(QueryKey(left), QueryKey(right)) == expected && (cut == expected || cut == 0)
      && QueryKey(left).start == QueryKey(startOf: left)
      && QueryKey(left).sharesClass(with: QueryKey(right))
        == (QueryOrder.rank(of: left) == QueryOrder.rank(of: right))
  }

  @Test func `keys of awkward values sort as the values do`() {
    let edges: [Value] = [
      .int(.min), .int(.min + 1), .double(-0x1p63), .double((-0x1p63).nextDown), .double((-0x1p63).nextUp),
      .int(.max - 1), .double((0x1p63).nextDown), .int(.max - 1_023), .int(.max - 1_024), .int((1 << 53) - 1),
      .int(1 << 53), .double(0x1p53 + 2), .int((1 << 53) + 2), .int(-(1 << 53)), .double(-0x1p53), .int(-1),
      .double(-1), .double(-0.5), .int(-2), "a", "a\u{0}", "a\u{0}\u{0}", "a\u{1}", "ab", .data([0]),
      .data([0, 0]), .data([0, 255]), .data([255]), .array([.null]), .array([["a"]]), .array(["a", .null]),
      ["a": .null], ["a": 1, "b": 2], ["a": 1, "": 2], .time(-1), .unknown(kind: 0x10, bytes: []),
      .string(String(repeating: "x", count: 63)), .string(String(repeating: "x", count: 64)),
      .string(String(repeating: "x", count: 63) + "y"), .string(String(repeating: "\u{0}", count: 40)),
    ]
    let values = AwkwardValue.all.map(\.written) + edges
    for left in values {
      for right in values { #expect(Self.isRight(left, right), "\(left) and \(right)") }
    }
  }

  @Test(arguments: Seeds.chunks(count: 200, size: 100))
  func `keys of random values sort as the values do`(chunk: Seeds.Chunk) {
    for seed in chunk.seeds {
      var values = RandomValues(seed: seed)
      let drawn = (0..<40).map { _ in values.value() }
      for left in drawn {
        for right in drawn where !Self.isRight(left, right) {
          Issue.record("\(left) and \(right); \(Seeds.replay(seed, suite: "QueryKeyTests"))")
          return
        }
      }
    }
  }

  @Test func `a key in an index is short, whatever the value`() {
    for value in AwkwardValue.all.map(\.written) {
      #expect(QueryKey(startOf: value).bytes.count <= Limits.indexKeyBytes)
    }
  }

  @Test func `whole and floating-point numbers of one size are not told apart by order`() {
    for (left, right) in [
      (Value.int(1), Value.double(1)), (.int(0), .double(-0.0)), (.double(0), .double(-0.0)),
    ] {
      #expect(left != right && QueryKey(left) == QueryKey(right))
    }
    #expect(QueryKey(.int((1 << 53) + 1)) > QueryKey(.double(0x1p53)))
  }
}
