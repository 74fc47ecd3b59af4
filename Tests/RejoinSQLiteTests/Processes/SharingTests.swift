import Foundation
import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// Two processes with eight tasks each share one file.
///
/// `REJOIN_SHARE_SECONDS=60` lets them do so for a minute.
struct SharingTests {
  private static let seconds = ProcessInfo.processInfo.environment["REJOIN_SHARE_SECONDS"] ?? "1"

  @Test func `two processes that count up one record lose no count`() throws {
    try withStores(.sqlite) { stores in
      let path = stores.path("one")
      let children = try (0..<2).map { _ in try WorkerProcess(["share", path, Self.seconds]) }
      let counts = children.map { $0.nextLine().flatMap { Int64($0) } ?? -1 }
      #expect(children.map { $0.end() } == [0, 0])
      #expect(counts.allSatisfy { $0 > 0 })
      let replica = try Replica(at: path)
      let counter = RecordID.derived(from: "counter", in: "shared")
      #expect(try replica.fields(of: counter, in: "shared") == ["count": .int(counts.reduce(0, +))])
      #expect(try replica.log("merged").count == counts.reduce(0, +))
      #expect(try replica.inspect().findings.isEmpty)
    }
  }
}
