import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// Logs only grow and read in timestamp order.
struct LogTests {
  @Test(arguments: StoreKind.allCases)
  func `entries read in the order of their timestamps, whoever wrote them`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      for number: Int64 in 0..<6 {
        stores.clock.advance(milliseconds: 1)
        try (number % 2 == 0 ? phone : laptop).append(["number": .int(number)], to: "activity")
      }
      try phone.sync(with: laptop)
      for replica in [phone, laptop] {
        let entries = try replica.log("activity")
        #expect(entries.map(\.entry.values) == (0..<6).map { ["number": .int($0)] })
        #expect(entries.map(\.entry.timestamp) == entries.map(\.entry.timestamp).sorted())
        #expect(try replica.logs() == ["activity"])
      }
      #expect(try phone.trace().hasSameContent(as: laptop.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an append repeated under its id counts once`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let id = EntryID(high: 1, low: 2)
      #expect(try replica.append(["text": "signed in"], to: "activity", id: id) == id)
      let before = try replica.trace()
      stores.clock.advance(milliseconds: 1_000)
      #expect(try replica.append(["text": "signed in"], to: "activity", id: id) == id)
      #expect(try replica.append(["text": "something else"], to: "activity", id: id) == id)
      #expect(try replica.trace() == before)
      #expect(try replica.log("activity").map(\.entry.values) == [["text": "signed in"]])
      try replica.write { transaction in
        for _ in 0..<2 {
          try transaction.append(["text": "twice"], to: "activity", id: EntryID(high: 1, low: 3))
        }
      }
      #expect(try replica.log("activity").count == 2)
      try replica.append(["text": "elsewhere"], to: "other", id: id)
      #expect(try replica.log("other").count == 1, "an id belongs to its log")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an append repeated on two devices under one id is one entry for all`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      let id = EntryID(high: 1, low: 2)
      try phone.append(["text": "signed in"], to: "activity", id: id)
      stores.clock.advance(milliseconds: 5)
      try laptop.append(["text": "signed in"], to: "activity", id: id)
      try phone.sync(with: laptop)
      try phone.sync(with: laptop)
      for replica in [phone, laptop] { #expect(try replica.log("activity").count == 1) }
      #expect(try phone.trace().hasSameContent(as: laptop.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an entry keeps values of every kind bit for bit`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      let pairs: [(String, Value)] = [
        ("null", .null), ("yes", true), ("large", .int(.max)), ("small", .int(.min)),
        ("minus zero", .double(-0.0)), ("nan", .double(.nan)), ("tiny", .double(.leastNonzeroMagnitude)),
        ("infinite", .double(-.infinity)), ("one", 1.0), ("text", "e\u{301} \u{e9} \0 \u{1f600}"),
        ("data", .data([0, 255])), ("none", .data([])), ("time", .time(-1)),
        ("record", .record(.numbered(7))),
        ("list", [1, [], [:], .null]), ("map", ["a": ["b": false]]),
      ]
      let values = ValueMap(pairs)
      try phone.append(values, to: "activity")
      try laptop.merge(Delta(decoding: phone.delta().encoded()))
      for replica in [phone, laptop] { #expect(try replica.log("activity").map(\.entry.values) == [values]) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `new entries are told once, repeated ones are not`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      let id = EntryID(high: 1, low: 2)
      let told = try await replica.told {
        try replica.append(["text": "signed in"], to: "activity", id: id)
        try replica.append(["text": "signed in"], to: "activity", id: id)
      }
      #expect(told.map(\.entries) == [[EntryKey("activity", id)]])
    }
  }
}
