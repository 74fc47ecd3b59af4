import Rejoin
import TestSupport
import Testing

/// Observers are told each change once, when it can be read, and nothing that did not happen.
struct ChangesTests {
  /// What was told of one record.
  fileprivate struct Told: Equatable {
    var id: RecordID
    var kind: RecordChange.Kind
    var fields: [FieldName]
  }

  private let id = RecordID.numbered(1)

  private func one(_ kind: RecordChange.Kind, _ fields: [FieldName]) -> [Told] {
    [Told(id: id, kind: kind, fields: fields)]
  }

  @Test(arguments: StoreKind.allCases)
  func `each commit is told once, in order, with what it did`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      let told = try await replica.told {
        try replica.insert(Account(id: id, email: "ada@example.com"))
        try replica.write("Rename") { try $0.update(Account.self, id) { $0.nickname = "Work" } }
        try replica.update(Account.self, id) { $0.nickname = nil }
        try replica.delete(Account.self, id)
        try replica.restore(Account.self, id)
      }
      #expect(told.map(\.cause) == [nil, "Rename", nil, nil, nil].map { .write(label: $0) })
      #expect(
        told.map { $0.records.map(Told.init) } == [
          one(.inserted, ["email"]), one(.updated, ["nickname"]), one(.updated, ["nickname"]),
          one(.deleted, ["email", "nickname"]), one(.inserted, ["email", "nickname"]),
        ])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `what is told can be read`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      let stream = replica.changes()
      let writer = Task {
        for number: Int64 in 0..<50 {
          try replica.upsert(Account(id: .numbered(1), email: "edit \(number)"))
        }
      }
      var count = 0
      for await change in stream {
        #expect(change.records.map(\.key) == [.account(id)])
        let email = try #require(try replica.get(Account.self, id)?.email)
        let number = try #require(Int(email.split(separator: " ")[1]))
        #expect(number >= count, "a change was told before it could be read")
        count += 1
        if count == 50 { break }
      }
      try await writer.value
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a merge tells what it changed, and only that`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(Account(id: id, email: "ada@example.com"))
      try laptop.merge(phone.delta())
      try phone.update(Account.self, id) { $0.nickname = "Work" }
      try phone.insert(Account(id: .numbered(2), email: "bob@example.com"))
      try phone.append(["text": "hello"], to: "activity")
      var report: MergeReport?
      let told = try await laptop.told { report = try laptop.merge(phone.delta(since: laptop.version)) }
      #expect(told == [report?.changes].compactMap(\.self))
      #expect(told.first?.cause == .merge)
      #expect(
        told.first?.records.map(Told.init) == [
          Told(id: id, kind: .updated, fields: ["nickname"]),
          Told(id: .numbered(2), kind: .inserted, fields: ["email"]),
        ])
      #expect(told.first?.entries.map(\.log) == ["activity"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `nothing is told where readers see no difference`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let phone = try stores.replica("phone")
      let laptop = try stores.replica("laptop")
      try phone.insert(Account(id: id, email: "ada@example.com"))
      try laptop.merge(phone.delta())
      try phone.set(["email": "ada@example.com"], id: id, in: "accounts")
      try phone.write { transaction in
        try transaction.insert(Account(id: .numbered(2), email: "bob@example.com"))
        try transaction.delete(Account.self, .numbered(2))
      }
      let told = try await laptop.told {
        let report = try laptop.merge(phone.delta(since: laptop.version))
        #expect(report.registersApplied > 0)
        try laptop.update(Account.self, id) { _ in }
        try laptop.upsert(Account(id: id, email: "ada@example.com"))
        #expect(throws: ReplicaError.self) { try laptop.insert(Account(id: id, email: "x")) }
      }
      #expect(told.isEmpty)
      #expect(laptop.version.covers(phone.version))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `every observer is told, and one that left hinders nobody`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      do {
        let abandoned = replica.changes()
        _ = abandoned
      }
      var first = replica.changes().makeAsyncIterator()
      var second = replica.changes().makeAsyncIterator()
      try replica.insert(Account(id: id, email: "ada@example.com"))
      let changes = [await first.next(), await second.next()]
      #expect(changes[0] != nil)
      #expect(changes[0] == changes[1])
    }
  }
}

extension ChangesTests.Told {
  fileprivate init(_ change: RecordChange) {
    self.init(id: change.key.id, kind: change.kind, fields: change.fields)
  }
}
