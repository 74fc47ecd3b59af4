import Rejoin
import RejoinCore
import RejoinOutbox

/// What people do at a device: they write, and they decide what becomes of what was refused.
extension OutboxWorld {
  // MARK: Writing

  private mutating func value() -> Value {
    if server.traits.byteLimit != nil, below(8) == 0 {
      let number = fates?.next(0) ?? Int64(below(3))
      return .string(String(repeating: "x", count: 420) + String(number))
    }
    // The server refuses one in eight, where it does.
    let bits = below(8) == 0 ? 3 : below(3)
    return .int(fates?.next(bits) ?? Int64(bits))
  }

  mutating func write(at number: Int) throws {
    let replica = devices[number].outbox.replica
    let visible = try replica.records(in: Self.collection).map(\.id)
    switch isNarrow && below(2) == 0 ? 1 + below(2) : below(13) {
    case 0 where visible.count < (isNarrow ? 1 : 4):
      let id = replica.newID()
      let value = value()
      trace.append("\(number) inserts \(id)")
      devices[number].made.insert("notes/\(id)")
      try wrote(["a": value], to: id, in: Self.collection, at: number) {
        try replica.insert(["a": value], id: id, in: Self.collection)
      }
    case 1: try delete(in: Self.collection, at: number)
    // Document 000's server makes another account of one that is restored.
    case 2 where tongue != .accounts: try restore(in: Self.collection, at: number)
    case 3 where tongue != .accounts:
      appended += 1
      devices[number].appended.insert(.int(Int64(appended)))
      try replica.append(["number": .int(Int64(appended))], to: Self.log)
    case 10 where !visible.isEmpty:
      let (id, parent) = (replica.newID(), visible[below(visible.count)])
      let value = value()
      trace.append("\(number) inserts part \(id) of \(parent)")
      try wrote(["a": value, "note": .record(parent)], to: id, in: Self.children, at: number) {
        try replica.insert(["a": value, "note": .record(parent)], id: id, in: Self.children)
      }
    case 11: try set(in: Self.children, at: number)
    case 12 where below(3) == 0: try delete(in: Self.children, at: number)
    default: try set(in: Self.collection, at: number)
    }
  }

  private mutating func someone(in collection: Collection, at number: Int) throws -> RecordID? {
    let visible = try devices[number].outbox.replica.records(in: collection).map(\.id)
    return visible.isEmpty ? nil : visible[below(visible.count)]
  }

  private mutating func set(in collection: Collection, at number: Int) throws {
    guard let id = try someone(in: collection, at: number) else { return }
    try set(FieldName(["a", "b"][below(2)]), of: id, to: value(), in: collection, at: number)
  }

  mutating func set(
    _ field: FieldName, of id: RecordID, to value: Value, in collection: Collection, at number: Int
  ) throws {
    let replica = devices[number].outbox.replica
    trace.append("\(number) sets \(field) of \(id) to \(value.json.text().suffix(12))")
    try wrote([field: value], to: id, in: collection, at: number) {
      try replica.set([field: value], id: id, in: collection)
    }
  }

  private mutating func delete(in collection: Collection, at number: Int) throws {
    guard let id = try someone(in: collection, at: number) else { return }
    let replica = devices[number].outbox.replica
    trace.append("\(number) deletes \(id)")
    let name = name(of: id, in: collection)
    fates?.returns(name)
    try closeShown(of: id, in: collection, at: number)
    try wrote([:], to: id, in: collection, at: number) { try replica.delete(id, in: collection) }
  }

  private mutating func restore(in collection: Collection, at number: Int) throws {
    let replica = devices[number].outbox.replica
    let visible = try replica.records(in: collection).map(\.id)
    let deleted = try replica.records(in: collection, includingDeleted: true).map(\.id)
      .filter { !visible.contains($0) }
    guard !deleted.isEmpty else { return }
    let id = deleted[below(deleted.count)]
    trace.append("\(number) restores \(id)")
    let name = name(of: id, in: collection)
    fates?.returns(name)
    for field in ["a", "b", "corrected"] { devices[number].written.insert("\(name)/\(field)") }
    try wrote([:], to: id, in: collection, at: number) { try replica.restore(id, in: collection) }
    for (field, value) in try replica.fields(of: id, in: collection) ?? [:] {
      fates?.rewrite(ValueFates.text(name, field.text, value.json), at: number)
    }
  }

  /// Notes a write; what it replaces was seen by whoever wrote.
  private mutating func wrote(
    _ fields: [FieldName: Value], to id: RecordID, in collection: Collection, at number: Int,
    _ body: () throws -> Void
  ) throws {
    let subject = name(of: id, in: collection)
    let before = try devices[number].outbox.replica.fields(of: id, in: collection) ?? [:]
    try body()
    devices[number].written.insert(subject)
    for (field, value) in fields {
      devices[number].written.insert("\(subject)/\(field)")
      let old = before[field].map { ValueFates.text(subject, field.text, $0.json) }
      if let old { fates?.close(old) }
      if field != "note" {
        fates?.write(ValueFates.text(subject, field.text, value.json), at: number, over: old)
      }
    }
    devices[number].uncut.insert(subject)
    let state = try devices[number].outbox.state(of: id, in: collection)
    guard state != .synced else {
      throw Failure(description: "device \(number) says that \(subject) is synced, just after a write")
    }
  }

  /// Somebody who sees all the values of a record lets them go.
  mutating func closeShown(of id: RecordID, in collection: Collection, at number: Int) throws {
    let name = name(of: id, in: collection)
    for (field, value) in try devices[number].outbox.replica.fields(of: id, in: collection) ?? [:] {
      fates?.close(ValueFates.text(name, field.text, value.json))
    }
  }

  // MARK: Deciding

  /// Somebody looks at what was refused, and sends it again, gives it up, or writes something else.
  mutating func decide(at number: Int) throws {
    let letters = try devices[number].outbox.deadLetters()
    guard !letters.isEmpty else { return }
    let letter = letters[below(letters.count)]
    switch below(3) {
    case 0: try retry(letter, at: number)
    case 1: try discard(letter, at: number)
    default: try edit(letter, at: number)
    }
  }

  mutating func retry(_ letter: DeadLetter, at number: Int) throws {
    trace.append("\(number) retries \(letter.id)")
    try devices[number].outbox.retry(letter.id)
    devices[number].letters[letter.id.description] = nil
    guard !letter.isUndecided else { return }
    // A server that remembers what it refused would go on refusing.
    devices[number].retired.insert(letter.id.description)
    devices[number].keys[name(of: letter.entry.subject)] = nil
  }

  mutating func discard(_ letter: DeadLetter, at number: Int) throws {
    trace.append("\(number) discards \(letter.id)")
    let subject = name(of: letter.entry.subject)
    let entry: JSON = [
      "op_id": .string(letter.id.description), "op": .string(letter.entry.operation.rawValue),
      "payload": .object(letter.entry.payload),
    ]
    try noteDiscard(of: entry, subject, at: number)
    try devices[number].outbox.discard(letter.id)
  }

  /// Somebody gives up what an entry says, or the policy of one of its fields does.
  mutating func noteDiscard(of entry: JSON, _ subject: String, at number: Int) throws {
    guard case .string(let key)? = entry["op_id"], case .object(let payload)? = entry["payload"] else {
      return
    }
    fates?.returns(subject)
    for member in payload { fates?.close(ValueFates.text(subject, member.name, member.value)) }
    let parts = subject.split(separator: "/").map(String.init)
    if parts[0] == Self.log.text {
      payload.first.map { _ = forgotten.insert($0.value) }
    } else if entry["op"] == "insert", let id = RecordID(parts[1]) {
      try closeShown(of: id, in: Collection(parts[0]), at: number)
    }
    devices[number].letters[key] = nil
    devices[number].retired.insert(key)
    devices[number].keys[subject] = nil
  }

  mutating func edit(_ letter: DeadLetter, at number: Int) throws {
    guard case .record(let key) = letter.entry.subject,
      try devices[number].outbox.replica.fields(of: key.id, in: key.collection) != nil
    else { return }
    let value = fates?.next(0) ?? Int64(below(3))
    for member in letter.entry.payload where member.name != "note" {
      try set(FieldName(member.name), of: key.id, to: .int(value), in: key.collection, at: number)
    }
    if letter.entry.payload.isEmpty {
      try set("a", of: key.id, to: .int(value), in: key.collection, at: number)
    }
  }
}
