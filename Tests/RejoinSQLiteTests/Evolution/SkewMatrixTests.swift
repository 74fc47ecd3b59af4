import Foundation
import Rejoin
import RejoinTesting
import TestSupport
import Testing

/// Three versions of an application at once, in pairs and in a ring: nothing that any of them wrote is lost.
struct SkewMatrixTests {
  private static let rings = [[1, 2], [1, 3], [2, 3], [1, 2, 3], [3, 2, 1, 2]]

  @Test(arguments: StoreKind.allCases, rings)
  func `every field holds its latest write, whichever versions passed it on`(
    _ kind: StoreKind, _ versions: [Int]
  )
    throws
  {
    for chunk in Seeds.chunks(count: 15) {
      for seed in chunk.seeds {
        try withStores(kind) { stores in
          var matrix = try SkewMatrix(versions, stores, seed: seed)
          do {
            try matrix.run(steps: 60)
          } catch {
            Issue.record(
              """
              \(error)
              \(Seeds.replay(seed, suite: "SkewMatrixTests"))
              \(matrix.trace.joined(separator: "\n"))
              """)
          }
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a record that a version cannot read is named, and its edit is refused`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      var matrix = try SkewMatrix([1, 3], stores, seed: 1)
      try matrix.run(steps: 200)
      #expect(matrix.refusals > 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a deletion and restoration by an older version brings back what it does not know`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let (old, new) = (try stores.replica("old"), try stores.replica("new"))
      let id = RecordID.numbered(1)
      try new.insert(TaskVersion.Three(id: id, name: "t", tag: "g", priority: 3, size: 4))
      let before = try new.fields(of: id, in: "tasks")
      try old.merge(new.delta())
      try old.delete(TaskVersion.One.self, id)
      try old.restore(TaskVersion.One.self, id)
      try new.merge(old.delta(since: new.version))
      #expect(try new.fields(of: id, in: "tasks") == before)
    }
  }

  @Test func `a new property costs the same at a hundred times as many rows`() throws {
    let many = ProcessInfo.processInfo.environment["REJOIN_COST_RECORDS"].flatMap(Int.init) ?? 100_000
    let (small, large) = (try cost(rows: 1_000), try cost(rows: many))
    print("cost of a new column: 1000 rows \(small), \(many) rows \(large)")
    #expect(small > 0 && Double(large) <= Double(small) * 1.1)
  }

  /// What it costs when the first record of version 2 is inserted among those of version 1.
  private func cost(rows: Int) throws -> Int {
    try withStores(.sqlite) { stores in
      let (replica, probe) = try stores.probed()
      try replica.write { transaction in
        for number in 0..<rows {
          try transaction.insert(
            TaskVersion.One(id: .numbered(UInt64(number)), title: "t", size: "1"))
        }
      }
      let before = try replica.declaredFields(of: "tasks")
      let cost = try probe.cost {
        try replica.insert(["title": "t"], id: .numbered(UInt64(rows)), in: "tasks")
        try replica.declare(["priority", "tag"], in: "tasks")
        _ = try replica.fields(of: .numbered(1), in: "tasks")
      }
      #expect(try replica.declaredFields(of: "tasks").count == before.count + 2)
      return cost
    }
  }
}
