import RejoinTesting
import Rejoin
import TestSupport
import Testing

/// What a newer version writes is kept as it is, shown to nobody and passed on.
struct UnknownContentTests {
  private let id = RecordID.numbered(1)
  private let origin = ReplicaID(rawValue: 42)
  private let newerValue = Value.unknown(kind: 0x1f, bytes: [9, 8, 7])
  private let element = RegisterAddress("tags", kind: 7, element: [1, 2, 3])

  private func timestamp(_ milliseconds: Int64) -> Timestamp {
    Timestamp(time: HybridTime(milliseconds: FixtureEnvironment.start + milliseconds), replica: origin)
  }

  private func part(
    _ values: [(RegisterAddress, Value)], at timestamp: Timestamp, in collection: Collection = "accounts"
  ) -> Delta.RecordPart {
    let fragment = RecordPacker.fragment(
      life: nil, values: values.map { (address: $0.0, value: $0.1) },
      precedence: Precedence(timestamp: timestamp))
    return Delta.RecordPart(key: RecordKey(collection, id), fragment: fragment)
  }

  /// A delta as a newer version would send it, through the wire and back.
  private func delta(
    from: VersionVector = VersionVector(), _ timestamp: Timestamp, _ parts: [Delta.RecordPart]
  ) throws -> Delta {
    let through = from.merging(VersionVector([(origin, timestamp.time)]))
    return try Delta(
      decoding: Delta(dataset: Stores.dataset, from: from, through: through, records: parts, entries: [])
        .encoded())
  }

  private func newer() throws -> Delta {
    let timestamp = timestamp(1)
    return try delta(
      timestamp,
      [
        part(
          [
            (RegisterAddress("email"), "ada@example.com"), (RegisterAddress("rating"), newerValue),
            (RegisterAddress("colour"), "green"), (element, true),
            (RegisterAddress("email", kind: 9, element: []), newerValue),
          ], at: timestamp),
        part([(RegisterAddress("shape"), "round")], at: timestamp, in: "newer things"),
      ])
  }

  @Test(arguments: StoreKind.allCases)
  func `kinds of values and registers that are not known are not shown`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.merge(newer())
      #expect(try replica.shown(id) == ["email": "ada@example.com", "colour": "green"])
      #expect(try replica.get(Account.self, id) == Account(id: id, email: "ada@example.com"))
      #expect(try replica.all(Account.self).undecodable.isEmpty)
      #expect(try replica.collections() == ["accounts", "newer things"])
      #expect(try replica.fields(of: id, in: "newer things") == ["shape": "round"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `everything that is not known is passed on as it came`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let first = try stores.replica("first")
      let second = try stores.replica("second")
      let delta = try newer()
      try first.merge(delta)
      let passedOn = try first.delta()
      #expect(passedOn.winners == delta.winners)
      #expect(passedOn.encoded() == delta.encoded())
      try second.merge(passedOn)
      #expect(try second.trace().hasSameContent(as: first.trace()))
      #expect(try second.state() == ReplicaState(delta))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `local edits, deletion and restoring keep what is not known`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.merge(newer())
      try replica.update(Account.self, id) { $0.nickname = "Work" }
      try replica.upsert(Account(id: id, email: "ada@example.org", nickname: "Work"))
      #expect(try value(of: element, in: replica) == true)
      #expect(try value(of: RegisterAddress("rating"), in: replica) == newerValue)
      try replica.delete(Account.self, id)
      try replica.restore(Account.self, id)
      #expect(try value(of: element, in: replica) == true)
      #expect(try value(of: RegisterAddress("rating"), in: replica) == newerValue)
      #expect(
        try replica.shown(id) == ["email": "ada@example.org", "nickname": "Work", "colour": "green"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `registers of unknown kinds merge by the one rule`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let first = try newer()
      try replica.merge(first)
      let other = RegisterAddress("tags", kind: 7, element: [1, 2])
      let change = try delta(
        from: first.through, timestamp(5), [part([(other, 1), (element, .null)], at: timestamp(5))])
      try replica.merge(change)
      #expect(try value(of: element, in: replica) == .null)
      #expect(try value(of: other, in: replica) == 1)
      try replica.merge(first)
      #expect(try value(of: element, in: replica) == .null, "the older write does not come back")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `readers are not told of what they cannot see`(_ kind: StoreKind) async throws {
    try await withStores(kind) { stores in
      let replica = try stores.replica()
      let first = try newer()
      let told = try await replica.told {
        try replica.merge(first)
        try replica.merge(
          delta(from: first.through, timestamp(5), [part([(element, .null)], at: timestamp(5))]))
      }
      #expect(told.count == 1)
      #expect(told.first?.records.map { Set($0.fields) } == [["email", "colour"], ["shape"]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an unknown value can be replaced by a known one and is shown then`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      try replica.merge(newer())
      try replica.set(["rating": 5], id: id, in: "accounts")
      #expect(try replica.shown(id)?["rating"] == 5)
    }
  }

  private func value(of address: RegisterAddress, in replica: Replica) throws -> Value? {
    try replica.delta().winners.first { $0.address == address && $0.record == .account(id) }?.register.value
  }
}
