import RejoinTesting
import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// A device whose clock is ahead costs others what it sends, not its square.
struct LargeFutureTests {
  private static let hour: Int64 = 3_600_000

  /// What merging, editing and reading cost after a transaction of `count` records from the future.
  private func costs(_ kind: StoreKind, count: Int) throws -> [Int] {
    try withStores(kind) { stores in
      let fast = try stores.replica("fast", clock: FixtureEnvironment(ahead: Self.hour))
      try fast.write { transaction in
        for number in 0..<count {
          try transaction.insert(
            ["email": .string("\(number)")], id: .numbered(UInt64(number)), in: "accounts")
        }
      }
      let (right, probe) = try stores.probed("right")
      let merge = try probe.cost { _ = try right.merge(fast.delta()) }
      let read = try probe.cost { _ = try right.fields(of: .numbered(0), in: "accounts") }
      let list = try probe.cost { _ = try right.records(in: "accounts") }
      #expect(try right.records(in: "accounts").count == count)
      let edit = try probe.cost { try right.set(["email": "edited"], id: .numbered(0), in: "accounts") }
      let again = try probe.cost { try right.set(["email": "again"], id: .numbered(0), in: "accounts") }
      return [merge / count, read, list / count, edit / count, again]
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `merging, reading and editing a transaction from the future grow with its size`(_ kind: StoreKind)
    throws
  {
    let small = try costs(kind, count: 50)
    let large = try costs(kind, count: 500)
    for (before, after) in zip(small, large) { #expect(after <= before * 2 + 4, "\(small) to \(large)") }
  }
}
