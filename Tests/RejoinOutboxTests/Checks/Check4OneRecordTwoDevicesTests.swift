import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import TestSupport
import Testing

/// Check 4: two devices edit one record offline. What comes out is documented, and nothing is lost silently.
struct Check4OneRecordTwoDevicesTests {
  /// What both edited goes by its policy; the side that gives way is in a ledger, and what one alone edited stays.
  @Test(arguments: FieldPolicy.Pulling.allCases, [true, false])
  func `both sides of a field are in the state or in a ledger`(
    _ policy: FieldPolicy.Pulling, _ isServerLater: Bool
  ) async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        // The second device's edit is made at a time between the two that the server may give the first one's.
        let (first, second) = (FixtureEnvironment(), FixtureEnvironment(ahead: 5_000))
        try await server.control(["clock": ["fixed_ms": .int(FixtureEnvironment.start - 10_000)]])
        let one = try Device(stores.replica("one", clock: first), server)
        let two = try Device(stores.replica("two", clock: second), server)
        for device in [one, two] {
          device.replica.declare([FieldPolicy("title", server: policy)], in: "task")
        }
        let id = one.replica.newID()
        try one.replica.insert(["title": "old", "mine": 0, "theirs": 0], id: id, in: "task")
        try await settle([one, two])

        try one.replica.set(["title": "one", "mine": 1], id: id, in: "task")
        second.advance(milliseconds: 5_000)
        try two.replica.set(["title": "two", "theirs": 2], id: id, in: "task")
        second.advance(milliseconds: 20_000)
        let time = FixtureEnvironment.start + (isServerLater ? 15_000 : 7_000)
        try await server.control(["clock": ["fixed_ms": .int(time)]])
        try await settle([one, two])

        let serverWins = policy == .serverWins || policy == .lww && isServerLater
        let winner: Value = serverWins ? "one" : "two"
        for device in [one, two] {
          #expect(
            try device.replica.fields(of: id, in: "task") == ["title": winner, "mine": 1, "theirs": 2])
        }
        let losers = try two.replica.conflicts().compactMap(\.losingValue)
        #expect(losers == [serverWins ? "two" : "one"])
        let state = try await ServerState(server)
        #expect(state.rows == (try two.shown()))
        #expect(state.rows.count == 1)
      }
    }
  }

  @Test func `two devices that insert one id end with one record, and both contents count`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let one = try Device(stores.replica("one"), server)
        let two = try Device(stores.replica("two"), server)
        let id = RecordID.derived(from: "tea", in: "task")
        try one.replica.insert(["title": "tea", "mine": 1], id: id, in: "task")
        try two.replica.insert(["title": "coffee", "theirs": 2], id: id, in: "task")
        try await settle([one, two])
        let shown = try #require(try one.replica.fields(of: id, in: "task"))
        #expect(shown == (try two.replica.fields(of: id, in: "task")))
        #expect(shown["mine"] == 1)
        #expect(shown["theirs"] == 2)
        let losers = try [one, two].flatMap { try $0.replica.conflicts() }.compactMap(\.losingValue)
        #expect(losers.contains(shown["title"] == "tea" ? "coffee" : "tea"))
        #expect(try await ServerState(server).rows == (try one.shown()))
      }
    }
  }
}
