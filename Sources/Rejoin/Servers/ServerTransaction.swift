package import RejoinCore

/// One transaction with a plain server's adapter: what the server said becomes writes under a proxy's id, and what the
/// adapter keeps for itself is kept with them.
///
/// A server without clocks and vectors is one more peer whose knowledge this device tracks. What it says is stamped
/// under an id that this device keeps for this server (see ``RejoinCore/ReplicaID/isProxy``): two devices that saw
/// different versions of a row then never issue one timestamp for different things.
package struct ServerTransaction: ~Copyable {
  /// Which of the device's servers it is about.
  package let server: String
  /// The replica's own id.
  package let replica: ReplicaID
  /// The wall clock, in milliseconds since the Unix epoch.
  package let wallMilliseconds: Int64

  let engine: Engine
  let latestAcceptable: HybridTime
  var proxy: Proxy
  var clock: HybridClock
  /// When this transaction wrote under the replica's own id; nil while it has not.
  var ownTime: HybridTime?
  var order: [(key: RecordKey, old: PackedRecord?)] = []
  var pending: [RecordKey: PackedRecord] = [:]
  var entries: [EntryKey: LogEntry] = [:]
  var conflicts: [Conflict] = []
  let names: KnownNames
  private let texts: KeptTexts

  init(_ engine: Engine, server: String, moment: Moment, clock: HybridClock) throws {
    self.engine = engine
    self.server = server
    replica = engine.header.replica
    wallMilliseconds = moment.wallMilliseconds
    latestAcceptable = moment.latestAcceptable
    self.clock = clock
    proxy = try Proxy(for: server, of: engine)
    texts = KeptTexts(engine.store)
    names = KnownNames(engine.store)
    if let text = proxy.textToKeep { texts.keep(text, under: proxy.key) }
  }

  // MARK: Reading

  /// The state of a record, deleted ones included, with what this transaction wrote.
  func stored(_ key: RecordKey) throws -> PackedRecord? { try pending[key] ?? engine.store.record(key) }

  /// What this replica holds of a record.
  package func record(_ key: RecordKey) throws -> ServedRecord? {
    guard let record = try stored(key) else { return nil }
    return ServedRecord(record, latestAcceptable: latestAcceptable)
  }

  /// An entry of a log.
  package func entry(_ key: EntryKey) throws -> LogEntry? { try entries[key] ?? engine.store.entry(key) }

  /// What a replica wrote later than a time and is still in force, as far as this transaction's beginning; costs what
  /// it returns.
  package func changes(by origin: ReplicaID, after time: HybridTime) throws -> (
    records: [RecordKey], entries: [EntryKey]
  ) {
    var vector = engine.vector
    vector = VersionVector(vector.entries.map { ($0.replica, $0.replica == origin ? time : $0.time) })
    let keys = try engine.store.changes(notCoveredBy: vector)
    return (keys.records, keys.entries)
  }

  /// The replicas whose writes this one knows.
  package var origins: [ReplicaID] { engine.vector.entries.map(\.replica) }

  /// How far this replica knows another one's writes.
  package func time(of replica: ReplicaID) -> HybridTime {
    let time = engine.vector[replica]
    return replica == self.replica ? max(time, ownTime ?? .zero) : time
  }

  /// Moves the clock past a time that the server said, so that what is written here from now on is later.
  ///
  /// Edits that were made on top of a row are then later than the row, also where this device's clock is slow; others
  /// who write the row down at the server's time do not hide them. A time that no replica would accept is left alone.
  package mutating func observe(milliseconds: Int64?) {
    guard let milliseconds, milliseconds > 0 else { return }
    // Others' words of one millisecond are told apart by the counter.
    let time = HybridTime(milliseconds: milliseconds, counter: .max)
    if time <= latestAcceptable { clock.observe(time) }
  }

  /// What the server's times count as: one that no replica would accept is as good as now.
  package func counted(milliseconds: Int64) -> Int64 {
    HybridTime(milliseconds: max(milliseconds, 0)) <= latestAcceptable ? milliseconds : wallMilliseconds
  }

  /// The randomness of the replica's environment.
  package func makeGenerator() -> EnvironmentGenerator { EnvironmentGenerator(engine.environment) }

  /// The id under which this device writes down what this server says.
  package var proxyID: ReplicaID { proxy.id }

  /// Whether a timestamp was issued here for what this server said.
  package func isOwnProxy(_ timestamp: Timestamp) -> Bool { timestamp.replica == proxy.id }

  /// Whether an id is one under which this device writes down what one of its servers says.
  package func isOwnProxyOfAnyServer(_ replica: ReplicaID) -> Bool {
    replica == proxy.id || engine.proxies.contains(replica)
  }

  /// The label of an own transaction.
  package func label(at time: HybridTime) throws -> String? { try engine.store.label(at: time) }

  /// The policy of a field.
  package func policy(of field: FieldName, in collection: Collection) -> FieldPolicy {
    engine.policies[field, in: collection]
  }

  /// The fields of a collection that refer to records.
  package func references(in collection: Collection) throws -> [Reference] {
    try engine.store.references()[collection].map(\.reference)
  }

  /// The records that refer to one, with what this transaction wrote.
  package func children(of parent: RecordKey) throws -> [RecordKey] {
    let references = try engine.store.references()
    guard !references.referring(to: parent.collection).isEmpty else { return [] }
    var children = Set(try engine.store.children(of: parent))
    for (key, record) in pending {
      let isChild = references[key.collection].contains { entry in
        entry.reference.collection == parent.collection
          && record.possibleParents(through: entry).contains(parent.id)
      }
      if isChild { children.insert(key) }
    }
    return children.sorted()
  }

  /// The parents to which the fields of a record refer.
  package func parents(of record: ServedRecord, in collection: Collection) throws -> [RecordKey] {
    let references = try engine.store.references()
    guard !references.isEmpty else { return [] }
    return references[collection].compactMap { reference in
      guard case .record(let id)? = record.fields[reference.reference.field]?.value else { return nil }
      return RecordKey(reference.reference.collection, id)
    }
  }

  // MARK: What the device keeps

  /// What is kept under a key, with what this transaction changed.
  package func kept(_ key: LocalKey) throws -> String? { try texts.text(key) }

  /// Keeps a text under a key; nil takes it away.
  package mutating func keep(_ text: String?, under key: LocalKey) throws {
    guard try kept(key) != text else { return }
    texts.keep(text, under: key)
  }

  /// Calls `body` for what is kept in a space under `first` and later keys, in order, until it returns false.
  package func forEachKept(
    in space: String, from first: [UInt8] = [], _ body: (_ key: [UInt8], _ text: String) throws -> Bool
  ) throws {
    let start = LocalKey(space, first)
    var changed = texts.written.filter { $0.key.space == space && !($0.key < start) }
      .sorted { $0.key < $1.key }[...]
    var goesOn = true
    try engine.store.forEachLocal(in: space, from: first) { key, text in
      let stored = LocalKey(space, key)
      while goesOn, let next = changed.first, next.key < stored {
        changed = changed.dropFirst()
        if let text = next.text { goesOn = try body(next.key.key, text) }
      }
      guard goesOn else { return false }
      guard let next = changed.first, next.key == stored else {
        goesOn = try body(key, text)
        return goesOn
      }
      changed = changed.dropFirst()
      if let text = next.text { goesOn = try body(key, text) }
      return goesOn
    }
    while goesOn, let next = changed.popFirst() {
      if let text = next.text { goesOn = try body(next.key.key, text) }
    }
  }

  // MARK: Committing

  /// Everything that was written, and the clock and vector that follow.
  func commit(vector: inout VersionVector) -> (commit: StoreCommit, clock: HybridClock) {
    var commit = StoreCommit(after: engine.header)
    commit.records = order.compactMap { write in
      pending[write.key].map { StoreCommit.RecordWrite(key: write.key, old: write.old, new: $0, shown: []) }
    }
    commit.entries = entries.sorted { $0.key < $1.key }.map {
      StoreCommit.EntryWrite(key: $0.key, old: nil, new: $0.value)
    }
    commit.local = texts.written
    var clock = clock
    if proxy.hasWritten {
      vector.advance(proxy.id, to: proxy.lastTime)
      clock.observe(proxy.lastTime)
    }
    if let ownTime { vector.advance(replica, to: ownTime) }
    return (commit, clock)
  }
}

extension Replica {
  /// Runs a transaction with a server's adapter; when `body` or the store throws, nothing remains of it.
  ///
  /// With `isHeld` observers are told what changed when the load ends (see ``HeldLoad``).
  package func exchange<Result>(
    with server: String, isHeld: Bool = false, _ body: (inout ServerTransaction) throws -> Result
  ) throws -> Result {
    try withEngine { engine in
      try engine.writing { engine, due in
        var transaction = try ServerTransaction(
          engine, server: server, moment: due.moment, clock: due.clock)
        let result = try body(&transaction)
        var vector = engine.vector
        var (commit, clock) = transaction.commit(vector: &vector)
        _ = try engine.record(
          transaction.conflicts, in: &commit, clock: &clock, vector: &vector,
          wallMilliseconds: due.moment.wallMilliseconds)
        try engine.retain(&commit)
        try engine.commit(
          commit, clock: clock, vector: vector, cause: .merge, due: due, isReported: false, isHeld: isHeld)
        engine.proxies.insert(transaction.proxyID)
        return result
      }
    }
  }

  /// Runs `body` over one state of the store; what it writes is forgotten.
  package func peek<Result>(
    at server: String, _ body: (borrowing ServerTransaction) throws -> Result
  ) throws -> Result {
    try reading { engine in
      try body(ServerTransaction(engine, server: server, moment: engine.moment(), clock: engine.clock))
    }
  }
}
