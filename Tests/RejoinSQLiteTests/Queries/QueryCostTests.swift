import Foundation
import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// With an index a query costs what it returns, and a write what it changes, whatever is stored.
///
/// Measured as in `CostTests`; `REJOIN_COST_RECORDS` sets the larger size.
@Suite(.serialized) struct QueryCostTests {
  private static let few = 1_000
  private static let many =
    ProcessInfo.processInfo.environment["REJOIN_COST_RECORDS"].flatMap(Int.init) ?? 100_000

  private struct Costs {
    var equality = 0
    var first = 0
    var last = 0
    var write = 0
    var unindexedWrite = 0
    var merge = 0
  }

  @Test(arguments: StoreKind.allCases)
  func `a query by an index costs the same at a hundred times as many records`(_ kind: StoreKind) throws {
    let small = try costs(kind, stored: Self.few)
    let large = try costs(kind, stored: Self.many)
    print("cost of queries, \(kind): \(Self.few) records \(small), \(Self.many) records \(large)")
    for cost in [\Costs.equality, \.first, \.last, \.write, \.unindexedWrite, \.merge] {
      #expect(small[keyPath: cost] > 0)
      #expect(Double(large[keyPath: cost]) <= Double(small[keyPath: cost]) * 1.1)
    }
    #expect(large.unindexedWrite < large.write, "what does not change costs nothing")
  }

  private func costs(_ kind: StoreKind, stored count: Int) throws -> Costs {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      try replica.declare([Index("email"), Index("visits")], in: "accounts")
      let other = try stores.replica("other")
      try other.write { transaction in
        for number in 0..<count {
          try transaction.insert(
            ["email": .string("\(number)@example.com"), "visits": .int(Int64(number)), "name": "x"],
            id: .numbered(UInt64(number)), in: "accounts")
        }
      }
      try replica.merge(other.delta())
      stores.clock.advance(milliseconds: 1_000)
      var costs = Costs()
      costs.equality = try probe.cost {
        let found = try replica.records(in: "accounts", where: .equals("email", "77@example.com"))
        #expect(found.map(\.id.low) == [77])
      }
      costs.first = try probe.cost {
        let found = try replica.records(in: "accounts", sort: .ascending("visits"), limit: 10)
        #expect(found.map(\.id.low) == Array(0..<10))
      }
      costs.last = try probe.cost {
        let found = try replica.records(in: "accounts", sort: .descending("visits"), limit: 10)
        #expect(found.first?.id.low == UInt64(count - 1))
      }
      costs.write = try probe.cost {
        try replica.set(["email": "new@example.com"], id: .numbered(7), in: "accounts")
      }
      costs.unindexedWrite = try probe.cost {
        try replica.set(["name": "y"], id: .numbered(8), in: "accounts")
      }
      stores.clock.advance(milliseconds: 1_000)
      try other.write { transaction in
        for number in 0..<10 {
          try transaction.set(
            ["visits": .int(Int64(-number))], id: .numbered(UInt64(number * (count / 10))), in: "accounts")
        }
      }
      let arriving = try other.delta(since: replica.version)
      costs.merge = try probe.cost { try replica.merge(arriving) }
      return costs
    }
  }
}
