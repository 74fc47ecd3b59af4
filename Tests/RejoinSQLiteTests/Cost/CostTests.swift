import RejoinTesting
import Foundation
import Rejoin
import TestSupport
import Testing

/// Finding what changed costs in proportion to what changed, whatever is stored.
///
/// Measured in entries looked at by the indexes in memory and in steps of SQLite's machine, which are the same
/// on every machine. `REJOIN_COST_RECORDS` sets the larger size.
@Suite(.serialized) struct CostTests {
  private static let few = 1_000
  private static let many =
    ProcessInfo.processInfo.environment["REJOIN_COST_RECORDS"].flatMap(Int.init) ?? 100_000

  /// What one operation costs at both sizes.
  private struct Costs {
    var delta: Int
    var write: Int
    var merge: Int
  }

  @Test(arguments: StoreKind.allCases)
  func `delta, write and merge cost the same at a hundred times as many records`(_ kind: StoreKind) throws {
    let small = try costs(kind, stored: Self.few)
    let large = try costs(kind, stored: Self.many)
    print("cost, \(kind): \(Self.few) records \(small), \(Self.many) records \(large)")
    #expect(isWithinTenPercent(small.delta, large.delta))
    #expect(isWithinTenPercent(small.write, large.write))
    #expect(isWithinTenPercent(small.merge, large.merge))
  }

  private func isWithinTenPercent(_ small: Int, _ large: Int) -> Bool {
    small > 0 && Double(large) <= Double(small) * 1.1 && Double(large) >= Double(small) * 0.9
  }

  private func costs(_ kind: StoreKind, stored count: Int) throws -> Costs {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      try replica.merge(Self.seed(count))
      stores.clock.advance(milliseconds: 60_000)
      let other = try stores.replica("other")
      let before = replica.version
      try replica.write { transaction in
        for number in 0..<100 {
          try transaction.set(
            ["email": "changed"], id: Self.id(number * (count / 100)), in: "accounts")
        }
      }
      var delta: Delta?
      let deltaCost = try probe.cost { delta = try replica.delta(since: before) }
      #expect(delta?.registerCount == 100)
      let writeCost = try probe.cost {
        try replica.set(["email": "again"], id: Self.id(7), in: "accounts")
      }
      try other.write { transaction in
        for number in 0..<100 {
          try transaction.insert(
            ["email": "new"], id: Self.id(number * (count / 100)), in: "accounts")
        }
      }
      let arriving = try other.delta()
      let mergeCost = try probe.cost { try replica.merge(arriving) }
      return Costs(delta: deltaCost, write: writeCost, merge: mergeCost)
    }
  }

  private static func id(_ number: Int) -> RecordID {
    RecordID(high: UInt64(number) &* 0x9e37_79b9_7f4a_7c15, low: UInt64(number))
  }

  /// A delta of many records, each written by a transaction of its own.
  private static func seed(_ count: Int) -> Delta {
    let origin = ReplicaID(rawValue: 77)
    let first = HybridTime(milliseconds: FixtureEnvironment.start - 1_000)
    let records = (0..<count).map { number in
      let timestamp = Timestamp(
        time: HybridTime(rawValue: first.rawValue + UInt64(number)), replica: origin)
      return Delta.RecordPart(
        key: RecordKey("accounts", id(number)),
        fragment: RecordPacker.fragment(
          life: nil,
          values: [(RegisterAddress("email"), "ada@example.com"), (RegisterAddress("visits"), 3)],
          precedence: Precedence(timestamp: timestamp)))
    }
    let through = VersionVector([(origin, HybridTime(rawValue: first.rawValue + UInt64(count)))])
    return Delta(
      dataset: Stores.dataset, from: VersionVector(), through: through, records: records, entries: [])
  }
}
