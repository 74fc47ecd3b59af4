import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import TestSupport
import Testing

/// Check 6: at 30 % loss, with processes killed in the middle of a pull and of a push, everything converges; nothing is
/// doubled, and nothing is missing.
///
/// `REJOIN_SEEDS=10` kills ten times as often.
struct Check6LossAndKillsTests {
  @Test func `three devices that are killed in mid-push and mid-pull over a bad network converge`()
    async throws
  {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        try await server.control(["settings": ["max_page": 4]])
        let names = ["one", "two", "three"]
        var written: [String: [String]] = [:]
        for seed in Seeds.chunks(count: 4).flatMap(\.seeds) {
          try await lose(server, seed)
          let children = try names.map { name in
            let mark = "\(name)-\(seed)"
            return (
              mark, try WorkerProcess(["exchange", stores.path(name), server.url.absoluteString, mark])
            )
          }
          for (mark, child) in children {
            for _ in 0..<2 { if let line = child.nextLine() { written[mark, default: []].append(line) } }
          }
          // All three are in the middle of a request when they die; that of a push may have been carried out.
          try await server.fault(
            "delay",
            [
              JSON.Member("held", true), JSON.Member("on", seed % 2 == 0 ? "push" : "pull"),
              JSON.Member("when", seed % 4 < 2 ? "after" : "before"),
            ])
          try await server.control(["await_held": 3])
          for (mark, child) in children { written[mark, default: []] += child.kill() }
          try await server.control(["clear": true, "release": true])
        }
        try await check(server, names.map { try Device(at: stores.path($0), server) }, written)
      }
    }
  }

  private func lose(_ server: TestServer, _ seed: UInt64) async throws {
    for (kind, probability) in [("drop_answer", 0.3), ("duplicate", 0.1)] {
      try await server.fault(
        kind,
        [JSON.Member("probability", .double(probability)), JSON.Member("seed", .int(Int64(seed)))])
    }
  }

  private func check(_ server: TestServer, _ devices: [Device], _ written: [String: [String]]) async throws {
    // A record that lost too many races against the others waits for a person, who would write it once more.
    let shared = RecordID.derived(from: "shared", in: "task")
    for device in devices where try device.outbox.state(of: shared, in: "task") == .conflict {
      try device.replica.set(["last": "settled"], id: shared, in: "task")
    }
    try await settle(devices)
    let state = try await ServerState(server)
    #expect(state.isOnceEach || state.operations.values.allSatisfy { $0.applied <= 1 })
    for device in devices {
      #expect(try device.outbox.status().isSynced)
      #expect(try device.outbox.deadLetters().isEmpty)
      #expect(try device.shown() == state.rows)
    }
    let titles = state.rows.values.compactMap { $0["title"] }
    #expect(Set(titles).count == titles.count, "nothing is doubled")
    for (mark, lines) in written {
      #expect(Set(titles).isSuperset(of: lines.map { .string($0) }), "nothing is missing")
      let last = lines.last.flatMap { Int64($0.split(separator: "/")[1]) } ?? -1
      guard case .int(let number)? = state.rows[shared.description]?[mark] else {
        Issue.record("the shared record lacks what \(mark) wrote")
        continue
      }
      #expect(number >= last)
    }
  }
}
