import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import TestSupport
import Testing

/// What a page costs goes by what it brings, whatever is stored.
@Suite(.serialized) struct LoadCostTests {
  private static let few = 1_000
  private static let many = 20_000

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a page of new rows costs the same at twenty times as many rows`(
    _ kind: StoreKind, _ hasServerIDs: Bool
  ) throws {
    let pages = RowPages(hasServerIDs: hasServerIDs)
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      let outbox = Outbox(replica)
      func load(_ numbers: Range<Int>) throws {
        _ = try outbox.load([pages.page(numbers)])
      }
      func load(upTo count: Int, from first: Int) throws {
        for start in stride(from: first, to: count, by: 500) { try load(start..<start + 500) }
      }
      try load(upTo: Self.few, from: 0)
      let small = try probe.cost { try load(Self.few..<Self.few + 500) }
      try load(upTo: Self.many, from: Self.few + 500)
      let large = try probe.cost { try load(Self.many..<Self.many + 500) }
      print("cost of 500 new rows, \(kind): \(small) beside \(Self.few) rows, \(large) beside \(Self.many)")
      #expect(Double(large) <= Double(small) * 1.02)
      #expect(Double(large) >= Double(small) * 0.98)
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a page that brings nothing new writes nothing`(_ kind: StoreKind, _ hasServerIDs: Bool) throws {
    let pages = RowPages(hasServerIDs: hasServerIDs)
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      let outbox = Outbox(replica)
      _ = try outbox.load([pages.page(0..<500)])
      let before = (probe.commitCount, replica.version)
      stores.clock.advance(milliseconds: 60_000)
      #expect(try outbox.load([pages.page(0..<500)]).pull.rows == 500)
      #expect(probe.commitCount == before.0)
      #expect(replica.version == before.1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a first load asks for nothing that an empty outbox cannot hold`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      let outbox = Outbox(replica)
      _ = try outbox.load([RowPages().page(0..<500, hasMore: true)])
      let before = probe.localReads
      _ = try outbox.load([RowPages().page(500..<1_000)])
      // The shadow of each row, and of lanes and names a few until it is known that there are none.
      #expect(probe.localReads - before <= 500 + 31)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what another said of the server is looked at once`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      let other = try stores.replica("other")
      _ = try Outbox(other).load([RowPages().page(0..<500)])
      try replica.sync(with: other)
      let costs = try (500..<502).map { number in
        try probe.cost { _ = try Outbox(replica).load([RowPages().page(number..<number + 1)]) }
      }
      print("cost of a row beside 500 that another has, and of the next, \(kind): \(costs)")
      #expect(costs[1] * 4 < costs[0])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a page whose commit fails is asked for again, with its cursor`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      let outbox = Outbox(replica)
      _ = try outbox.load([RowPages().page(0..<100, hasMore: true)])
      var cycle = outbox.cycle()
      let request = try cycle.next()
      #expect(request?.query.first?.value == "c100")
      probe.failCommits()
      #expect(throws: InjectedFailure.self) { try cycle.receive(RowPages().page(100..<200)) }
      var again = outbox.cycle()
      #expect(try again.next() == request)
      #expect(try replica.records(in: "orders").count == 100)
      try again.receive(RowPages().page(100..<200))
      #expect(try replica.records(in: "orders").count == 200)
    }
  }
}
