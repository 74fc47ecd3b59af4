import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport
import Testing

/// A delta that travels page by page is the delta, wherever its pages end.
struct PagingTests {
  private let sender = PageSender(replica: ReplicaID(rawValue: 5), incarnation: "one")

  /// The pages for a replica that keeps each of them.
  private func pages(of replica: Replica, byteLimit: Int) throws -> [DeltaPage] {
    var pages: [DeltaPage] = []
    var position = PagePosition()
    while true {
      let page = try replica.page(after: position, byteLimit: byteLimit)
      pages.append(page)
      guard let end = page.end else { return pages }
      position = PagePosition(vector: page.reach, place: end.isWhole ? nil : end)
    }
  }

  /// A replica with records written one by one, with many under one timestamp, a deletion and a log.
  private func filled(_ stores: Stores, _ name: String) throws -> Replica {
    let replica = try stores.replica(name)
    let ids = (0..<6).map { _ in replica.newID() }
    for id in ids.prefix(3) { try replica.insert(["email": "a", "age": 1], id: id, in: "accounts") }
    try replica.write { transaction in
      for id in ids.suffix(3) { try transaction.insert(["email": "b"], id: id, in: "accounts") }
      try transaction.append(["what": "filled"], to: "activity")
      try transaction.append(["what": "again"], to: "activity")
    }
    stores.clock.advance(milliseconds: 1)
    try replica.set(["age": 2], id: ids[0], in: "accounts")
    try replica.delete(ids[1], in: "accounts")
    return replica
  }

  @Test(arguments: StoreKind.allCases, [1, 100, 400])
  func `pages of any length make up the delta, and nothing is told twice`(_ kind: StoreKind, _ limit: Int)
    throws
  {
    try withStores(kind) { stores in
      let replica = try filled(stores, "one")
      let delta = try replica.delta()
      let pages = try pages(of: replica, byteLimit: limit)
      #expect(Delta.joining(pages.map(\.delta), latestAcceptable: .distantFuture) == delta)
      #expect(pages.reduce(0) { $0 + $1.delta.registerCount } == delta.registerCount)
      #expect(pages.reduce(0) { $0 + $1.delta.entryCount } == delta.entryCount)
      #expect(pages.last?.reach == replica.version)
      for page in pages { #expect(replica.version.covers(page.reach)) }
      if limit == 1 {
        // Three inserts, the transaction with three records and two entries, an edit and a deletion.
        #expect(pages.count == 10)
        #expect(pages.filter { $0.end?.isWhole == false }.count == 4)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `until the last page has come, nothing shows and the vector stays`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let one = try filled(stores, "one")
      let other = try stores.replica("other")
      let pages = try pages(of: one, byteLimit: 1)
      for page in pages.dropLast() {
        guard case .kept = try other.stage(page, from: sender, in: "c") else {
          Issue.record("it is kept")
          return
        }
        #expect(other.version.isEmpty)
        #expect(try other.records(in: "accounts", includingDeleted: true).isEmpty)
        #expect(try other.delta().isEmpty)
      }
      #expect(try other.position(in: "c").vector == pages.dropLast().last?.reach)
      guard case .merged(let report) = try other.stage(pages[pages.count - 1], from: sender, in: "c") else {
        Issue.record("it is merged")
        return
      }
      #expect(report.changes.records.count == 5)
      #expect(try other.delta() == one.delta())
      #expect(try other.position(in: "c") == PagePosition(vector: one.version))
    }
  }

  @Test func `a device that was killed goes on where it was`() throws {
    try withStores(.sqlite) { stores in
      let one = try filled(stores, "one")
      for _ in 0..<20 {
        let other = try stores.replica("other")
        let position = try other.position(in: "c")
        let page = try one.page(after: position, byteLimit: 1)
        if case .merged = try other.stage(page, from: sender, in: "c") {
          #expect(try other.delta() == one.delta())
          #expect(
            try stores.sql("SELECT count(*) FROM rejoin_local WHERE space LIKE 'stage%'", in: "other") == [
              ["0"]
            ])
          return
        }
      }
      Issue.record("it never ends")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `news from before the page come with the next one`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let slow = try stores.replica("slow")
      let early = slow.newID()
      try slow.insert(["email": "early"], id: early, in: "accounts")
      let one = try filled(stores, "one")
      let first = try one.page(after: PagePosition(), byteLimit: 600)
      let other = try stores.replica("other")
      _ = try other.stage(first, from: sender, in: "c")
      try one.merge(slow.delta())
      #expect(try !other.position(in: "c").vector.covers(slow.version))
      let next = try one.page(after: other.position(in: "c"), byteLimit: 1)
      #expect(Array(next.delta.records).map(\.key.id) == [early])
      _ = try other.stage(next, from: sender, in: "c")
      _ = try other.stage(one.page(after: other.position(in: "c"), byteLimit: .max), from: sender, in: "c")
      #expect(try other.delta() == one.delta())
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `within a timestamp the next page goes on, or begins anew where news come before`(_ kind: StoreKind)
    throws
  {
    try withStores(kind) { stores in
      let slow = try stores.replica("slow")
      try slow.insert(["email": "early"], id: slow.newID(), in: "accounts")
      stores.clock.advance(milliseconds: 5)
      let one = try stores.replica("one")
      let ids = (0..<5).map { _ in one.newID() }
      try one.write { for id in ids { try $0.insert(["email": "b"], id: id, in: "accounts") } }
      let first = try one.page(after: PagePosition(), byteLimit: 1)
      let position = PagePosition(vector: first.reach, place: first.end)
      #expect(first.end?.isWhole == false && !first.reach.covers(one.version))
      #expect(try one.page(after: position, byteLimit: .max).delta.recordCount == 4)
      try one.merge(slow.delta())
      #expect(try one.page(after: position, byteLimit: .max).delta.recordCount == 6)
      // A place that this sender never said stands before everything of its timestamp.
      for rest in ["r/\(ids[4])/unheard", "e/\(one.newID())/unheard", "", "r", "r/x/y"] {
        let odd = PagePosition(
          vector: slow.version, place: first.end.map { DeltaPlace($0.timestamp, rest: rest) })
        #expect(try one.page(after: odd, byteLimit: .max).delta.recordCount == 5)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a sender that was set back, or another one, begins anew`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let one = try filled(stores, "one")
      let pages = try pages(of: one, byteLimit: 1)
      let others = [
        PageSender(replica: sender.replica, incarnation: "two"),
        PageSender(replica: ReplicaID(rawValue: 6), incarnation: "one"),
      ]
      for (number, another) in others.enumerated() {
        let replica = try stores.replica("other\(number)")
        _ = try replica.stage(pages[0], from: sender, in: "c")
        guard case .outOfPlace = try replica.stage(pages[1], from: another, in: "c") else {
          Issue.record("what another one said is no beginning")
          return
        }
        #expect(try replica.position(in: "c") == PagePosition())
      }
      let replica = try stores.replica("third")
      _ = try replica.stage(pages[0], from: sender, in: "c")
      var back = pages[1]
      back.delta.through = pages[1].reach
      guard case .outOfPlace = try replica.stage(back, from: sender, in: "c") else {
        Issue.record("who covers less than before was set back")
        return
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what a sender that was set back no longer has is not claimed`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (one, restored) = (try stores.replica("one"), try stores.replica("restored"))
      let ids = (0..<2).map { _ in one.newID() }
      try one.write { for id in ids { try $0.insert(["email": "a"], id: id, in: "accounts") } }
      try restored.merge(one.delta())
      let (loser, winner) = (try stores.replica("loser"), try stores.replica("winner"))
      try loser.merge(one.delta())
      try winner.merge(one.delta())
      // The loser is before the end of the first page, and what beats it behind it.
      try loser.set(["email": "early"], id: ids[0], in: "accounts")
      stores.clock.advance(milliseconds: 1)
      try one.set(["email": "between"], id: ids[1], in: "accounts")
      stores.clock.advance(milliseconds: 1)
      try winner.set(["email": "late"], id: ids[0], in: "accounts")
      try one.merge(loser.delta())
      try one.merge(winner.delta())

      let other = try stores.replica("other")
      try other.merge(restored.delta())
      let first = try one.page(after: other.position(in: "c"), byteLimit: 1)
      #expect(first.reach.covers(loser.version) && !first.reach.covers(winner.version))
      _ = try other.stage(first, from: sender, in: "c")
      for _ in 0..<3 {
        let page = try restored.page(after: other.position(in: "c"), byteLimit: .max)
        let set = PageSender(replica: sender.replica, incarnation: "two")
        if case .merged = try other.stage(page, from: set, in: "c") { break }
      }
      try other.merge(loser.delta(since: other.version))
      #expect(try other.shown(ids[0]) == ["email": "early"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a page in the wrong place changes nothing`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let one = try filled(stores, "one")
      let pages = try pages(of: one, byteLimit: 1)
      let replica = try stores.replica("other")
      for number in [1, pages.count - 1] {
        guard case .outOfPlace = try replica.stage(pages[number], from: sender, in: "c") else {
          Issue.record("nothing is there to go on from")
          return
        }
      }
      for page in pages.prefix(4) { _ = try replica.stage(page, from: sender, in: "c") }
      let position = try replica.position(in: "c")
      for page in pages.dropFirst(5) {
        guard case .outOfPlace = try replica.stage(page, from: sender, in: "c") else {
          Issue.record("one is missing between")
          return
        }
        #expect(try replica.position(in: "c") == position)
      }
      #expect(replica.version.isEmpty)
      // One that came before may come again.
      _ = try replica.stage(pages[0], from: sender, in: "c")
      for page in pages.dropFirst() { _ = try replica.stage(page, from: sender, in: "c") }
      #expect(try replica.delta() == one.delta())
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a page that leaves something out before it is in the wrong place`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let one = try stores.replica("one")
      for _ in 0..<4 { try one.insert(["email": "a"], id: one.newID(), in: "accounts") }
      let pages = try pages(of: one, byteLimit: 1)
      let other = try stores.replica("other")
      _ = try other.stage(pages[0], from: sender, in: "c")
      guard case .outOfPlace = try other.stage(pages[2], from: sender, in: "c") else {
        Issue.record("the second page is missing")
        return
      }
      for page in pages.dropFirst() { _ = try other.stage(page, from: sender, in: "c") }
      #expect(try other.delta() == one.delta())
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what waits for its time does not take the place of what shows, over pages`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let one = try stores.replica("one")
      let id = one.newID()
      try one.insert(["email": "now"], id: id, in: "accounts")
      let ahead = try stores.replica("ahead", clock: FixtureEnvironment(ahead: 3_600_000))
      try ahead.merge(one.delta())
      try ahead.set(["email": "later"], id: id, in: "accounts")
      try one.merge(ahead.delta())
      let (paged, direct) = (try stores.replica("paged"), try stores.replica("direct"))
      try direct.merge(one.delta())
      for page in try pages(of: one, byteLimit: 1) { _ = try paged.stage(page, from: sender, in: "c") }
      #expect(try paged.shown(id) == ["email": "now"])
      #expect(try paged.delta() == direct.delta())
    }
  }

  @Test func `pages that are damaged in the file are asked for again`() throws {
    for damage in [
      "UPDATE rejoin_local SET text = 'AAAA' WHERE space = 'stage c'",
      "DELETE FROM rejoin_local WHERE space = 'stage c'",
      "UPDATE rejoin_local SET text = '{}' WHERE space = 'stage'",
    ] {
      try withStores(.sqlite) { stores in
        let one = try filled(stores, "one")
        let other = try stores.replica("other")
        for _ in 0..<2 {
          _ = try other.stage(one.page(after: other.position(in: "c"), byteLimit: 1), from: sender, in: "c")
        }
        try stores.sql(damage, in: "other")
        let last = try one.page(after: other.position(in: "c"), byteLimit: .max)
        if case .outOfPlace = try other.stage(last, from: sender, in: "c") {
          #expect(try other.position(in: "c") == PagePosition())
          _ = try other.stage(one.page(after: PagePosition(), byteLimit: .max), from: sender, in: "c")
        }
        #expect(try other.delta() == one.delta())
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a page costs what it holds, whatever is stored and left to send`(_ kind: StoreKind) throws {
    func cost(stored count: Int) throws -> Int {
      try withStores(kind) { stores in
        let (replica, probe) = try stores.probed()
        for _ in 0..<count / 100 {
          try replica.write { transaction in
            for _ in 0..<100 { try transaction.insert(["email": "a"], id: replica.newID(), in: "accounts") }
          }
        }
        let first = try replica.page(after: PagePosition(), byteLimit: 20_000)
        let position = PagePosition(vector: first.reach, place: first.end.flatMap { $0.isWhole ? nil : $0 })
        var page: DeltaPage?
        let cost = try probe.cost { page = try replica.page(after: position, byteLimit: 5_000) }
        #expect(page?.delta.recordCount ?? 0 > 40)
        return cost
      }
    }
    let (small, large) = (try cost(stored: 1_000), try cost(stored: 10_000))
    #expect(small > 0 && Double(large) <= Double(small) * 1.1)
  }
}
