import Rejoin
import RejoinCore

/// Freezing: what a lane holds becomes an entry, which is kept before it is first sent and never changes.
extension ServerTransaction {
  /// The entries that may be sent now, in the order of their lanes; lanes with nothing left to send end.
  ///
  /// A child goes out behind its parent in the same batch, or once its parent is there: not while the parent's insert is
  /// put off or refused.
  ///
  /// - Returns: the entries, and those that turned out to be too large for any server.
  mutating func freeze(
    _ dialect: any Dialect, _ configuration: OutboxConfiguration, limit: Int, _ waits: Waits
  ) throws -> (entries: [OutboxEntry], letters: [DeadLetter]) {
    var visited: Set<Subject> = []
    var batch = Batch(dialect, configuration, limit: limit, waits)
    var next: UInt64? = 0
    // Some turn out to have nothing to send, or to wait for others: those behind them are not held up.
    while !batch.isFull, !batch.hasTurnedAway, let first = next {
      var due: [Lane] = []
      next = nil
      let wall = wallMilliseconds
      try forEachQueued(from: first) { lane in
        if waits.allow(lane, at: wall) { due.append(lane) }
        guard due.count < limit * 2 else {
          next = lane.sequence + 1
          return false
        }
        return true
      }
      for lane in due where !batch.isFull { try freeze(lane, configuration, into: &batch, &visited) }
    }
    return (batch.entries, batch.letters)
  }

  /// What is frozen for one request.
  private struct Batch {
    var entries: [OutboxEntry] = []
    var letters: [DeadLetter] = []
    /// Whether something has to wait for a request of its own; then others are not looked for without end.
    private(set) var hasTurnedAway = false
    let waits: Waits
    private let dialect: any Dialect
    private let limit: Int
    private let isIndivisible: Bool
    private var isFresh = false

    var isFull: Bool { entries.count >= limit }

    init(_ dialect: any Dialect, _ configuration: OutboxConfiguration, limit: Int, _ waits: Waits) {
      self.dialect = dialect
      self.limit = limit
      self.waits = waits
      isIndivisible = configuration.rules.isIndivisible
    }

    /// Adds an entry; one that was frozen before is not `fresh`.
    ///
    /// A request that is one thing to the server is made again with the entries that it had.
    ///
    /// - Returns: false for one that must not share the request.
    mutating func add(_ entry: OutboxEntry, isFresh: Bool) -> Bool {
      if !entries.isEmpty {
        let isAsBefore = isFresh == self.isFresh && (isFresh || entry.leader == entries[0].id)
        guard isAsBefore || !isIndivisible, dialect.joins(entry, entries) else {
          hasTurnedAway = true
          return false
        }
      }
      if entries.isEmpty { self.isFresh = isFresh }
      entries.append(entry)
      return true
    }
  }

  private mutating func freeze(
    _ lane: Lane, _ configuration: OutboxConfiguration, into batch: inout Batch,
    _ visited: inout Set<Subject>
  ) throws {
    guard visited.insert(lane.subject).inserted else { return }
    var lane = lane
    let isFresh = lane.entry == nil
    if isFresh {
      try adopt(lane.subject, configuration)
      guard var entry = try entry(of: lane) else { return try end(lane) }
      if configuration.rules.refersByServerIDs { entry.references = try references(of: entry) }
      lane.entry = entry
      if entry.payload.contains(where: { $0.value.text().utf8.count > configuration.valueBytes }) {
        lane.stop = .dead(reason: DeadLetter.tooLarge)
        batch.letters.append(DeadLetter(entry: entry, reason: DeadLetter.tooLarge))
        return try keep(lane)
      }
    }
    guard let entry = lane.entry else { return }
    for parent in try parents(of: entry) {
      guard let parentLane = try self.lane(of: .record(parent)),
        try shadow(of: parentLane.subject)?.isDeleted ?? true
      else { continue }
      if !visited.contains(parentLane.subject), batch.waits.allow(parentLane, at: wallMilliseconds) {
        try freeze(parentLane, configuration, into: &batch, &visited)
      }
      guard batch.entries.contains(where: { $0.subject == parentLane.subject }) else { return }
    }
    var sent = entry
    sent.attempts = lane.attempts
    guard !batch.isFull, batch.add(sent, isFresh: isFresh) else { return }
    if isFresh, configuration.rules.isIndivisible { lane.entry?.leader = batch.entries[0].id }
    lane.lastAttempt = wallMilliseconds
    try keep(lane)
  }

  /// The parents that what is sent refers to.
  private func parents(of entry: OutboxEntry) throws -> [RecordKey] {
    guard entry.operation != .delete, case .record(let key) = entry.subject,
      let record = try record(key)
    else { return [] }
    return try parents(of: record, in: key.collection)
  }

  /// What a lane has to say; nil when the server knows it already, or never has to.
  func entry(of lane: Lane) throws -> OutboxEntry? {
    switch lane.subject {
    case .entry(let key):
      guard let entry = try entry(key), try shadow(of: lane.subject) == nil else { return nil }
      let payload = entry.values.entries.compactMap { pair in
        PlainForm.json(of: pair.value).map { JSON.Member(pair.name, $0) }
      }
      return try make(.insert, payload, lane, of: [entry.timestamp], base: 0)
    case .record(let key): return try entry(of: lane, key)
    }
  }

  private func entry(of lane: Lane, _ key: RecordKey) throws -> OutboxEntry? {
    guard let record = try record(key) else { return nil }
    let shadow = try shadow(of: lane.subject)
    guard record.isAlive else {
      // Somebody else's deletion is theirs to send, and beats what was edited here. An own one goes out also where the
      // server had the record deleted: somebody may have brought it back there.
      guard let life = record.life, lane.acknowledged.origins.contains(life.timestamp.replica) else {
        return nil
      }
      return try make(.delete, [], lane, of: [life.timestamp], base: shadow?.version ?? 0)
    }
    let unsent = record.fields.filter { lane.acknowledged.awaits($0.value.precedence.timestamp) }
    let written = record.timestamps.filter { lane.acknowledged.awaits($0) }
    guard !written.isEmpty else { return nil }
    // What has come by way of a server before is there already, though this device may not have heard of it itself.
    let wasThere = record.isServed && record.life?.timestamp.replica != replica && !lane.isUnknownThere
    let isThere = shadow.map { !$0.isDeleted } ?? wasThere
    guard isThere else {
      return try make(.insert, payload(of: record.fields), lane, of: written, base: shadow?.version ?? 0)
    }
    let changed = try payload(of: unsent).filter { try isChange($0, of: shadow, lane, at: key) }
    guard !changed.isEmpty else { return nil }
    return try make(.update, changed, lane, of: written, base: shadow?.version ?? 0)
  }

  /// Whether a value that was written here is to be said: where the server is known to have it, only if what it was made
  /// over, or an entry that was never decided, may have reached the server meanwhile.
  private func isChange(
    _ member: JSON.Member, of shadow: Shadow?, _ lane: Lane, at key: RecordKey
  ) throws -> Bool {
    let field = FieldName(member.name)
    if shadow?[field] != member.value { return true }
    if lane.doubted.contains(member.name) || lane.doubted.contains(OutboxEntry.deletion) { return true }
    return try hasRestoredOthers(key) || isMadeOverOthers(field, shadow, at: key)
  }

  /// Whether what was written here was made over a value from others, which the server was not known to have: to say
  /// what the server had before is a change then.
  func isMadeOverOthers(_ field: FieldName, _ shadow: Shadow?, at key: RecordKey) throws -> Bool {
    try replacedValues(of: field, at: key).contains { replaced in
      !replaced.isOwn && PlainForm.json(of: replaced.value).map(PlainForm.normal) != shadow?[field]
    }
  }

  private func payload(of fields: [FieldName: LWWRegister]) -> [JSON.Member] {
    fields.sorted { $0.key < $1.key }.compactMap { field, register in
      PlainForm.json(of: register.value).map { JSON.Member(field.text, PlainForm.normal($0)) }
    }
  }

  /// Makes the entry of what was written at `timestamps`, of which there is one at least.
  private func make(
    _ operation: OutboxEntry.Operation, _ payload: [JSON.Member], _ lane: Lane, of timestamps: [Timestamp],
    base: Int64
  ) throws -> OutboxEntry {
    var generator = makeGenerator()
    let latest = timestamps.max() ?? Timestamp(time: .zero, replica: replica)
    var entry = OutboxEntry(
      id: .make(wallMilliseconds: wallMilliseconds, using: &generator), subject: lane.subject,
      serverID: try serverID(of: lane.subject), operation: operation, payload: payload, baseVersion: base,
      createdAt: latest.time.milliseconds, through: Frontier(now: lane.acknowledged.origins, in: self))
    let own = try ownOrigins()
    if own.contains(latest.replica) { entry.intent = try label(at: latest.time) }
    if timestamps.contains(where: { !own.contains($0.replica) }) {
      entry.nameAlike(latest: latest, round: lane.round)
    }
    return entry
  }
}

extension OutboxEntry {
  /// Gives an entry that holds others' writes the key that every gateway gives it.
  fileprivate mutating func nameAlike(latest: Timestamp, round: Int) {
    let parts: [JSON] = [
      .string(entityID), .string(operation.rawValue), .object(payload), .int(baseVersion),
      .string(latest.description), .int(Int64(round)),
    ]
    id = .derived(from: JSON.array(parts).text(), in: subject.entity)
  }
}
