import Foundation
import Rejoin
import RejoinCore
import RejoinSQLite
import RejoinTesting
import TestSupport
import Testing

/// Counters and sets in files: columns, copies of a file, several processes.
struct CountedFileTests {
  private let id = RecordID.numbered(1)

  @Test func `columns hold a readable copy, and the file keeps the truth`() throws {
    try withStores(.sqlite) { stores in
      let replicas = try stores.replicas(of: Page(visits: 3, labels: ["b", "a"]))
      try replicas[1].edit { $0.visits.increment(by: 4) }
      try stores.meet(replicas)
      let rows = try stores.sql("SELECT title, visits, labels FROM pages", in: "phone")
      #expect(rows == [["home", "7", #"["a","b"]"#]])
      for name in ["phone", "laptop"] {
        let reopened = try stores.replica(name)
        #expect(try reopened.page() == Page(visits: 7, labels: ["a", "b"]))
        #expect(try reopened.inspect().findings.isEmpty)
      }
      try replicas[0].set(["visits": 10], id: id, in: "pages")
      #expect(try stores.sql("SELECT visits FROM pages", in: "phone") == [["10"]])
      #expect(try stores.replica("phone").page()?.visits == 10)
    }
  }

  @Test func `every opening of a file counts for itself, and old ones are never gone on with`() throws {
    try withStores(.sqlite) { stores in
      let replica = try stores.replica()
      try replica.insert(Page(visits: 1))
      let other = try stores.replica()
      for _ in 0..<3 {
        try replica.edit { $0.visits.increment() }
        try other.edit { $0.visits.increment() }
      }
      #expect(try replica.page()?.visits == 7)
      #expect(try stores.replica().page()?.visits == 7)
      #expect(try replica.explain("visits", of: id, in: "pages").contributions.count == 2)
    }
  }

  @Test func `a copy of a file adds to what the original adds, and nothing counts twice`() throws {
    try withStores(.sqlite) { stores in
      let peer = try stores.replica("peer")
      do {
        let original = try stores.replica("original")
        try original.insert(Page(visits: 5))
      }
      try FileManager.default.copyItem(atPath: stores.path("original"), toPath: stores.path("copy"))
      stores.clock.advance(milliseconds: 10)
      let original = try stores.replica("original")
      try original.edit { $0.visits.increment(by: 10) }
      try peer.merge(original.delta())
      stores.clock.advance(milliseconds: 10)
      let copy = try stores.replica("copy")
      try copy.edit { $0.visits.increment(by: 100) }
      try peer.merge(copy.delta())
      #expect(try peer.page()?.visits == 115)
    }
  }

  @Test func `a file that was set back goes on without taking anything from what it had sent`() throws {
    try withStores(.sqlite) { stores in
      let peer = try stores.replica("peer")
      do { try stores.replica("phone").insert(Page(visits: 5, labels: ["x"])) }
      try FileManager.default.copyItem(atPath: stores.path("phone"), toPath: stores.path("backup"))
      do {
        let phone = try stores.replica("phone")
        try phone.edit { $0.visits.increment(by: 10) }
        try peer.merge(phone.delta())
        try peer.edit { $0.labels.remove("x") }
      }
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: stores.path("phone\(suffix)"))
      }
      try FileManager.default.moveItem(atPath: stores.path("backup"), toPath: stores.path("phone"))
      stores.clock.advance(milliseconds: 10)
      let phone = try stores.replica("phone")
      try phone.edit {
        $0.visits.increment(by: 100)
        $0.labels.insert("x")
      }
      try peer.merge(phone.delta())
      #expect(try peer.page() == Page(visits: 115, labels: ["x"]))
    }
  }

  @Test func `a restored backup adds to what the original adds`() throws {
    try withStores(.sqlite) { stores in
      let phone = try stores.replica("phone")
      try phone.insert(Page(visits: 5))
      try phone.backup(to: stores.path("backup"))
      try phone.edit { $0.visits.increment(by: 10) }
      let restored = try Replica(
        restoring: stores.path("backup"), at: stores.path("tablet"), configuration: stores.configuration())
      try restored.edit { $0.visits.increment(by: 100) }
      try stores.meet([phone, restored])
      for replica in [phone, restored] { #expect(try replica.page()?.visits == 115) }
    }
  }
}
