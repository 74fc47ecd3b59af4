import RejoinCore

/// The way of one record's or log entry's writes to a server: one after the other, whatever becomes of others.
struct Lane: Hashable, Sendable {
  /// What keeps a lane from being sent.
  enum Stop: Hashable, Sendable {
    /// The server refused the entry for good.
    case dead(reason: String)
    /// Again and again the server had changed the record meanwhile.
    case conflict
  }

  /// What it is about.
  let subject: Subject
  /// Its place in the queue: the order in which lanes began, but for those that were moved behind all others.
  var sequence: UInt64
  /// When it began, in milliseconds since the Unix epoch.
  var since: Int64
  /// How far the subject's writes have reached the server.
  var acknowledged: Frontier
  /// What is being sent; nil until it is frozen.
  var entry: OutboxEntry?
  /// What keeps it from being sent; nil while nothing does.
  var stop: Stop?
  /// How often the server put it off.
  var attempts = 0
  /// Whether it is stopped although the server never refused it, so that the server may hold its entry after all.
  var isUndecided = false
  /// How often the server had changed the record meanwhile, since somebody last wrote to it or asked for it.
  var rounds = 0
  /// How often somebody asked for more rounds.
  var retries = 0
  /// When it was last sent, in milliseconds since the Unix epoch; 0 for never.
  var lastAttempt: Int64 = 0
  /// Not to be sent again before, in milliseconds since the Unix epoch.
  var due: Int64 = 0
  /// What the server last said.
  var lastError: String?
  /// The values that were written once more, by field.
  var rewrites: [FieldName: Rewrite] = [:]
  /// Whether the server has answered that it knows no such record, although it should.
  var isUnknownThere = false

  /// What the server may hold of entries that were never decided, by the names of fields, and ``OutboxEntry/deletion``:
  /// to say once more what it had before is a change then.
  var doubted: Set<String> = []

  /// Begins a lane.
  init(_ subject: Subject, sequence: UInt64, since: Int64, acknowledged: Frontier) {
    self.subject = subject
    self.sequence = sequence
    self.since = since
    self.acknowledged = acknowledged
  }

  /// Which of all the entries of one state it makes: each has a key of its own.
  var round: Int { rounds + retries * (Lane.roundLimit + 2) }

  /// Whether it may be sent now.
  func isDue(at wallMilliseconds: Int64) -> Bool {
    stop == nil && BackOff.isOver(due, at: wallMilliseconds)
  }

  /// Forgets what is frozen, so that it is frozen anew from what is there now, under a new key.
  mutating func thaw() {
    if isUndecided, let entry {
      doubted.formUnion(entry.operation == .delete ? [OutboxEntry.deletion] : entry.payload.map(\.name))
    }
    entry = nil
    stop = nil
    isUndecided = false
    attempts = 0
    due = 0
    lastError = nil
  }

  /// Goes on although it was stopped, because somebody wants it: with the same entry where the server may hold that, else
  /// with a new one, and with as many rounds as at first.
  mutating func retry() {
    let undecided = isUndecided ? entry : nil
    if undecided != nil { isUndecided = false }
    thaw()
    entry = undecided
    guard undecided == nil else { return }
    rounds = 0
    retries += 1
  }
}

extension Lane {
  /// The form in which it is kept.
  var json: JSON {
    var members: [JSON.Member] = [
      JSON.Member("sequence", .int(Int64(clamping: sequence))), JSON.Member("since", .int(since)),
      JSON.Member("acknowledged", acknowledged.json),
    ]
    if let entry { members.append(JSON.Member("entry", entry.keptJSON)) }
    switch stop {
    case .dead(let reason): members.append(JSON.Member("dead", .string(reason)))
    case .conflict: members.append(JSON.Member("conflict", true))
    case nil: break
    }
    if attempts > 0 { members.append(JSON.Member("attempts", .int(Int64(attempts)))) }
    if isUndecided { members.append(JSON.Member("undecided", true)) }
    if rounds > 0 { members.append(JSON.Member("rounds", .int(Int64(rounds)))) }
    if retries > 0 { members.append(JSON.Member("retries", .int(Int64(retries)))) }
    if lastAttempt > 0 { members.append(JSON.Member("lastAttempt", .int(lastAttempt))) }
    if due > 0 { members.append(JSON.Member("due", .int(due))) }
    if !rewrites.isEmpty { members.append(JSON.Member("rewrites", Lane.json(of: rewrites))) }
    if isUnknownThere { members.append(JSON.Member("unknown", true)) }
    if !doubted.isEmpty {
      members.append(JSON.Member("doubted", .array(doubted.sorted().map { .string($0) })))
    }
    if let lastError { members.append(JSON.Member("lastError", .string(lastError))) }
    return .object(members)
  }

  /// A count or a time as it may be kept: with room to count on.
  private static func number(_ json: JSON?) -> Int64? {
    guard case .int(let number)? = json, 0...Int64(1) << 56 ~= number else { return nil }
    return number
  }

  /// Reads what was kept.
  init(_ subject: Subject, json: JSON) throws(OutboxError) {
    guard let sequence = Lane.number(json["sequence"]), let since = Lane.number(json["since"]) else {
      throw .damagedState("lane")
    }
    self.init(
      subject, sequence: UInt64(sequence), since: since,
      acknowledged: try Frontier(json: json["acknowledged"]))
    if let kept = json["entry"] { entry = try OutboxEntry(subject, kept: kept) }
    if case .string(let reason)? = json["dead"] { stop = .dead(reason: reason) }
    if json["conflict"] != nil { stop = .conflict }
    guard let attempts = Lane.number(json["attempts"] ?? 0), let rounds = Lane.number(json["rounds"] ?? 0),
      let retries = Lane.number(json["retries"] ?? 0), let due = Lane.number(json["due"] ?? 0),
      let lastAttempt = Lane.number(json["lastAttempt"] ?? 0)
    else { throw .damagedState("lane") }
    (self.attempts, self.rounds, self.retries) = (Int(attempts), Int(rounds), Int(retries))
    (self.due, self.lastAttempt) = (due, lastAttempt)
    isUndecided = json["undecided"] != nil
    if let kept = json["rewrites"] { rewrites = try Lane.rewrites(kept) }
    isUnknownThere = json["unknown"] != nil
    if case .array(let names)? = json["doubted"] { doubted = Set(names.compactMap(\.wireText)) }
    if case .string(let text)? = json["lastError"] { lastError = text }
  }
}

extension OutboxEntry {
  /// In place of a field's name: that the record was deleted.
  static let deletion = ""

  /// The form in which it is kept, which is not the wire's.
  var keptJSON: JSON {
    var members: [JSON.Member] = [
      JSON.Member("id", .string(id.description)), JSON.Member("operation", .string(operation.rawValue)),
      JSON.Member("payload", .object(payload)), JSON.Member("baseVersion", .int(baseVersion)),
      JSON.Member("createdAt", .int(createdAt)), JSON.Member("through", through.json),
    ]
    if let serverID { members.append(JSON.Member("serverID", .string(serverID))) }
    if let intent { members.append(JSON.Member("intent", .string(intent))) }
    if let leader { members.append(JSON.Member("leader", .string(leader.description))) }
    if !references.isEmpty {
      let sorted = references.sorted { $0.key < $1.key }
      members.append(
        JSON.Member("references", .object(sorted.map { JSON.Member($0.key, .string($0.value)) })))
    }
    return .object(members)
  }

  /// Reads what was kept.
  init(_ subject: Subject, kept: JSON) throws(OutboxError) {
    guard case .string(let id)? = kept["id"], let id = OperationID(id),
      case .string(let operation)? = kept["operation"], let operation = Operation(rawValue: operation),
      case .object(let payload)? = kept["payload"], case .int(let baseVersion)? = kept["baseVersion"],
      case .int(let createdAt)? = kept["createdAt"]
    else { throw .damagedState("entry") }
    self.init(
      id: id, subject: subject, operation: operation, payload: payload, baseVersion: baseVersion,
      createdAt: createdAt, through: try Frontier(json: kept["through"]))
    if case .string(let text)? = kept["serverID"] { serverID = text }
    if case .string(let text)? = kept["intent"] { intent = text }
    if case .string(let text)? = kept["leader"] { leader = OperationID(text) }
    guard case .object(let references)? = kept["references"] else { return }
    for member in references { self.references[member.name] = member.value.wireText }
  }
}
