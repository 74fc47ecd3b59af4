import Rejoin
import RejoinCore
import RejoinOutbox
import TestSupport
import Testing

/// Local state first, then the server's, then observers are told, once, whatever the number of pages.
struct LoadsAreToldOnceTests {
  private let pages = RowPages()

  private func keys(_ numbers: Range<Int>) -> Set<RecordID> { Set(numbers.map { RowPages.id($0) }) }

  private func ids(_ change: ChangeSet) -> Set<RecordID> { Set(change.records.map(\.key.id)) }

  /// An exchange that has taken in the first of several pages.
  private func begun(_ outbox: Outbox) throws -> SyncCycle {
    var cycle = outbox.cycle()
    _ = try cycle.next()
    try cycle.receive(pages.page(0..<20, hasMore: true))
    return cycle
  }

  @Test(arguments: StoreKind.allCases)
  func `a load of many pages is told once, when it ends`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let outbox = Outbox(try stores.replica())
      let told = try await outbox.replica.told {
        _ = try outbox.load([
          pages.page(0..<20, hasMore: true), pages.page(20..<40, hasMore: true), pages.page(40..<50),
        ])
      }
      #expect(told.map(ids) == [keys(0..<50)])
      #expect(told.first?.records.allSatisfy { $0.kind == .inserted } ?? false)
    }
  }

  @Test func `a load that stops early is told what came`() async throws {
    try await withStores(.memory) { stores in
      let outbox = Outbox(try stores.replica())
      let told = try await outbox.replica.told {
        var cycle = try begun(outbox)
        _ = try cycle.next()
        try cycle.receive(nil)
        #expect(cycle.report.pull.stopped == .unreachable)
        try outbox.replica.set(["title": "mine"], id: RowPages.id(3), in: "orders")
        withExtendedLifetime(cycle) {}
      }
      #expect(told.map(ids) == [keys(0..<20), [RowPages.id(3)]])
    }
  }

  @Test func `what is written during a load is told after the pages before it`() async throws {
    try await withStores(.memory) { stores in
      let outbox = Outbox(try stores.replica())
      let told = try await outbox.replica.told {
        var cycle = try begun(outbox)
        try outbox.replica.set(["title": "mine"], id: RowPages.id(3), in: "orders")
        _ = try cycle.next()
        try cycle.receive(pages.page(20..<30))
      }
      #expect(told.map(ids) == [keys(0..<20), [RowPages.id(3)], keys(20..<30)])
    }
  }

  @Test func `a record that two pages change is told twice, in order`() async throws {
    try await withStores(.memory) { stores in
      let outbox = Outbox(try stores.replica())
      let changed: JSON = [
        "changes": [
          [
            "entity": "orders", "id": .string(RowPages.id(3).description), "version": 2, "updated_at": 1,
            "deleted_at": 1, "fields": [:],
          ]
        ], "cursor": "c21", "has_more": false, "epoch": "1",
      ]
      let told = try await outbox.replica.told {
        _ = try outbox.load([
          pages.page(0..<20, hasMore: true), HTTPResponse(status: 200, body: changed.bytes()),
        ])
      }
      #expect(told.map(ids) == [keys(0..<20), [RowPages.id(3)]])
      #expect(told.last?.records.map(\.kind) == [.deleted])
    }
  }

  @Test func `a load that nobody drives on is told when it is let go`() async throws {
    try await withStores(.memory) { stores in
      let outbox = Outbox(try stores.replica())
      let stream = outbox.replica.changes()
      _ = try begun(outbox)
      for await change in stream {
        #expect(ids(change) == keys(0..<20))
        break
      }
    }
  }

  @Test func `who begins to listen during a load is told what comes from then on`() async throws {
    try await withStores(.memory) { stores in
      let outbox = Outbox(try stores.replica())
      let first = outbox.replica.changes()
      var cycle = try begun(outbox)
      let told = try await outbox.replica.told {
        _ = try cycle.next()
        try cycle.receive(pages.page(20..<30))
      }
      #expect(told.map(ids) == [keys(20..<30)])
      var iterator = first.makeAsyncIterator()
      #expect(await iterator.next().map(ids) == keys(0..<20))
    }
  }
}
