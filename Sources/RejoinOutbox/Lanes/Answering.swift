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
      if let serverID, try !isTaken(serverID, by: entry.subject) {
        try learn(serverID, of: entry.subject, configuration, isAnew: entry.operation == .insert)
      }
      let known = version.flatMap { ServerRow.isValid(version: $0) ? $0 : nil }
      try acknowledge(lane, entry, version: known, updatedAt: updatedAt, configuration)
      if let row { try take(row, about: entry, configuration, &report) }
    case .begun(let row):
      try takeBegun(lane, entry, row, configuration, &report)
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
    observe(milliseconds: updatedAt)
    let known = try shadow(of: entry.subject)
    let version = version ?? min(entry.baseVersion, .max - 1) + 1
    var shadow = try known ?? Shadow(epoch: number("epoch"))
    if entry.operation == .insert { shadow.fields = [:] }
    shadow.isDeleted = entry.operation == .delete
    shadow.isAbsent = false
    // What was not taken in belonged to a row that is no more.
    if entry.operation != .update { shadow.isUnadopted = false }
    shadow.fields.merge(entry.payload)
    // What was heard since is later than what the server has taken here, and stands once more.
    if let known, known.version >= version, known.version > entry.baseVersion {
      shadow.version = version
      try keep(shadow, of: entry.subject)
      try moveOn(lane, past: entry)
      return try take(row(of: entry.subject, known), configuration)
    }
    shadow.version = max(shadow.version, version)
    shadow.updatedAt = updatedAt ?? shadow.updatedAt
    try keep(shadow, of: entry.subject)
    try moveOn(lane, past: entry)
    try bringBack(entry, configuration)
  }

  /// The server has made the record with values of its own: they are what the lane's writes are held against now.
  private mutating func takeBegun(
    _ lane: Lane, _ entry: OutboxEntry, _ row: ServerRow, _ configuration: OutboxConfiguration,
    _ report: inout DrainReport
  ) throws {
    report.applied.append(entry.id)
    let named = Set(entry.payload.map(\.name))
    var base = Shadow(epoch: try number("epoch"))
    base.fields.merge(
      try localized(row, configuration).fields.filter { named.contains($0.name) }
        .map { JSON.Member($0.name, PlainForm.normal($0.value)) })
    try keep(base, of: entry.subject)
    var lane = lane
    lane.thaw()
    lane.rounds = 0
    try keep(lane)
    try take(row, about: entry, configuration, &report)
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
  mutating func moveOn(_ lane: Lane, past entry: OutboxEntry) throws {
    let known = lane.acknowledged
    var lane = lane
    lane.acknowledged = entry.through
    // What was written under ids that this device sends for only since then is not part of the entry.
    for origin in known.origins where !entry.through.origins.contains(origin) {
      lane.acknowledged[origin] = known[origin]
    }
    lane.thaw()
    lane.rounds = 0
    lane.doubted = []
    lane.since = wallMilliseconds
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
      guard try shadow(of: entry.subject) != nil else { return try awaitPage(lane) }
      let row = ServerRow(
        entity: entry.subject.entity, id: entry.entityID, localID: entry.subject.id, isDeleted: true)
      try take(row, about: entry, configuration, &report)
      guard let lane = try self.lane(of: entry.subject) else { return }
      try baseAnew(lane, isNews: true)
    }
  }

  /// The server knows no record that somebody had from it.
  ///
  /// Should its next page not say that it was deleted, it never had it: it is another server, or one that has lost it.
  /// Then the whole record goes out.
  private mutating func awaitPage(_ lane: Lane) throws {
    var lane = lane
    lane.isUnknownThere = true
    try baseAnew(lane, isNews: false)
  }

  /// Takes in the row that an answer is about: the entry's, also where this device knows the server's id of the record
  /// from another device only.
  ///
  /// - Returns: whether it was, and could be understood; else the answer stands without it. A row of something else is
  ///   no answer, and one that is not understood is kept as it came.
  @discardableResult
  private mutating func take(
    _ row: ServerRow, about entry: OutboxEntry, _ configuration: OutboxConfiguration,
    _ report: inout DrainReport
  ) throws -> Bool {
    guard row.entity.hasSameBytes(as: entry.subject.entity),
      row.localID ?? entry.subject.id == entry.subject.id,
      try !isTaken(row.id, by: entry.subject)
    else { return false }
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
    guard var lane = try self.lane(of: entry.subject) else { return }
    guard case .record = lane.subject, configuration.rules.onConflict == .stop else {
      return try baseAnew(lane, isNews: isNew)
    }
    lane.entry = nil
    lane.stop = .conflict
    lane.lastError = "conflict"
    try keep(lane)
  }

  /// The lane's entry is made anew on what the server is known to hold now; without news, not at once.
  private mutating func baseAnew(_ lane: Lane, isNews: Bool) throws {
    var lane = lane
    lane.rounds += 1
    lane.entry = nil
    lane.lastError = "conflict"
    switch lane.subject {
    case .record:
      if lane.rounds > Lane.roundLimit { lane.stop = .conflict }
      if !isNews { wait(&lane, nil) }
    // Nobody can write a log entry again: it goes on by itself, for ever, so each time it waits.
    case .entry: wait(&lane, nil)
    }
    try keep(lane)
  }

  /// Refused for good: the entry is a dead letter until somebody has decided, or what it wrote is taken back at once.
  mutating func reject(
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
    try discard(lane, entry, configuration, isDecided: false)
  }

  private mutating func putOff(
    _ lane: Lane, _ entry: OutboxEntry, wait milliseconds: Int64?, reason: String,
    _ configuration: OutboxConfiguration, _ report: inout DrainReport
  ) throws {
    var lane = lane
    lane.attempts += 1
    guard lane.attempts < configuration.putOffLimit else {
      lane.isUndecided = true
      if case .record = lane.subject, configuration.rules.endsInConflict {
        report.conflicts.append(OutboxConflict(entry: entry, row: nil))
        lane.stop = .conflict
        lane.lastError = reason
        return try keep(lane)
      }
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
}

extension Lane {
  /// How often an entry is based on a newer row before a person has to look.
  static let roundLimit = 5
}
