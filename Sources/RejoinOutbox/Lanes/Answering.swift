import Rejoin
import RejoinCore

/// What becomes of a lane when the server has answered its entry.
extension ServerTransaction {
  /// Takes in an answer; one to an entry that is no longer the lane's says nothing any more.
  mutating func take(
    _ answer: EntryAnswer, to entry: OutboxEntry, _ configuration: OutboxConfiguration,
    _ report: inout DrainReport
  ) throws {
    guard let lane = try lane(of: entry.subject), lane.entry?.id == entry.id else { return }
    switch answer {
    case .applied(let version, let updatedAt, let serverID, let row):
      report.applied.append(entry.id)
      if let serverID { try learn(serverID, of: entry.subject) }
      let known = version.flatMap { ServerRow.isValid(version: $0) ? $0 : nil }
      try acknowledge(lane, entry, version: known, updatedAt: updatedAt, configuration)
      if let row { try take(row, about: entry, configuration, &report) }
    case .gone:
      try takeGone(lane, entry, configuration, &report)
    case .conflict(let row):
      try takeConflict(lane, entry, row, configuration, &report)
    case .rejected(let reason):
      try reject(lane, entry, reason: reason.cut(toBytes: Limits.reasonBytes), configuration, &report)
    case .retryLater(let wait, let reason):
      let reason = reason.cut(toBytes: Limits.reasonBytes)
      try putOff(lane, entry, wait: wait, reason: reason, configuration, &report)
    }
  }

  // MARK: Done

  /// The server holds what the entry says.
  private mutating func acknowledge(
    _ lane: Lane, _ entry: OutboxEntry, version: Int64?, updatedAt: Int64?,
    _ configuration: OutboxConfiguration
  ) throws {
    var shadow = try shadow(of: entry.subject) ?? Shadow(epoch: number("epoch"))
    if entry.operation == .insert { shadow.fields = [:] }
    shadow.isDeleted = entry.operation == .delete
    shadow.isAbsent = false
    // What was not taken in belonged to a row that is no more.
    if entry.operation != .update { shadow.isUnadopted = false }
    shadow.fields.merge(entry.payload)
    shadow.version = max(shadow.version, version ?? min(entry.baseVersion, .max - 1) + 1)
    shadow.updatedAt = updatedAt ?? shadow.updatedAt
    try keep(shadow, of: entry.subject)
    try moveOn(lane, past: entry)
    try bringBack(entry, configuration)
  }

  /// Where the server's former word stands here although the server has now taken ours, ours comes back.
  private mutating func bringBack(_ entry: OutboxEntry, _ configuration: OutboxConfiguration) throws {
    guard entry.operation == .update, case .record(let key) = entry.subject, let record = try record(key),
      record.isAlive
    else { return }
    var fields: [FieldName: Value] = [:]
    for member in entry.payload {
      let field = FieldName(member.name)
      guard let register = record.fields[field], isOwnProxy(register.precedence.timestamp),
        PlainForm.json(of: register.value).map(PlainForm.normal) != member.value
      else { continue }
      fields[field] = try PlainForm.value(
        of: member.value, as: configuration.kinds[key.collection]?[field], like: register.value)
    }
    guard !fields.isEmpty else { return }
    try write(ServerWrite(key: key, isAlive: true, fields: fields, milliseconds: 0))
  }

  /// Goes on with what was written since the entry was frozen, or ends the lane.
  private mutating func moveOn(_ lane: Lane, past entry: OutboxEntry) throws {
    var lane = lane
    lane.acknowledged = entry.through
    lane.thaw()
    lane.rounds = 0
    guard case .record(let key) = entry.subject, let record = try record(key),
      record.timestamps.contains(where: { lane.acknowledged.awaits($0) })
    else { return try end(lane) }
    try keep(lane)
  }

  // MARK: Not done

  private mutating func takeGone(
    _ lane: Lane, _ entry: OutboxEntry, _ configuration: OutboxConfiguration, _ report: inout DrainReport
  ) throws {
    switch entry.operation {
    case .insert: try reject(lane, entry, reason: "gone", configuration, &report)
    case .delete:
      report.applied.append(entry.id)
      var shadow = Shadow(epoch: try number("epoch"))
      shadow.isDeleted = true
      shadow.isAbsent = true
      try keep(shadow, of: entry.subject)
      try moveOn(lane, past: entry)
    case .update:
      report.conflicts.append(OutboxConflict(entry: entry, row: nil))
      let row = ServerRow(
        entity: entry.subject.entity, id: entry.entityID, localID: entry.subject.id, isDeleted: true)
      try take(row, about: entry, configuration, &report)
      guard let lane = try self.lane(of: entry.subject) else { return }
      try baseAnew(lane, isNews: true)
    }
  }

  /// Takes in the row that an answer is about: the entry's, also where this device knows the server's id of the record
  /// from another device only.
  ///
  /// - Returns: whether it could be understood; else it is kept as it came, and the answer stands.
  @discardableResult
  private mutating func take(
    _ row: ServerRow, about entry: OutboxEntry, _ configuration: OutboxConfiguration,
    _ report: inout DrainReport
  ) throws -> Bool {
    var row = row
    row.localID = entry.subject.id
    let quarantined = try takeOrQuarantine([row], configuration)
    report.quarantined += quarantined
    return quarantined == 0
  }

  /// The entry's fields are based on the server's row, under a new key; after too many rounds a person has to look.
  private mutating func takeConflict(
    _ lane: Lane, _ entry: OutboxEntry, _ row: ServerRow?, _ configuration: OutboxConfiguration,
    _ report: inout DrainReport
  ) throws {
    let row = try row.flatMap { try take($0, about: entry, configuration, &report) ? $0 : nil }
    report.conflicts.append(OutboxConflict(entry: entry, row: row))
    let isNew = row?.version.map { $0 > entry.baseVersion } ?? false
    guard let lane = try self.lane(of: entry.subject) else { return }
    try baseAnew(lane, isNews: isNew)
  }

  /// The lane's entry is made anew on what the server is known to hold now; without news, not at once.
  private mutating func baseAnew(_ lane: Lane, isNews: Bool) throws {
    var lane = lane
    lane.rounds += 1
    lane.entry = nil
    lane.lastError = "conflict"
    // Nobody can write a log entry again: it goes on by itself.
    if lane.rounds > Lane.roundLimit, case .record = lane.subject { lane.stop = .conflict }
    if !isNews { wait(&lane, nil) }
    try keep(lane)
  }

  /// Refused for good: the entry is a dead letter until somebody has decided, or what it wrote is taken back at once.
  private mutating func reject(
    _ lane: Lane, _ entry: OutboxEntry, reason: String, _ configuration: OutboxConfiguration,
    _ report: inout DrainReport
  ) throws {
    var lane = lane
    lane.stop = .dead(reason: reason)
    lane.lastError = reason
    report.rejected.append(DeadLetter(entry: entry, reason: reason, isUndecided: lane.isUndecided))
    guard case .record(let key) = entry.subject,
      entry.payload.contains(where: {
        policy(of: FieldName($0.name), in: key.collection).onRejection == .rollback
      })
    else { return try keep(lane) }
    try discard(lane, entry, configuration)
  }

  private mutating func putOff(
    _ lane: Lane, _ entry: OutboxEntry, wait milliseconds: Int64?, reason: String,
    _ configuration: OutboxConfiguration, _ report: inout DrainReport
  ) throws {
    var lane = lane
    lane.attempts += 1
    guard lane.attempts < configuration.attemptLimit else {
      lane.isUndecided = true
      return try reject(lane, entry, reason: reason, configuration, &report)
    }
    report.putOff += 1
    lane.lastError = reason
    wait(&lane, milliseconds)
    try keep(lane)
  }

  private func wait(_ lane: inout Lane, _ milliseconds: Int64?) {
    var generator = makeGenerator()
    let wait = BackOff.wait(attempts: max(lane.attempts, lane.rounds), randomBits: generator.next())
    lane.due = wallMilliseconds + max(BackOff.wish(milliseconds), wait)
  }

  // MARK: Dead letters

  /// Takes back what a refused entry wrote: the server's values come back, unless something was written since.
  mutating func discard(
    _ lane: Lane, _ entry: OutboxEntry, _ configuration: OutboxConfiguration
  ) throws {
    if case .record(let key) = entry.subject, let record = try record(key) {
      let shadow = try shadow(of: entry.subject)
      let exists = shadow.map { !$0.isDeleted } ?? false
      var fields: [FieldName: Value] = [:]
      for (field, register) in record.fields where entry.through.covers(register.precedence.timestamp) {
        guard lane.acknowledged.awaits(register.precedence.timestamp) else { continue }
        fields[field] = try PlainForm.value(
          of: shadow?[field] ?? .null, as: configuration.kinds[key.collection]?[field], like: register.value)
      }
      let isAnswered = record.timestamps.contains { entry.through.awaits($0) }
      switch entry.operation {
      case .insert where !exists && isAnswered:
        // The record stays for the sake of what was written since, and goes out as a whole.
        var lane = lane
        lane.thaw()
        lane.rounds = 0
        return try keep(lane)
      case .insert where !exists:
        // Should somebody else have sent the record, it comes back with the server's row.
        var deleted = try shadow ?? Shadow(epoch: number("epoch"))
        (deleted.isDeleted, deleted.isAbsent) = (true, false)
        try keep(deleted, of: entry.subject)
        try write(ServerWrite(key: key, isAlive: false, fields: [:], milliseconds: 0))
      case .insert where record.isAlive, .update where record.isAlive:
        try write(ServerWrite(key: key, isAlive: true, fields: fields, milliseconds: 0))
      case .delete where !isAnswered && exists && !record.isAlive:
        for (field, json) in shadow?.fields ?? [:] where !record.counted.contains(field) {
          fields[field] = try PlainForm.value(
            of: json, as: configuration.kinds[key.collection]?[field], like: record.fields[field]?.value)
        }
        try write(ServerWrite(key: key, isAlive: true, fields: fields, milliseconds: 0))
      case .insert, .update, .delete: break
      }
    }
    try moveOn(lane, past: entry)
  }
}

extension Lane {
  /// How often an entry is based on a newer row before a person has to look.
  static let roundLimit = 5
}
