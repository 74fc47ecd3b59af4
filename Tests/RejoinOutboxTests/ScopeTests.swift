import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import TestSupport
import Testing

/// Collections and logs that an application lets travel later than others.
struct ScopeTests {
  private func configuration(_ collections: Set<Collection>?, _ logs: Set<LogName>) -> OutboxConfiguration {
    OutboxConfiguration(collections: collections, logs: logs)
  }

  @Test(arguments: StoreKind.allCases)
  func `what was written before its log and collection travelled goes out once they do`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let server = ScriptedServer()
      let ids = (0..<4).map { _ in replica.newID() }
      try replica.insert(["a": 1], id: ids[0], in: "jobs")
      try replica.insert(["a": 2], id: ids[1], in: "notes")
      try replica.insert(["a": 5], id: ids[3], in: "notes")
      try replica.append(["file": "1.jpg"], to: "photos")
      let narrow = Outbox(replica, configuration: configuration(["jobs"], []))
      _ = try server.run(narrow)
      #expect(server.pushes.joined().map { $0["entity"] } == ["jobs"])
      #expect(try narrow.status().isSynced)

      let wide = Outbox(replica, configuration: configuration(["jobs", "notes"], ["photos"]))
      #expect(try wide.status().waiting == 3)
      #expect(try wide.waiting().map(\.subject.entity).sorted() == ["notes", "notes", "photos"])
      try replica.set(["a": 3], id: ids[1], in: "notes")
      #expect(try wide.waiting().count == 3, "each is listed once")
      let report = try server.run(wide)
      #expect(report.push.applied.count == 3)
      #expect(server.model.rows["notes"]?[ids[1].description]?.fields == ["a": 3])
      #expect(server.model.rows["notes"]?[ids[3].description]?.fields == ["a": 5])
      #expect(server.model.rows["photos"]?.count == 1)
      #expect(try wide.status().isSynced)

      let all = Outbox(replica, configuration: configuration(nil, ["photos"]))
      try replica.insert(["a": 4], id: ids[2], in: "drafts")
      #expect(try server.run(all).push.applied.count == 1)
      let requests = server.requests
      _ = try server.run(all)
      #expect(server.requests == requests + 1, "nothing is fetched again without need")
      #expect(server.pushes.joined().count == 5)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what the server had before is fetched once it travels`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let server = ScriptedServer()
      let ids = (0..<2).map { _ in replica.newID().description }
      server.model.edit("jobs", ids[0], ["a": 1])
      server.model.edit("notes", ids[1], ["a": 2])
      server.model.edit("photos", ids[1], ["file": "1.jpg"])
      _ = try server.run(Outbox(replica, configuration: configuration(["jobs"], [])))
      #expect(try replica.collections() == ["jobs"])
      _ = try server.run(Outbox(replica, configuration: configuration(["jobs", "notes"], ["photos"])))
      #expect(try replica.collections() == ["jobs", "notes"])
      #expect(try replica.log("photos").count == 1)
      #expect(try replica.conflicts(includingSettled: true).isEmpty)
    }
  }

  @Test func `what travelled, stayed and travels again is not sent twice`() throws {
    try withStores(.memory) { stores in
      let replica = try stores.replica()
      let server = ScriptedServer()
      try replica.insert(["a": 1], id: replica.newID(), in: "notes")
      try replica.append(["file": "1.jpg"], to: "photos")
      let wide = Outbox(replica, configuration: configuration(nil, ["photos"]))
      _ = try server.run(wide)
      _ = try server.run(Outbox(replica, configuration: configuration(["jobs"], [])))
      try replica.append(["file": "2.jpg"], to: "photos")
      _ = try server.run(Outbox(replica, configuration: configuration(["jobs"], [])))
      _ = try server.run(wide)
      #expect(server.pushes.joined().map { $0["payload"]?["file"] } == [nil, "1.jpg", "2.jpg"])
      #expect(try wide.status().isSynced)
    }
  }
}
