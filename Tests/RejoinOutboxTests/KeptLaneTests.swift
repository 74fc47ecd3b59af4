import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import RejoinTesting
import TestSupport
import Testing

/// What is kept of a lane: told as damaged where somebody has edited it, and honest about how long it waits.
struct KeptLaneTests {
  @Test(arguments: [
    "sequence", "since", "attempts", "rounds", "retries", "due", "lastAttempt",
  ])
  func `a number that nothing counts up to is a typed error, and nothing traps`(_ name: String) throws {
    for number in ["-5", "9223372036854775807", "-9223372036854775808", "\"x\""] {
      try withStores(.sqlite) { stores in
        let server = ScriptedServer()
        let outbox = Outbox(try stores.replica())
        let id = outbox.replica.newID()
        try outbox.replica.insert(["a": 1], id: id, in: "jobs")
        server.override = { _ in HTTPResponse(status: 418) }
        _ = try server.run(outbox)
        try stores.sql(
          "UPDATE rejoin_local SET text = json_set(text, '$.\(name)', json('\(number)')) WHERE space LIKE '%/lane'"
        )
        #expect(throws: OutboxError.damagedState("lane")) { try outbox.status() }
        #expect(throws: OutboxError.damagedState("lane")) { try outbox.waiting() }
        #expect(throws: OutboxError.damagedState("lane")) { try server.run(outbox) }
        #expect(try outbox.replica.shown(id, in: "jobs") == ["a": 1])
      }
    }
  }

  @Test func `a record that is edited all the time, and sent, needs nobody`() throws {
    let fleet = Fleet()
    let ada = fleet.device()
    let id = try fleet.insert(["a": 0], at: ada)
    for number in 1...90 {
      var cycle = ada.cycle(.push)
      // Each time somebody writes while the request is under way.
      for _ in 0..<1 {
        guard let request = try cycle.next() else { break }
        try fleet.set(["a": .int(Int64(number))], of: id, at: ada)
        try cycle.receive(fleet.server.answer(request))
      }
      fleet.pass(60_000)
    }
    #expect(try ada.status() == OutboxStatus(waiting: 1))
  }
}
