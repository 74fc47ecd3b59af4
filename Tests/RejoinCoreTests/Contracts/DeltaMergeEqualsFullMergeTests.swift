import RejoinCore
import Testing

/// A packed record that takes in fragments holds what the lattices of the specification hold, whatever the clock
/// made of each fragment when it came.
struct DeltaMergeEqualsFullMergeTests {
  private static let clocks = [0, 2, 3].map { HybridTime(rawValue: $0) }

  @Test(arguments: clocks, clocks)
  func `merging fragments at any two readings of the clock is the join of their states`(
    first: HybridTime, second: HybridTime
  ) throws {
    for left in SmallCases.fragments {
      let stored = merged(left, into: nil, latestAcceptable: first)
      for right in SmallCases.fragments {
        let packed = merged(right, into: stored, latestAcceptable: second)
        packed.checkInvariants()
        guard state(packed) == state(left).merging(state(right)) else {
          Issue.record("\(state(left))\nand \(state(right))\nwere merged to \(state(packed))")
          return
        }
      }
    }
  }

  @Test func `a register waits when it is stamped after the last acceptable time, not at it`() {
    for time: UInt64 in 1...3 {
      let register = LWWRegister(1, precedence: Precedence(timestamp: SmallCases.stamp(time, 1)))
      let fragment = SmallCases.fragment(life: nil, [register])
      let record = merged(fragment, into: nil, latestAcceptable: HybridTime(rawValue: 2))
      #expect(record.registers.map(\.isFuture) == [time > 2])
    }
  }

  @Test func `what a vector leaves out and what it covers are together the whole`() {
    for sender in PackedState.cases {
      let whole = sender.record.registers.map(\.precedence)
      for covered in SmallCases.vectors {
        let left = whole.filter { covered.covers($0.timestamp) }
        let sent = sender.record.fragment(notCoveredBy: covered)?.registers.map(\.precedence) ?? []
        #expect(Set(left + sent) == Set(whole) && left.count + sent.count == whole.count)
      }
    }
  }

  @Test func `registers travel with their record's life, also when the receiver covers it`() throws {
    let life = Life(count: 3, timestamp: SmallCases.stamp(1, 2))
    let register = LWWRegister(1, precedence: Precedence(life: 3, timestamp: SmallCases.stamp(2, 1)))
    let record = SmallCases.fragment(life: life, [register])
    let covered = VersionVector([(ReplicaID(rawValue: 2), HybridTime(rawValue: 1))])
    let fragment = try #require(record.fragment(notCoveredBy: covered))
    #expect(fragment.life == life)
    #expect(fragment.registers.count == 1)
  }

  @Test func `nothing travels to whom all is covered`() {
    let all = VersionVector([1, 2].map { (ReplicaID(rawValue: $0), HybridTime(rawValue: 3)) })
    #expect(PackedState.cases.allSatisfy { $0.record.fragment(notCoveredBy: all) == nil })
  }

  private func merged(
    _ fragment: PackedRecord, into stored: PackedRecord?, latestAcceptable: HybridTime
  ) -> PackedRecord {
    let rules = MergeRules(
      latestAcceptable: latestAcceptable, own: VersionVector(), through: VersionVector())
    return RecordMerger(fragment, into: stored, key: SmallCases.record, rules: rules).result
  }

  private func state(_ record: PackedRecord) -> ReplicaState {
    let part = Delta.RecordPart(key: SmallCases.record, fragment: record)
    return ReplicaState(
      Delta(
        dataset: DatasetID(high: 0, low: 0), from: .init(), through: .init(), records: [part], entries: []))
  }
}
