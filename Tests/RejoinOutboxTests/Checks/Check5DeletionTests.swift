import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite
import TestSupport
import Testing

/// Check 5: what was deleted stays deleted on every device.
struct Check5DeletionTests {
  /// The order in which the device that deleted and the one that edited come back.
  @Test(arguments: [true, false])
  func `a deletion beats an offline edit of another device, on all devices and after restarts`(
    _ deletionComesFirst: Bool
  ) async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        var devices = try ["one", "two", "three"].map { try Device(stores.replica($0), server) }
        let ids = try devices[0].insert(2)
        try await settle(devices)
        try devices[0].replica.delete(ids[0], in: "task")
        try devices[1].replica.set(["title": "edited offline"], id: ids[0], in: "task")
        for number in deletionComesFirst ? [0, 1] : [1, 0] {
          try await devices[number].driver.exchange(ignoringWaits: true)
        }
        try await settle(devices)

        // Neither a restart nor another round nor a new device brings it back.
        devices = try ["one", "two", "three", "four"].map { try Device(stores.replica($0), server) }
        try await settle(devices)
        for device in devices {
          #expect(try device.replica.fields(of: ids[0], in: "task") == nil)
          #expect(try device.replica.records(in: "task").map(\.id) == [ids[1]])
          #expect(try device.outbox.status().isSynced)
        }
        let state = try await ServerState(server)
        #expect(state.deleted == [ids[0].description])
        #expect(Set(state.rows.keys) == [ids[1].description])
        // The edit that came too late is told; one that was there first was seen by the server.
        let losers = try devices.flatMap { try $0.replica.conflicts() }.compactMap(\.losingValue)
        #expect(losers.contains("edited offline") == deletionComesFirst)
      }
    }
  }

  @Test func `a deletion whose answer was lost stays, though the record is edited elsewhere`() async throws {
    try await withStores(.sqlite) { stores in
      try await TestServer.with { server in
        let devices = try ["one", "two"].map { try Device(stores.replica($0), server) }
        let id = try devices[0].insert(1)[0]
        try await settle(devices)
        try devices[0].replica.delete(id, in: "task")
        try await server.fault("drop_answer", [JSON.Member("next", 1)])
        try await devices[0].driver.exchange()
        try devices[1].replica.set(["title": "edited"], id: id, in: "task")
        try await settle([devices[1], devices[0]])
        for device in devices { #expect(try device.replica.records(in: "task").isEmpty) }
        #expect(try await ServerState(server).deleted == [id.description])
      }
    }
  }
}
