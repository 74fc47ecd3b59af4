import Rejoin
package import RejoinCore

/// What changes the rows: entries, other people, and what befalls the server itself.
extension ModelServer {
  // MARK: Names

  /// The id under which a row is kept, for one of the ids that it has.
  private func rowID(_ entity: String, _ wireID: String) -> String { names[entity]?[wireID] ?? wireID }

  /// The id that devices know a row by.
  func deviceID(_ entity: String, _ id: String) -> String {
    let local = localIDs[entity]?[id] ?? id
    return (RecordID(local) ?? .derived(from: local, in: entity)).description
  }

  private mutating func name(_ entity: String, _ wireID: String) -> String {
    let id = rowID(entity, wireID)
    guard traits.givesIDs, id == wireID, RecordID(wireID) != nil else { return id }
    let name = "r\(names.values.reduce(0) { $0 + $1.count })"
    names[entity, default: [:]][wireID] = name
    localIDs[entity, default: [:]][name] = wireID
    return name
  }

  // MARK: Entries

  mutating func apply(_ entry: JSON, key: String, fault: Fault) -> JSON {
    guard case .string(let entity)? = entry["entity"], case .string(let wireID)? = entry["entity_id"],
      case .string(let operation)? = entry["op"], case .object(let payload)? = entry["payload"],
      case .int(let base)? = entry["base_version"], case .int(let createdAt)? = entry["created_at"]
    else { return rejected(key, "malformed") }
    if let reason = refusal(of: payload, in: entity, createdAt: createdAt) { return rejected(key, reason) }
    let old = rows[entity]?[rowID(entity, wireID)]
    switch (operation, old) {
    case ("insert", let old?) where !old.isDeleted: return conflict(key, entity, rowID(entity, wireID), old)
    case ("insert", let old?) where !traits.echoesOwnWrites && old.version != base:
      // Who does not see what it wrote must have seen everything before.
      return conflict(key, entity, rowID(entity, wireID), old)
    case ("update", nil), ("delete", nil): return ["op_id": .string(key), "outcome": "gone"]
    case ("update", let old?) where old.isDeleted: return ["op_id": .string(key), "outcome": "gone"]
    case ("update", let old?) where traits.isStrict && old.version != base,
      ("delete", let old?) where traits.isStrict && old.version != base && !old.isDeleted:
      return conflict(key, entity, rowID(entity, wireID), old)
    default: break
    }
    let id = operation == "insert" ? name(entity, wireID) : rowID(entity, wireID)
    var row = old ?? .none
    // A row that exists anew has all its columns, without values.
    if operation == "insert" { row.fields = row.fields.mapValues { _ in .null } }
    for member in payload { row.fields[member.name] = member.value }
    var isCorrected = false
    if case .correction = fault, operation != "delete" {
      row.fields["corrected"] = .int(row.version)
      isCorrected = true
    }
    row.isDeleted = operation == "delete"
    row.writer = nil
    note(payload, of: "\(entity)/\(deviceID(entity, id))")
    row = put(row, entity, id)
    return applied(key, entity, id, wireID, row, fault, withRow: isCorrected)
  }

  private func applied(
    _ key: String, _ entity: String, _ id: String, _ wireID: String, _ row: Row, _ fault: Fault, withRow: Bool
  ) -> JSON {
    var members: [JSON.Member] = [
      JSON.Member("op_id", .string(key)), JSON.Member("outcome", "applied"),
      JSON.Member("updated_at", time(row.updatedAt)),
    ]
    if case .noVersion = fault {} else { members.append(JSON.Member("version", .int(row.version))) }
    if id != wireID { members.append(JSON.Member("id", .string(id))) }
    if withRow { members.append(JSON.Member("server", json(row, entity, id))) }
    return .object(members)
  }

  /// Why the server does not take a change; nil when it does.
  private func refusal(of payload: [JSON.Member], in entity: String, createdAt: Int64) -> String? {
    let isRefused = payload.contains { member in
      if case .int(let number) = member.value { return traits.refusesValues && number % 8 == 3 }
      return member.value == .string("refused")
    }
    if isRefused { return "a value is refused" }
    if traits.refusesFuture, createdAt > wallMilliseconds + 60_000 { return "a time lies in the future" }
    guard traits.checksParents, case .string(let parent)? = payload.first(where: { $0.name == "note" })?.value
    else { return nil }
    let isKnown = (rows["notes"] ?? [:]).contains { deviceID("notes", $0.key) == parent }
    return isKnown ? nil : "unknown parent"
  }

  private func rejected(_ key: String, _ reason: String) -> JSON {
    ["op_id": .string(key), "outcome": "rejected", "reason": .string(reason)]
  }

  private func conflict(_ key: String, _ entity: String, _ id: String, _ row: Row) -> JSON {
    ["op_id": .string(key), "outcome": "conflict", "server": json(row, entity, id)]
  }

  @discardableResult
  private mutating func put(_ row: Row, _ entity: String, _ id: String) -> Row {
    var row = row
    contents.order += 1
    row.version = max(row.version, purged["\(entity)/\(id)"] ?? 0) + 1
    row.updatedAt = wallMilliseconds / traits.clockStep * traits.clockStep
    row.order = contents.order
    contents.rows[entity, default: [:]][id] = row
    return row
  }

  /// A device has heard that the server holds its change of a row: where the server shows nobody its own writes, it
  /// shows this one no more.
  mutating func hasHeard(_ device: Int, of entity: String, _ wireID: String, version: Int64) {
    let id = rowID(entity, wireID)
    if rows[entity]?[id]?.version == version { contents.rows[entity]?[id]?.writer = device }
  }

  // MARK: Others

  /// Somebody else's edit; nil deletes.
  package mutating func edit(_ entity: String, _ id: String, _ fields: [String: JSON]?) {
    var row = rows[entity]?[id] ?? .none
    if row.isDeleted { row.fields = row.fields.mapValues { _ in .null } }
    row.isDeleted = fields == nil
    row.fields.merge(fields ?? [:]) { $1 }
    row.writer = nil
    note([], of: "\(entity)/\(deviceID(entity, id))")
    put(row, entity, id)
  }

  /// The server begins anew: its cursors say nothing any more.
  package mutating func changeEpoch() { epoch += 1 }

  /// The copy that pages come from catches up.
  mutating func publish() { shown = contents }

  /// The server loses what was written since the backup.
  mutating func rewind(to backup: Contents) {
    // Versions and places are given anew, so that the cursors of before would mean others.
    contents = backup
    shown = backup
    changeEpoch()
  }

  /// The server forgets which rows were deleted, and every cursor of before.
  mutating func purge() {
    horizon = contents.order
    purges += 1
    for (entity, byID) in contents.rows {
      for (id, row) in byID where row.isDeleted {
        purged["\(entity)/\(id)"] = row.version
        contents.rows[entity]?[id] = nil
      }
    }
    publish()
  }
}
