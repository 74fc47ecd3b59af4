import Rejoin
import RejoinCore

/// Freezing: what a lane holds becomes an entry, which is kept before it is first sent and never changes.
extension ServerTransaction {
  /// The entries that may be sent now, in the order of their lanes; lanes with nothing left to send end.
  ///
  /// A child goes out behind its parent in the same batch, or once its parent is there: not while the parent's insert is
  /// put off or refused.
  mutating func freeze(_ configuration: OutboxConfiguration, limit: Int) throws -> [OutboxEntry] {
    var visited: Set<Subject> = []
    var batch: [OutboxEntry] = []
    var next: UInt64? = 0
    // Some turn out to have nothing to send, or to wait for others: those behind them are not held up.
    while batch.count < limit, let first = next {
      var due: [Lane] = []
      next = nil
      let wall = wallMilliseconds
      try forEachQueued(from: first) { lane in
        if lane.isDue(at: wall) { due.append(lane) }
        guard due.count < limit * 2 else {
          next = lane.sequence + 1
          return false
        }
        return true
      }
      for lane in due where batch.count < limit {
        try freeze(lane, configuration, into: &batch, &visited, limit: limit)
      }
    }
    return batch
  }

  private mutating func freeze(
    _ lane: Lane, _ configuration: OutboxConfiguration, into batch: inout [OutboxEntry],
    _ visited: inout Set<Subject>, limit: Int
  ) throws {
    guard visited.insert(lane.subject).inserted else { return }
    var lane = lane
    if lane.entry == nil {
      try adopt(lane.subject, configuration)
      guard let entry = try entry(of: lane) else { return try end(lane) }
      lane.entry = entry
    }
    guard let entry = lane.entry else { return }
    for parent in try parents(of: entry) {
      guard let parentLane = try self.lane(of: .record(parent)),
        try shadow(of: parentLane.subject)?.isDeleted ?? true
      else { continue }
      if !visited.contains(parentLane.subject), parentLane.isDue(at: wallMilliseconds) {
        try freeze(parentLane, configuration, into: &batch, &visited, limit: limit)
      }
      guard batch.contains(where: { $0.subject == parentLane.subject }) else { return }
    }
    guard batch.count < limit else { return }
    try keep(lane)
    batch.append(entry)
  }

  /// The parents that what is sent refers to.
  private func parents(of entry: OutboxEntry) throws -> [RecordKey] {
    guard entry.operation != .delete, case .record(let key) = entry.subject,
      let record = try record(key)
    else { return [] }
    return try parents(of: record, in: key.collection)
  }

  /// What a lane has to say; nil when the server knows it already, or never has to.
  private func entry(of lane: Lane) throws -> OutboxEntry? {
    switch lane.subject {
    case .entry(let key):
      guard let entry = try entry(key), try shadow(of: lane.subject) == nil else { return nil }
      let payload = entry.values.entries.compactMap { pair in
        PlainForm.json(of: pair.value).map { JSON.Member(pair.name, $0) }
      }
      return try make(.insert, payload, lane, base: 0, intent: label(at: entry.timestamp.time))
    case .record(let key): return try entry(of: lane, key)
    }
  }

  private func entry(of lane: Lane, _ key: RecordKey) throws -> OutboxEntry? {
    guard let record = try record(key) else { return nil }
    let shadow = try shadow(of: lane.subject)
    guard record.isAlive else {
      // Somebody else's deletion is theirs to send, and beats what was edited here.
      guard let life = record.life, lane.acknowledged.origins.contains(life.timestamp.replica),
        shadow?.isDeleted != true
      else { return nil }
      return try make(
        .delete, [], lane, base: shadow?.version ?? 0, intent: label(at: life.timestamp.time))
    }
    let unsent = record.fields.filter { lane.acknowledged.awaits($0.value.precedence.timestamp) }
    let latest = record.timestamps.filter { lane.acknowledged.awaits($0) }.max()
    guard let latest else { return nil }
    let intent = try label(at: latest.time)
    // What has come by way of a server before is there already, though this device may not have heard of it itself.
    let isThere =
      shadow.map { !$0.isDeleted } ?? (record.isServed && record.life?.timestamp.replica != replica)
    guard isThere else {
      return try make(.insert, payload(of: record.fields), lane, base: shadow?.version ?? 0, intent: intent)
    }
    let changed = payload(of: unsent).filter { shadow?[FieldName($0.name)] != $0.value }
    guard !changed.isEmpty else { return nil }
    return try make(.update, changed, lane, base: shadow?.version ?? 0, intent: intent)
  }

  private func payload(of fields: [FieldName: LWWRegister]) -> [JSON.Member] {
    fields.sorted { $0.key < $1.key }.compactMap { field, register in
      PlainForm.json(of: register.value).map { JSON.Member(field.text, PlainForm.normal($0)) }
    }
  }

  private func make(
    _ operation: OutboxEntry.Operation, _ payload: [JSON.Member], _ lane: Lane, base: Int64, intent: String?
  ) throws -> OutboxEntry {
    var generator = makeGenerator()
    return OutboxEntry(
      id: .make(wallMilliseconds: wallMilliseconds, using: &generator), subject: lane.subject,
      serverID: try serverID(of: lane.subject), operation: operation, payload: payload, baseVersion: base,
      createdAt: wallMilliseconds, intent: intent,
      through: Frontier(now: lane.acknowledged.origins, in: self))
  }
}
