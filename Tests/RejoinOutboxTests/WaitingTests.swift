import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// What waits is listed one by one, with what became of it so far.
struct WaitingTests {
  private static let hour: Int64 = 3_600_000

  private func outbox(_ stores: Stores) throws -> Outbox {
    Outbox(
      try stores.replica(), configuration: OutboxConfiguration(collections: ["jobs"], logs: ["photos"]))
  }

  @Test(arguments: StoreKind.allCases)
  func `what was written and not exchanged is listed, each once, and what stays here is not`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let outbox = try outbox(stores)
      #expect(try outbox.waiting().isEmpty)
      let id = outbox.replica.newID()
      try outbox.replica.insert(["a": 1], id: id, in: "jobs")
      try outbox.replica.set(["a": 2], id: id, in: "jobs")
      let entry = try outbox.replica.append(["file": "1.jpg"], to: "photos")
      try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "drafts")
      try outbox.replica.append(["a": 1], to: "debug")
      let waiting = try outbox.waiting()
      #expect(
        Set(waiting.map(\.subject)) == [.record(RecordKey("jobs", id)), .entry(EntryKey("photos", entry))])
      #expect(waiting.count == 2)
      for change in waiting {
        #expect(change.state == .waiting(attempts: 0, lastError: nil, needsAttention: false))
        #expect(change.since == nil && change.operation == nil)
      }
      #expect(try outbox.replica.servers().isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what was put off, refused and acknowledged is told apart, in the order of the queue`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let outbox = try outbox(stores)
      let server = ScriptedServer()
      let ids = (0..<4).map { _ in outbox.replica.newID() }
      for (id, value) in zip(ids, ["fine", "refused", "later", "fine"] as [Value]) {
        try outbox.replica.insert(["a": value], id: id, in: "jobs")
      }
      server.override = { request in
        guard request.method == "POST", let json = try? JSON(parsing: request.body),
          case .array(let entries)? = json["mutations"]
        else { return nil }
        let results = entries.map { entry -> JSON in
          let id = entry["op_id"] ?? .null
          switch entry["payload"]?["a"] {
          case "refused": return ["op_id": id, "outcome": "rejected", "reason": "no"]
          case "later": return ["op_id": id, "outcome": "retry_later", "reason": "busy"]
          default: return ["op_id": id, "outcome": "applied", "version": 1]
          }
        }
        return HTTPResponse(status: 200, body: (["results": .array(results)] as JSON).bytes())
      }
      let started = stores.clock.wallMilliseconds
      _ = try server.run(outbox)
      try outbox.replica.insert(["a": "new"], id: outbox.replica.newID(), in: "jobs")
      let waiting = try outbox.waiting()
      #expect(
        waiting.map(\.state) == [
          .dead(reason: "no"), .waiting(attempts: 1, lastError: "busy", needsAttention: false),
          .waiting(attempts: 0, lastError: nil, needsAttention: false),
        ])
      #expect(waiting[0].subject == .record(RecordKey("jobs", ids[1])))
      #expect(waiting[0].operation == (try outbox.deadLetters().first?.id))
      #expect(waiting[1].operation != nil && waiting[2].operation == nil)
      #expect(waiting[0].since.map { $0 >= started } == true && waiting[2].since == nil)
      let status = try outbox.status()
      #expect(status.waiting + status.needsAttention == waiting.count)
      #expect(try outbox.replica.servers() == ["main"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what waits for more than an hour needs attention`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let outbox = try outbox(stores)
      let server = ScriptedServer()
      server.override = { _ in .some(nil) }
      try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs")
      _ = try server.run(outbox)
      #expect(
        try outbox.waiting().map(\.state) == [.waiting(attempts: 0, lastError: nil, needsAttention: false)])
      stores.clock.advance(milliseconds: Self.hour + 1)
      #expect(
        try outbox.waiting().map(\.state) == [.waiting(attempts: 0, lastError: nil, needsAttention: true)])
    }
  }
}
