import RejoinCore
import TestSupport
import Testing

/// Whatever the order, however often and in whatever portions fragments arrive: the record is the same.
struct AnyDeliveryOrderConvergesTests {
  private static let suite = "AnyDeliveryOrderConvergesTests"

  @Test func `all orders of three fragments give one record`() {
    let cases = SmallCases.fragments
    for (first, left) in cases.enumerated() {
      for (second, middle) in cases[first...].enumerated() where second.isMultiple(of: 2) {
        for right in cases[(first + second)...] {
          let orders = [
            [left, middle, right], [left, right, middle], [middle, left, right], [middle, right, left],
            [right, left, middle], [right, middle, left],
          ]
          let results = orders.map { merged($0) }
          guard results.allSatisfy({ $0 == results[0] }) else {
            Issue.record("the order of \(left), \(middle) and \(right) matters")
            return
          }
        }
      }
    }
  }

  @Test(arguments: Seeds.chunks(count: 1_000))
  func `order, repetition and grouping of many fragments do not matter`(chunk: Seeds.Chunk) {
    for seed in chunk.seeds {
      var generator = SplitMix64(seed: seed)
      let fragments = (0..<2 + generator.number(below: 5)).map { _ in
        generator.element(of: SmallCases.fragments)
      }
      let expected = merged(fragments)
      let shuffled = generator.shuffled(fragments + [generator.element(of: fragments)])
      let grouped = inGroups(shuffled, using: &generator)
      guard merged(shuffled) == expected, grouped == expected else {
        Issue.record(
          "\(fragments)\nconverges in one order only\n\(Seeds.replay(seed, suite: Self.suite))")
        return
      }
    }
  }

  @Test(arguments: Seeds.chunks(count: 1_000))
  func `clocks that differ while fragments arrive leave the same behind once all has come due`(
    chunk: Seeds.Chunk
  ) {
    for seed in chunk.seeds {
      var generator = SplitMix64(seed: seed)
      let fragments = (0..<2 + generator.number(below: 4)).map { _ in
        generator.element(of: SmallCases.fragments)
      }
      let results = (0..<2).map { _ in
        generator.shuffled(fragments).reduce(nil as PackedRecord?) { stored, fragment in
          merge(
            fragment, into: stored, latestAcceptable: HybridTime(rawValue: UInt64(generator.number(below: 4)))
          )
        }
      }
      let best = results.compactMap { record in
        record.map { record in
          record.shown(latestAcceptable: .distantFuture) { _ in true }
            .map { LWWRegister(record.value(of: $0), precedence: $0.precedence) }
        }
      }
      guard best.count == 2, best[0] == best[1], results[0]?.life == results[1]?.life else {
        Issue.record("\(fragments)\nshows \(best)\n\(Seeds.replay(seed, suite: Self.suite))")
        return
      }
    }
  }

  /// Merges some fragments apart and then what came of them.
  private func inGroups(
    _ fragments: [PackedRecord], using generator: inout SplitMix64
  ) -> PackedRecord? {
    let cut = 1 + generator.number(below: fragments.count - 1)
    let parts = [merged(Array(fragments[..<cut])), merged(Array(fragments[cut...]))]
    return merged(parts.compactMap { $0?.fragment(notCoveredBy: VersionVector()) })
  }

  private func merged(_ fragments: [PackedRecord]) -> PackedRecord? {
    fragments.reduce(nil) { merge($1, into: $0, latestAcceptable: PackedState.latestAcceptable) }
  }

  private func merge(
    _ fragment: PackedRecord, into stored: PackedRecord?, latestAcceptable: HybridTime
  ) -> PackedRecord {
    let rules = MergeRules(
      latestAcceptable: latestAcceptable, own: VersionVector(), through: VersionVector())
    return RecordMerger(fragment, into: stored, key: SmallCases.record, rules: rules).result
  }
}
