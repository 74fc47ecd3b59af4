import Rejoin
import RejoinCore

/// Taking in rows: only what the server changed since this device last heard of a row becomes a write.
extension ServerTransaction {
  /// Takes in a row.
  ///
  /// A row that is older than what is known says nothing.
  ///
  /// - Throws: `JSONError` for a row that cannot be taken in, before anything of it is kept.
  mutating func take(_ row: ServerRow, _ configuration: OutboxConfiguration) throws {
    let (subject, isDerived) = try subject(of: row, configuration)
    guard configuration.includes(subject) else { return }
    try check(row, about: subject)
    let row = try localized(row, configuration)
    observe(milliseconds: row.updatedAt)
    let known = try shadow(of: subject)
    if let known, let version = row.version, version < known.version { return }
    var isNamed = row.id == subject.id
    switch subject {
    case .entry(let key): try take(row, known, at: key, configuration)
    case .record(let key):
      if row.isDeleted {
        try takeDeletion(row, known, at: key, configuration)
      } else {
        let isWritten = try take(row, known, at: key, configuration, name: isDerived ? row.id : nil)
        isNamed = isNamed || isDerived && isWritten
      }
    }
    if !isNamed { try learn(row.id, of: subject, configuration) }
  }

  /// Takes in what came while the record was deleted here, now that it is alive.
  mutating func adopt(_ subject: Subject, _ configuration: OutboxConfiguration) throws {
    guard let shadow = try shadow(of: subject), shadow.isUnadopted, case .record(let key) = subject,
      try record(key)?.isAlive == true
    else { return }
    let row = try row(of: subject, shadow)
    do {
      try take(row, shadow, at: key, configuration)
    } catch is JSONError {
      try quarantine(row.json, configuration)
    }
  }

  /// The row that a shadow is of.
  func row(of subject: Subject, _ shadow: Shadow) throws -> ServerRow {
    ServerRow(
      entity: subject.entity, id: try serverID(of: subject) ?? subject.id, localID: subject.id,
      version: shadow.version, updatedAt: shadow.updatedAt, isDeleted: shadow.isDeleted,
      fields: shadow.fields.map { JSON.Member($0.key.text, $0.value) })
  }

  /// What a row is about here: by the server's id, where that is known, by the device's id that the row repeats, by the
  /// id itself where it is a UUID, and else by an id that every device derives alike.
  private func subject(
    of row: ServerRow, _ configuration: OutboxConfiguration
  ) throws -> (Subject, isDerived: Bool) {
    if !configuration.logs.isEmpty, configuration.logs.contains(LogName(row.entity)) {
      let known = try aliased(row.id, in: row.entity) ?? row.localID ?? row.id
      let id = EntryID(known) ?? .derived(from: row.id, in: row.entity)
      return (.entry(EntryKey(LogName(row.entity), id)), false)
    }
    let known =
      try record(named: row.id, in: row.entity) ?? row.localID.flatMap { RecordID($0) } ?? RecordID(row.id)
    let id = known ?? .derived(from: row.id, in: row.entity)
    return (.record(RecordKey(Collection(row.entity), id)), known == nil)
  }

  /// The shadow after a row.
  private func shadow(after row: ServerRow, _ known: Shadow?) throws -> Shadow {
    var shadow = Shadow(epoch: try number("epoch"))
    shadow.version = row.version ?? known?.version ?? 0
    shadow.updatedAt = row.updatedAt ?? known?.updatedAt
    shadow.isDeleted = row.isDeleted
    if let known, !known.isDeleted || row.isDeleted { shadow.fields = known.fields }
    shadow.fields.merge(row.fields.map { JSON.Member($0.name, PlainForm.normal($0.value)) })
    return shadow
  }

  // MARK: Log entries

  private mutating func take(
    _ row: ServerRow, _ known: Shadow?, at key: EntryKey, _ configuration: OutboxConfiguration
  ) throws {
    guard !row.isDeleted else { return }
    var values: [(String, Value)] = []
    for member in row.fields {
      values.append((member.name, try PlainForm.value(of: member.value, as: nil, like: nil)))
    }
    try append(ValueMap(values), at: key, milliseconds: row.updatedAt)
    var shadow = Shadow(epoch: try number("epoch"))
    shadow.version = row.version ?? 0
    try keep(shadow, of: .entry(key))
    // An entry never changes: what the server shows has arrived, whatever was said of it before.
    if let lane = try lane(of: .entry(key)) { try end(lane) }
  }

  // MARK: Deletions

  /// Deletion wins over edits, unless the application wants edited records back; what was not sent enters the ledger.
  private mutating func takeDeletion(
    _ row: ServerRow, _ known: Shadow?, at key: RecordKey, _ configuration: OutboxConfiguration
  ) throws {
    let subject = Subject.record(key)
    let stored = try record(key)
    try check(row, over: stored)
    try keep(shadow(after: row, known), of: subject)
    guard let record = stored else { return }
    let lane = try lane(of: subject)
    if record.isAlive {
      // What was restored or inserted anew here after the deletion stays, and goes out; also where others told of it.
      let isRestored =
        try known?.isDeleted == true || hasRestoredOthers(key)
        || lane?.doubted.contains(OutboxEntry.deletion) == true
      if lane != nil, isRestored || configuration.revives.contains(key.collection) { return }
      let unsent = record.fields.filter { isUnsent($0.value, $0.key, lane, known?.fields) }
      try write(
        ServerWrite(
          key: key, isAlive: false, fields: [:], milliseconds: row.updatedAt, concurrent: Set(unsent.keys)))
    }
    if let lane { try end(lane) }
  }

  /// What the server was known to hold of a collection, and a list of all its rows does not have, is deleted there;
  /// what holds unsent changes stays.
  ///
  /// Costs what the server was known to hold, as such a list does itself.
  mutating func takeAbsence(
    from rows: [ServerRow], in collection: Collection, _ configuration: OutboxConfiguration
  ) throws {
    var listed: Set<Subject> = []
    for row in rows where row.entity == collection.text {
      listed.insert(try subject(of: row, configuration).0)
    }
    for subject in try shadowed(in: collection) where !listed.contains(subject) {
      guard let known = try shadow(of: subject), !known.isDeleted, try lane(of: subject) == nil else {
        continue
      }
      let id = try serverID(of: subject) ?? subject.id
      try takeOrQuarantine(
        [ServerRow(entity: subject.entity, id: id, localID: subject.id, isDeleted: true)], configuration)
    }
  }

  // MARK: Living rows

  /// Writes down what a living row changed, and the server's id, where that has to be learnt with it.
  ///
  /// - Returns: whether it was written down; false where the record stays deleted here.
  @discardableResult
  private mutating func take(
    _ row: ServerRow, _ known: Shadow?, at key: RecordKey, _ configuration: OutboxConfiguration,
    name: String? = nil
  ) throws -> Bool {
    let subject = Subject.record(key)
    let kinds = configuration.kinds[key.collection] ?? [:]
    let record = try record(key)
    try check(row, over: record)
    let lane = try lane(of: subject)
    var write = ServerWrite(key: key, isAlive: true, fields: [:], milliseconds: row.updatedAt)
    write.fields.reserveCapacity(row.fields.count)
    // The first name that was learnt stays.
    if let name, record?.serverIDs[Array(server.utf8)] == nil { write.serverID = name }
    if let record, !record.isAlive {
      guard try restores(row, known, record, at: key, lane, configuration) else {
        var shadow = try shadow(after: row, known)
        try check(shadow)
        shadow.isUnadopted = true
        if let known { shadow.former = known.isUnadopted ? known.former : known.fields }
        try keep(shadow, of: subject)
        return false
      }
    }
    // What a restored record shows is what the server had when it was deleted.
    let former = known.flatMap { $0.isUnadopted ? $0.former : nil }
    let base = former ?? known.flatMap { $0.isDeleted ? nil : $0.fields }
    for member in row.fields {
      let field = FieldName(member.name)
      let json = PlainForm.normal(member.value)
      let isNew = record?.isAlive != true
      guard isNew || base?[field] != json, member.name != "id" else { continue }
      if let record, record.counted.contains(field) { continue }
      let local = record?.fields[field]
      let shown = local.flatMap { PlainForm.json(of: $0.value) }.map(PlainForm.normal)
      if !isNew, shown == json { continue }
      let value = try PlainForm.value(of: json, as: kinds[field], like: local?.value)
      let isOwn = local.map { isOwnUnsent($0, field, lane) } ?? false
      let ancestry =
        try isOwn && !isNew
        ? ancestry(of: json, in: field, at: key, lane, base) : Ancestry.none
      if ancestry == .known { continue }
      // What says what the server had before is no change of this device's, as in a record that was restored.
      let isOnItsWay = lane?.entry?.payload.contains { $0.name == member.name } ?? false
      let isUnchanged =
        try ancestry == .none && !isOnItsWay && shown != nil && shown == base?[field]
        && !isMadeOverOthers(field, known, at: key) && lane?.doubted.contains(member.name) != true
      guard !isNew, !isUnchanged, let local, isUnsent(local, field, lane, base) else {
        write.fields[field] = value
        continue
      }
      let time = local.precedence.timestamp.time
      let first = lane?.firstMilliseconds(of: field, writtenAt: time) ?? time.milliseconds
      let stays =
        ancestry == .likely || configuration.rules.onConflict == .stop
        || !wins(row, overOneOf: first, policy(of: field, in: key.collection))
      if isOwn, stays {
        write.refused[field] = value
      } else {
        write.fields[field] = value
        write.concurrent.insert(field)
      }
    }
    try keep(shadow(after: row, known), of: subject)
    try self.write(write, over: record)
    return true
  }

  /// Whether a living row brings back a record that is deleted here; one that shall be deleted there gets a lane.
  private mutating func restores(
    _ row: ServerRow, _ known: Shadow?, _ record: ServedRecord, at key: RecordKey, _ lane: Lane?,
    _ configuration: OutboxConfiguration
  ) throws -> Bool {
    guard let life = record.life, lane == nil else { return false }
    if let known, known.isDeleted, !known.isAbsent { return true }
    let isLater = (row.updatedAt ?? 0) > life.timestamp.time.milliseconds
    var frontier = try frontier(configuration)
    guard frontier.origins.contains(life.timestamp.replica) else {
      // Somebody else's deletion is theirs to send. What another device has heard of a deletion from the server is
      // over only when a later row says so.
      guard life.timestamp.replica.isProxy else { return false }
      let wasDeleted = try lastShadow(of: .record(key))?.isDeleted ?? false
      return isLater || wasDeleted && isOwnProxy(life.timestamp)
    }
    // Where the server has begun anew, the later of both counts. Where it had no such row when this device deleted the
    // record, somebody who had not heard of the deletion has made it since.
    guard known?.isAbsent == true || !isLater else { return true }
    frontier[life.timestamp.replica] = HybridTime(
      rawValue: max(life.timestamp.time.rawValue, 1) - 1)
    try begin(.record(key), acknowledged: frontier)
    return false
  }

  /// Whether a local value never reached the server, as far as this device knows.
  private func isUnsent(
    _ local: LWWRegister, _ field: FieldName, _ lane: Lane?, _ base: ShadowFields?
  ) -> Bool {
    if isOwnUnsent(local, field, lane) { return true }
    guard !local.precedence.timestamp.replica.isProxy else { return false }
    return PlainForm.json(of: local.value).map(PlainForm.normal) != base?[field]
  }

  /// Whether a local value was written here and is still to be sent.
  ///
  /// What a frozen entry leaves out, because the server had that value already, is not on its way.
  private func isOwnUnsent(_ local: LWWRegister, _ field: FieldName, _ lane: Lane?) -> Bool {
    guard let lane, lane.acknowledged.awaits(local.precedence.timestamp) else { return false }
    guard let entry = lane.entry, entry.through.covers(local.precedence.timestamp) else { return true }
    return entry.payload.contains { $0.name == field.text }
  }

  /// What an unsent write of this device has to do with a value that the server shows.
  private enum Ancestry {
    /// The write was made over it, or it is on its way there: the server shows nothing newer.
    case known
    /// This device wrote it before, and somebody may have sent it since, or written it once more.
    case likely
    /// Nothing.
    case none
  }

  private func ancestry(
    of json: JSON, in field: FieldName, at key: RecordKey, _ lane: Lane?, _ base: ShadowFields?
  ) throws -> Ancestry {
    if let entry = lane?.entry, entry.payload.contains(where: { $0.name == field.text && $0.value == json }) {
      return .known
    }
    let same = try replacedValues(of: field, at: key).filter { replaced in
      PlainForm.json(of: replaced.value).map(PlainForm.normal) == json
    }
    guard !same.isEmpty else {
      // What it held before it began anew is what the write was made over, if nothing else is known.
      return try base == nil && lastShadow(of: .record(key))?[field] == json ? .known : .none
    }
    // Others send what is not theirs only with a record that the server has never had, but for gateways.
    return base != nil && same.allSatisfy(\.isOwn) ? .likely : .known
  }

  /// Whether the server's value takes the place of one that was not sent yet.
  private func wins(_ row: ServerRow, overOneOf firstMilliseconds: Int64, _ policy: FieldPolicy) -> Bool {
    switch policy.server {
    case .serverWins: true
    case .clientWins: false
    case .lww:
      // A row that does not say when it was changed shows nothing that was later than the edit.
      row.updatedAt.map { counted(milliseconds: $0) > firstMilliseconds } ?? false
    }
  }
}
