import RejoinCore
import Testing

/// Two registers of one precedence come from a fault, such as a copied store; all replicas still decide alike: the
/// larger canonical bytes win, and the merge says so.
struct EqualTimestampsResolveAlikeTests {
  private static let values: [Value] = [.null, 1, 1.0, "a", "b", "é", "e\u{301}", ["a"], ["a": 1]]
  private static let clocks = [0, 2].map { HybridTime(rawValue: $0) }
  private let precedence = Precedence(timestamp: SmallCases.stamp(1, 1))

  @Test func `registers of one precedence are decided by the bytes of their values`() {
    for left in Self.values {
      for right in Self.values {
        let merged = LWWRegister(left, precedence: precedence)
          .merging(LWWRegister(right, precedence: precedence))
        #expect(merged.value == max(left, right))
      }
    }
  }

  @Test(arguments: clocks, clocks)
  func `packed records decide the same, whether either register had to wait or not`(
    first: HybridTime, second: HybridTime
  ) {
    for left in Self.values {
      for right in Self.values {
        let stored = merge(left, into: nil, latestAcceptable: first).result
        let merger = merge(right, into: stored, latestAcceptable: second)
        let registers = merger.result.registers
        #expect(registers.map { merger.result.value(of: $0) } == [max(left, right)])
        #expect(merger.collisions == (left == right ? 0 : 1))
        #expect(merger.conflicts.isEmpty)
        #expect(registers.map(\.isFuture) == [first < precedence.timestamp.time && first == second])
      }
    }
  }

  @Test func `the later replica id wins at one time`() {
    let low = LWWRegister("z", precedence: Precedence(timestamp: SmallCases.stamp(1, 1)))
    let high = LWWRegister("a", precedence: Precedence(timestamp: SmallCases.stamp(1, 2)))
    #expect(low.merging(high) == high)
    #expect(high.merging(low) == high)
  }

  @Test func `of two lives of one count the earlier stands`() {
    let early = Life(count: 2, timestamp: SmallCases.stamp(1, 2))
    let late = Life(count: 2, timestamp: SmallCases.stamp(2, 1))
    #expect(early.merging(late) == early)
    #expect(late.merging(early) == early)
    #expect(late.merging(Life(count: 3, timestamp: SmallCases.stamp(3, 1))).count == 3)
  }

  @Test func `log entries of one id and time are decided by the bytes of their values`() {
    let low = LogEntry(["value": 1], timestamp: SmallCases.stamp(1, 1))
    let high = LogEntry(["value": "a"], timestamp: SmallCases.stamp(1, 1))
    #expect(low.merging(high) == high)
    #expect(high.merging(low) == high)
  }

  private func merge(
    _ value: Value, into stored: PackedRecord?, latestAcceptable: HybridTime
  ) -> RecordMerger {
    let fragment = RecordPacker.fragment(
      life: nil, values: [(RegisterAddress("a"), value)], precedence: precedence)
    let rules = MergeRules(
      latestAcceptable: latestAcceptable, own: VersionVector(), through: VersionVector())
    return RecordMerger(fragment, into: stored, key: SmallCases.record, rules: rules)
  }
}
