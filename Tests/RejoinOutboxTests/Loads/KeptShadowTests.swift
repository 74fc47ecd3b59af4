import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// What is kept of a row: short, complete, and told as damaged when it is.
struct KeptShadowTests {
  private func response(_ version: Int, _ fields: JSON, isDeleted: Bool = false) -> HTTPResponse {
    let body: JSON = [
      "changes": [
        [
          "entity": "orders", "id": .string(RowPages.id(1).description), "version": .int(Int64(version)),
          "updated_at": .int(1_600_000_000_000 + Int64(version)), "deleted_at": isDeleted ? 1 : .null,
          "fields": fields,
        ]
      ], "cursor": .string("c\(version)"), "has_more": false, "epoch": "1",
    ]
    return HTTPResponse(status: 200, body: body.bytes())
  }

  private let shadow = "SELECT text FROM rejoin_local WHERE space = 'main/shadow'"

  @Test func `a shadow is one line, whatever the order of the fields`() throws {
    try withStores(.sqlite) { stores in
      let (replica, probe) = try stores.probed()
      let outbox = Outbox(replica)
      _ = try outbox.load([response(1, ["b": 2.0, "a": "x y {", "c": .null])])
      #expect(try stores.sql(shadow) == [[#"1 0 1600000000001 - {"a":"x y {","b":2,"c":null}"#]])
      let before = probe.commitCount
      _ = try outbox.load([response(1, ["c": .null, "a": "x y {", "b": 2])])
      #expect(probe.commitCount == before)
      _ = try outbox.load([response(2, ["b": 3])])
      #expect(try stores.sql(shadow) == [[#"2 0 1600000000002 - {"a":"x y {","b":3,"c":null}"#]])
      _ = try outbox.load([response(3, [:], isDeleted: true)])
      #expect(try stores.sql(shadow) == [[#"3 0 1600000000003 d {"a":"x y {","b":3,"c":null}"#]])
    }
  }

  @Test(arguments: [
    "", "1", "x 0 1 - {}", "1 x 1 - {}", "1 0 x - {}", "1 0 1 q {}", "1 0 1 -", "1 0 1 - ", "1 0 1 - []",
    #"1 0 1 - {"a""#, #"{"version":1,"epoch":0,"fields":{}}"#,
  ])
  func `a damaged shadow is a typed error, and nothing changes`(_ text: String) throws {
    try withStores(.sqlite) { stores in
      let (replica, probe) = try stores.probed()
      let outbox = Outbox(replica)
      _ = try outbox.load([response(1, ["a": 1])])
      try stores.sql("UPDATE rejoin_local SET text = '\(text)' WHERE space = 'main/shadow'")
      let before = probe.commitCount
      #expect(throws: OutboxError.damagedState("shadow")) { try outbox.load([response(2, ["a": 2])]) }
      #expect(probe.commitCount == before)
      #expect(try replica.fields(of: RowPages.id(1), in: "orders") == ["a": 1])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a row under the server's own id is one write, with its name`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let outbox = Outbox(try stores.replica())
      _ = try outbox.load([RowPages(hasServerIDs: true).page(0..<3)])
      let other = try stores.replica("other")
      try other.merge(outbox.replica.delta())
      // Another device writes to the row under the name that travelled with it.
      let id = RecordID.derived(from: "order-1", in: "orders")
      try other.set(["title": "changed"], id: id, in: "orders")
      var cycle = Outbox(other).cycle()
      let request = try #require(try cycle.next())
      let entries = try JSON(parsing: request.body)["mutations"]
      #expect(try entries?.at(pointer: "/0/entity_id") == "order-1")
      #expect(try outbox.replica.delta().records.allSatisfy { $0.fragment.timestamps.count == 1 })
    }
  }
}
