import RejoinTesting
import Rejoin
import RejoinSQLite
import TestSupport
import Testing

/// Several replicas over one file are one replica: each sees what the others committed.
struct SharedFileTests {
  private let id = RecordID.numbered(1)

  @Test func `two that write alternately lose nothing and issue no time twice`() throws {
    try withStores(.sqlite) { stores in
      let pair = [try stores.replica(), try stores.replica()]
      #expect(pair[0].id == pair[1].id)
      #expect(pair[0].dataset == pair[1].dataset)
      var times = Set<HybridTime>()
      try pair[0].insert(Account(id: id, email: "0"))
      for number in 1..<40 {
        let writer = pair[number % 2]
        #expect(try writer.get(Account.self, id)?.email == "\(number - 1)")
        try writer.update(Account.self, id) { $0.email = "\(number)" }
        #expect(times.insert(writer.lastTime).inserted)
      }
      #expect(try pair[0].trace() == pair[1].trace())
      #expect(try pair[0].inspect().findings.isEmpty)
    }
  }

  @Test func `what one makes the other can use: collections, columns, logs`() throws {
    try withStores(.sqlite) { stores in
      let (first, second) = (try stores.replica(), try stores.replica())
      try first.append(["by": "first"], to: "activity")
      #expect(try second.log("activity").count == 1)
      #expect(try second.delta().entryCount == 1)
      try second.append(["by": "second"], to: "other log")
      try first.append(["by": "first"], to: "third log")
      try second.insert(["a": 1], id: id, in: "things")
      try first.declare(["a", "b"], in: "things")
      try second.set(["a": 2, "b": 3], id: id, in: "things")
      #expect(try stores.sql("SELECT a, b FROM things") == [["2", "3"]])
      #expect(try first.fields(of: id, in: "things") == ["a": 2, "b": 3])
      #expect(try first.logs() == ["activity", "other log", "third log"])
      #expect(try second.logs() == ["activity", "other log", "third log"])
      #expect(try first.trace() == second.trace())
    }
  }

  @Test func `a merge by one moves what the other covers`() throws {
    try withStores(.sqlite) { stores in
      let (first, second) = (try stores.replica(), try stores.replica())
      let slow = try stores.replica("slow", clock: FixtureEnvironment(ahead: -3_600_000))
      try first.append([:], to: "activity")
      try slow.insert(Account(id: id, email: "slow"))
      let half = try slow.delta()
      try slow.update(Account.self, id) { $0.email = "slower" }
      try first.merge(slow.delta())
      try second.merge(half)
      #expect(try second.get(Account.self, id)?.email == "slower")
      #expect(try second.trace() == first.trace())
      #expect(second.version.covers(slow.version))
    }
  }

  @Test func `four threads that open, write and close one file lose nothing`() async throws {
    try await withStores(.sqlite) { stores in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for thread in 0..<4 {
          group.addTask {
            for round in 0..<5 {
              let replica = try stores.replica()
              for number in 0..<5 {
                let name = "\(thread) \(round) \(number)"
                try replica.append(["name": .string(name)], to: LogName("log \(thread)"))
                try replica.insert(
                  ["name": .string(name)], id: replica.newID(), in: Collection("of \(number)"))
                try replica.declare([FieldName("field \(thread)")], in: Collection("of \(number)"))
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let replica = try stores.replica()
      for thread in 0..<4 { #expect(try replica.log(LogName("log \(thread)")).count == 25) }
      for number in 0..<5 { #expect(try replica.records(in: Collection("of \(number)")).count == 20) }
      #expect(replica.version.entries.map(\.replica) == [replica.id])
      #expect(try replica.inspect().findings.isEmpty)
      let delta = try replica.delta()
      let times = delta.winners.map(\.register.precedence.timestamp) + delta.logEntries.map(\.entry.timestamp)
      #expect(Set(times).count == 200, "a time was issued twice")
    }
  }
}
