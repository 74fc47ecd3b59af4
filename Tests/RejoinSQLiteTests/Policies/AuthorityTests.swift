import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport
import Testing

/// A field under authority is written by its holder alone, and what the holder wrote last wins whatever the clocks say.
struct AuthorityTests {
  private struct Offer: Record, Equatable {
    static let collection: Collection = "offers"
    static let policies = [FieldPolicy(CodingKeys.price, .authority)]
    var id: RecordID
    var name: String?
    var price: Int?
  }

  private let offer = RecordID.numbered(1)
  private let key = RecordKey("offers", .numbered(1))

  /// A replica that holds the authority over the price, and another that knows of it.
  private func pair(_ stores: Stores, ahead: Int64 = 0) throws -> (holder: Replica, other: Replica) {
    let holder = try stores.replica("holder", clock: FixtureEnvironment(ahead: ahead))
    let other = try stores.replica("other")
    try holder.grantAuthority(over: "price", in: "offers", to: holder.id)
    try holder.insert(Offer(id: offer, name: "pear", price: 10))
    try other.merge(holder.delta(since: other.version))
    return (holder, other)
  }

  private func exchange(_ one: Replica, _ other: Replica) throws {
    try other.merge(one.delta(since: other.version))
    try one.merge(other.delta(since: one.version))
  }

  @Test(arguments: StoreKind.allCases)
  func `others are refused, and a refused write leaves no trace`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (holder, other) = try pair(stores)
      let refusal = ReplicaError.notAuthorized(key, field: "price", holder: holder.id)
      let before = try other.trace()
      #expect(throws: refusal) { try other.update(Offer.self, offer) { $0.price = 11 } }
      #expect(throws: refusal) { try other.set(["price": 11], id: offer, in: "offers") }
      #expect(throws: refusal) {
        try other.write {
          try $0.set(["name": "plum"], id: offer, in: "offers")
          try $0.set(["price": .null], id: offer, in: "offers")
        }
      }
      #expect(
        throws: ReplicaError.notAuthorized(
          RecordKey("offers", .numbered(2)), field: "price", holder: holder.id)
      ) { try other.insert(Offer(id: .numbered(2), price: 1)) }
      #expect(try other.trace() == before)
      try other.update(Offer.self, offer) { $0.name = "quince" }
      try other.insert(Offer(id: .numbered(3), name: "no price yet"))
      try holder.update(Offer.self, offer) { $0.price = 12 }
      try exchange(holder, other)
      #expect(try other.get(Offer.self, offer) == Offer(id: offer, name: "quince", price: 12))
      #expect(try holder.trace().hasSameContent(as: other.trace()))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a hand-over raises the rank, and what the former holder writes late does not win`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let (former, holder) = try pair(stores, ahead: 60_000)
      #expect(try holder.authority(over: "price", in: "offers") == Authority(holder: former.id, rank: 1))
      #expect(throws: ReplicaError.authorityHeld("offers", field: "price", holder: former.id)) {
        try holder.grantAuthority(over: "price", in: "offers", to: holder.id)
      }
      try former.grantAuthority(over: "price", in: "offers", to: holder.id)
      try holder.merge(former.delta(since: holder.version))
      try holder.update(Offer.self, offer) { $0.price = 20 }
      #expect(try holder.explain("price", of: offer, in: "offers").winner?.register.precedence.rank == 2)
      #expect(throws: ReplicaError.notAuthorized(key, field: "price", holder: holder.id)) {
        try former.update(Offer.self, offer) { $0.price = 30 }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `authority is taken from a holder that does not know, and its writes with a later clock lose`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let (former, taker) = try pair(stores, ahead: 60_000)
      try taker.grantAuthority(over: "price", in: "offers", to: taker.id, evenIfHeld: true)
      try taker.update(Offer.self, offer) { $0.price = 20 }
      try former.update(Offer.self, offer) { $0.price = 30 }
      try exchange(former, taker)
      for replica in [former, taker] {
        #expect(try replica.get(Offer.self, offer)?.price == 20)
        #expect(try replica.authority(over: "price", in: "offers") == Authority(holder: taker.id, rank: 2))
      }
    }
  }

  /// A hand-over that waited for its time would leave nobody who may write.
  @Test(arguments: StoreKind.allCases)
  func `a grant is in force at once, however far ahead the clock is that made it`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (fast, other) = try pair(stores)
      let ahead = try stores.replica("fast", clock: FixtureEnvironment(ahead: 3 * 3_600_000))
      try ahead.merge(fast.delta(since: ahead.version))
      try fast.grantAuthority(over: "price", in: "offers", to: ahead.id)
      try ahead.merge(fast.delta(since: ahead.version))
      try ahead.update(Offer.self, offer) { $0.price = 11 }
      try ahead.grantAuthority(over: "price", in: "offers", to: other.id)
      try other.merge(ahead.delta(since: other.version))
      #expect(try other.authority(over: "price", in: "offers") == Authority(holder: other.id, rank: 3))
      try other.update(Offer.self, offer) { $0.price = 12 }
      try ahead.merge(other.delta(since: ahead.version))
      for replica in [ahead, other] { #expect(try replica.get(Offer.self, offer)?.price == 12) }
      #expect(throws: ReplicaError.notAuthorized(key, field: "price", holder: other.id)) {
        try ahead.update(Offer.self, offer) { $0.price = 13 }
      }
      try other.grantAuthority(over: "price", in: "offers", to: fast.id)
      #expect(try other.authority(over: "price", in: "offers")?.rank == 4)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `hand-overs that were made apart from each other converge, and nobody is asked about them`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let (holder, other) = try pair(stores)
      try holder.grantAuthority(over: "price", in: "offers", to: other.id)
      stores.clock.advance(milliseconds: 10)
      try other.grantAuthority(over: "price", in: "offers", to: holder.id, evenIfHeld: true)
      try exchange(holder, other)
      try exchange(holder, other)
      for replica in [holder, other] {
        #expect(try replica.authority(over: "price", in: "offers")?.rank == 2)
        #expect(try replica.conflicts(includingSettled: true).isEmpty)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `who may not write a field can still note that its conflict is settled`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (former, taker) = try pair(stores)
      try taker.grantAuthority(over: "price", in: "offers", to: taker.id, evenIfHeld: true)
      try taker.update(Offer.self, offer) { $0.price = 20 }
      try former.update(Offer.self, offer) { $0.price = 30 }
      try exchange(former, taker)
      try exchange(former, taker)
      let conflict = try #require(try former.conflicts().first)
      #expect(conflict.losingValue == 30)
      #expect(throws: ReplicaError.notAuthorized(key, field: "price", holder: taker.id)) {
        try former.resolve(conflict, keeping: .loser)
      }
      try former.resolve(conflict, keeping: .winner)
      #expect(try former.conflicts().isEmpty)
      #expect(try former.get(Offer.self, offer)?.price == 20)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a field that is declared so is written by nobody until somebody was granted that`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let replica = try stores.replica()
      let refusal = ReplicaError.notAuthorized(key, field: "price", holder: nil)
      #expect(throws: refusal) { try replica.insert(Offer(id: offer, price: 1)) }
      try replica.insert(["price": 1], id: .numbered(9), in: "offers")
      try replica.insert(Offer(id: offer))
      #expect(throws: refusal) { try replica.update(Offer.self, offer) { $0.price = 1 } }
      try replica.declare(Offer.self)
      #expect(replica.policies(of: "offers") == Offer.policies)
      #expect(throws: refusal) { try replica.set(["price": 1], id: offer, in: "offers") }
      try replica.grantAuthority(over: "price", in: "offers", to: replica.id)
      try replica.set(["price": 1], id: offer, in: "offers")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a restored record keeps its ranks`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (holder, other) = try pair(stores)
      try other.delete(Offer.self, offer)
      try other.restore(Offer.self, offer)
      #expect(try other.explain("price", of: offer, in: "offers").winner?.register.precedence.rank == 1)
      try holder.merge(other.delta(since: holder.version))
      try holder.update(Offer.self, offer) { $0.price = 11 }
      #expect(try holder.get(Offer.self, offer)?.price == 11)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a transaction asks once who writes the fields of a collection, and again after a grant`(
    _ kind: StoreKind
  ) throws {
    try withStores(kind) { stores in
      let (replica, probe) = try stores.probed()
      try replica.grantAuthority(over: "price", in: "offers", to: replica.id)
      func cost(of count: UInt64, from first: UInt64) throws -> Int {
        let before = probe.cost
        try replica.write { transaction in
          for number in first..<(first + count) {
            try transaction.insert(["price": 1], id: .numbered(number), in: "offers")
          }
        }
        return probe.cost - before
      }
      _ = try cost(of: 1, from: 1)
      let one = try cost(of: 1, from: 2)
      let many = try cost(of: 51, from: 10)
      // One more record costs less than a record in a transaction of its own, by what asking costs.
      #expect(many < one * 51)
      if kind == .memory { #expect(many - one == 50 * (one - 1)) }
      let other = ReplicaID(rawValue: 7)
      #expect(throws: ReplicaError.notAuthorized(key, field: "price", holder: other)) {
        try replica.write { transaction in
          try transaction.set(["price": 2], id: offer, in: "offers")
          try transaction.grantAuthority(over: "price", in: "offers", to: other)
          try transaction.set(["price": 3], id: offer, in: "offers")
        }
      }
    }
  }

  /// Even where a build of the library, or a peer, does not keep to the rule, every replica compares ranks.
  @Test(arguments: StoreKind.allCases)
  func `a later write without rank loses`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (holder, other) = try pair(stores)
      var state = PackedRecordFixture(["price": 99], rank: 0, at: 5_000, by: 77)
      state.base = other.version
      try other.merge(state.delta(key, dataset: other.dataset))
      #expect(try other.get(Offer.self, offer)?.price == 10)
      try holder.merge(other.delta(since: holder.version))
      #expect(try holder.get(Offer.self, offer)?.price == 10)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the library's own collections are not for users`(_ kind: StoreKind) throws {
    try withStores(kind) { stores in
      let (holder, _) = try pair(stores)
      let own = RecordKey("rejoin.authority", .derived(from: "offers", in: "authority"))
      #expect(try holder.fields(of: own.id, in: own.collection) == nil)
      #expect(try holder.collections() == ["offers"])
      let refusal = ReplicaError.reservedName("rejoin.authority")
      #expect(throws: refusal) { try holder.set(["price": 1], id: own.id, in: own.collection) }
      #expect(throws: refusal) { try holder.delete(own.id, in: own.collection) }
      #expect(throws: refusal) { try holder.restore(own.id, in: own.collection) }
      #expect(throws: refusal) { try holder.insert([:], id: .numbered(5), in: own.collection) }
      #expect(throws: refusal) {
        try holder.grantAuthority(over: "price", in: own.collection, to: holder.id)
      }
    }
  }
}

/// A write that a replica of another build might send.
private struct PackedRecordFixture {
  let fields: [FieldName: Value]
  let rank: UInt64
  let timestamp: Timestamp
  var base = VersionVector()

  init(_ fields: [FieldName: Value], rank: UInt64, at offset: Int64, by replica: UInt64) {
    self.fields = fields
    self.rank = rank
    timestamp = Timestamp(
      time: HybridTime(milliseconds: FixtureEnvironment.start + offset, counter: 0),
      replica: ReplicaID(rawValue: replica))
  }

  func delta(_ key: RecordKey, dataset: DatasetID) -> Delta {
    let values = fields.map { (address: RegisterAddress($0.key), value: $0.value) }
    let fragment = RecordPacker.fragment(
      life: nil, values: values, precedence: Precedence(rank: rank, timestamp: timestamp))
    var through = base
    through.advance(timestamp.replica, to: timestamp.time)
    return Delta(
      dataset: dataset, from: base, through: through,
      records: [Delta.RecordPart(key: key, fragment: fragment)], entries: [])
  }
}
