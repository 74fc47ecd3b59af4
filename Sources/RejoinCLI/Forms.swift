import Rejoin
import RejoinCore

/// The JSON and text forms that several verbs share; values have the forms of `Value.json`.
enum Form {
  /// Fields as an object, names in order of their bytes.
  static func fields(_ fields: [FieldName: Value]) -> JSON {
    .object(fields.sorted { $0.key < $1.key }.map { JSON.Member($0.key.text, $0.value.json) })
  }

  /// The values of a log entry, names in order of their bytes.
  static func values(_ values: ValueMap) -> JSON {
    .object(values.entries.map { JSON.Member($0.name, $0.value.json) })
  }

  /// A vector: replica to time, both as 16 hexadecimal digits.
  static func vector(_ vector: VersionVector) -> JSON {
    .object(vector.entries.map { JSON.Member($0.replica.description, .string($0.time.description)) })
  }

  /// A vector as text that ``vector(parsing:)`` reads.
  static func text(_ vector: VersionVector) -> String { vector.isEmpty ? "empty" : vector.description }

  /// Reads `empty` or `replica:time,...`; nil when the text is anything else.
  static func vector(parsing text: String) -> VersionVector? {
    guard text != "empty" else { return VersionVector() }
    var vector = VersionVector()
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard halves.count == 2, let replica = ReplicaID(halves[0]), let time = HybridTime(halves[1]),
        vector[replica] == .zero
      else { return nil }
      vector.advance(replica, to: time)
    }
    return vector
  }

  /// The id of one opening of a replica, as 16 hexadecimal digits.
  static func session(_ session: UInt64) -> String { ReplicaID(rawValue: session).description }

  /// Text in quotes, with escapes where they are needed.
  static func quoted(_ text: String) -> String { JSON.string(text).text() }

  /// A name as it is, in quotes only where it holds what would break a line of output or hide in it.
  static func name(_ text: String) -> String {
    let quoted = quoted(text)
    return text.isEmpty || quoted.utf8.count != text.utf8.count + 2 ? quoted : text
  }

  /// A number with its noun in the singular or with an s.
  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// A number with a noun of which the plural is irregular.
  static func count(_ number: Int, _ noun: String, plural: String) -> String {
    "\(number) \(number == 1 ? noun : plural)"
  }
}

extension Form {
  /// One side of a conflict: `{"value": …, "stamp"}` for a register, `{"life", "stamp"}` for a birth or deletion.
  static func side(_ side: Conflict.Side) -> JSON {
    switch side {
    case .register(let register):
      ["value": register.value.json, "stamp": .string(side.timestamp.description)]
    case .life(let life):
      ["life": .int(Int64(clamping: life.count)), "stamp": .string(side.timestamp.description)]
    }
  }

  /// A conflict: `{"collection", "id", "field", "winner", "loser"}`; the field is null when it concerns the
  /// whole record.
  static func conflict(_ conflict: Conflict) -> JSON {
    [
      "collection": .string(conflict.record.collection.text),
      "id": .string(conflict.record.id.description),
      "field": conflict.address.map { .string($0.field.text) } ?? .null,
      "winner": side(conflict.winner),
      "loser": side(conflict.loser),
    ]
  }

  /// A conflict as a line of text.
  static func text(_ conflict: Conflict) -> String {
    let field = conflict.address.map { " \(name($0.field.text))" } ?? ""
    return "conflict: \(name(conflict.record.collection.text)) \(conflict.record.id)\(field): "
      + "\(text(conflict.winner)) won over \(text(conflict.loser))"
  }

  static func text(_ side: Conflict.Side) -> String {
    switch side {
    case .register(let register): "\(register.value.json.text()) (\(side.timestamp))"
    case .life(let life): "\(life.isAlive ? "life" : "deletion") \(life.count) (\(side.timestamp))"
    }
  }

  /// What waits: `{"origin", "count", "offset_milliseconds"}`.
  static func waiting(_ waiting: MergeReport.Waiting) -> JSON {
    [
      "origin": .string(waiting.origin.description),
      "count": .int(Int64(waiting.count)),
      "offset_milliseconds": .int(waiting.offsetMilliseconds),
    ]
  }

  /// What waits as a line of text.
  static func text(_ waiting: MergeReport.Waiting) -> String {
    "waits: \(count(waiting.count, "record timestamp")) of replica \(waiting.origin), up to "
      + "\(waiting.offsetMilliseconds) ms beyond what this clock accepts"
  }

  /// What one merge moved and found.
  static func merge(_ report: MergeReport) -> [JSON.Member] {
    let changed = report.changes.records
    return [
      JSON.Member("registers_received", .int(Int64(report.registersReceived))),
      JSON.Member("registers_applied", .int(Int64(report.registersApplied))),
      JSON.Member("entries_received", .int(Int64(report.entriesReceived))),
      JSON.Member("ledger_entries_received", .int(Int64(report.ledgerEntriesReceived))),
      JSON.Member("entries_applied", .int(Int64(report.changes.entries.count))),
      JSON.Member("records_inserted", .int(Int64(changed.count { $0.kind == .inserted }))),
      JSON.Member("records_updated", .int(Int64(changed.count { $0.kind == .updated }))),
      JSON.Member("records_deleted", .int(Int64(changed.count { $0.kind == .deleted }))),
      JSON.Member("conflicts", .array(report.conflicts.map(conflict))),
      JSON.Member("conflicts_recorded", .int(Int64(report.conflictsRecorded))),
      JSON.Member("collisions", .int(Int64(report.collisions))),
      JSON.Member("waiting", .array(report.waiting.map(waiting))),
    ]
  }

  /// What the members of ``merge(_:)`` mean.
  static let mergeKeys = [
    Verb.Key("registers_received", "registers that the delta carried"),
    Verb.Key("registers_applied", "those that are now part of the state"),
    Verb.Key("entries_received", "log entries that the delta carried"),
    Verb.Key("ledger_entries_received", "entries of the conflict ledger that the delta carried"),
    Verb.Key("entries_applied", "those that are new here"),
    Verb.Key("records_inserted", "records that became visible"),
    Verb.Key("records_updated", "records of which visible fields changed"),
    Verb.Key("records_deleted", "records that are no longer visible"),
    Verb.Key(
      "conflicts",
      "concurrent writes that met: collection, id, field or null, winner and loser (value or life, stamp)"),
    Verb.Key("conflicts_recorded", "how many of their losers are new in the ledger"),
    Verb.Key("collisions", "writes of one name and time but unequal content: somebody copied a store"),
    Verb.Key("waiting", "what is stamped in the future: origin, count, offset_milliseconds"),
  ]

  /// What one merge moved and found, as lines of text.
  static func lines(_ report: MergeReport, from source: String, to target: String) -> [String] {
    var lines = [
      "\(source) -> \(target): \(count(report.registersReceived, "register")) "
        + "(\(report.registersApplied) applied), "
        + "\(count(report.entriesReceived, "log entry", plural: "log entries")) "
        + "(\(report.changes.entries.count) new), "
        + "\(count(report.changes.records.count, "record")) changed"
    ]
    lines += report.conflicts.map(text)
    if report.collisions > 0 {
      lines.append(
        "collisions: \(report.collisions) with one name and time but unequal content; a store was copied or "
          + "damaged")
    }
    return lines + report.waiting.map(text)
  }
}

extension Form {
  /// What is said beside a list from which records are missing, since the file holds them unreadable.
  static func notes(ofUnreadableIn collection: Collection, of replica: Replica) throws -> [String] {
    let unreadable = try replica.unreadable(in: collection)
    guard !unreadable.isEmpty else { return [] }
    return ["\(count(unreadable.count, "record")) of \(name(collection.text)) cannot be read; ask doctor"]
  }
}
