import Rejoin
import RejoinCore

/// Taking back what a refused entry wrote.
extension ServerTransaction {
  /// Takes back what a refused entry wrote: the server's values come back, unless something was written since.
  ///
  /// What nobody has decided to give up enters the conflict ledger.
  mutating func discard(
    _ lane: Lane, _ entry: OutboxEntry, _ configuration: OutboxConfiguration, isDecided: Bool = true
  ) throws {
    if case .record(let key) = entry.subject, let record = try record(key) {
      let shadow = try shadow(of: entry.subject)
      let exists = shadow.map { !$0.isDeleted } ?? false
      // Where the server has begun anew, what it had before is the best guess until its row comes.
      let former = try shadow ?? lastShadow(of: entry.subject)
      var fields: [FieldName: Value] = [:]
      for (field, register) in record.fields where entry.through.covers(register.precedence.timestamp) {
        guard lane.acknowledged.awaits(register.precedence.timestamp) else { continue }
        fields[field] = try PlainForm.value(
          of: former?[field] ?? .null, as: configuration.kinds[key.collection]?[field], like: register.value)
      }
      let losers = isDecided ? [] : Set(fields.keys)
      let isShared = record.fields.values.contains { register in
        register.value != .null
          && !lane.acknowledged.origins.contains(register.precedence.timestamp.replica)
      }
      let isAnswered = record.timestamps.contains { entry.through.awaits($0) }
      switch entry.operation {
      case .insert where !exists && isAnswered:
        // The record stays for the sake of what was written since, and goes out as a whole.
        var lane = lane
        lane.thaw()
        lane.rounds = 0
        return try keep(lane)
      case .insert where !exists && isShared && record.isAlive:
        // Others have written to it: theirs stays, and is theirs to send.
        try write(ServerWrite(key: key, isAlive: true, fields: fields, milliseconds: 0, concurrent: losers))
      case .insert where !exists:
        // Should somebody else have sent the record, it comes back with the server's row.
        var deleted = try shadow ?? Shadow(epoch: number("epoch"))
        (deleted.isDeleted, deleted.isAbsent) = (true, false)
        try keep(deleted, of: entry.subject)
        try write(ServerWrite(key: key, isAlive: false, fields: [:], milliseconds: 0, concurrent: losers))
      case .insert where record.isAlive, .update where record.isAlive:
        try write(ServerWrite(key: key, isAlive: true, fields: fields, milliseconds: 0, concurrent: losers))
      case .delete where !isAnswered && exists && !record.isAlive:
        if var adopted = shadow, adopted.isUnadopted {
          // What came while the record was deleted here is what it shows from now on.
          adopted.isUnadopted = false
          try keep(adopted, of: entry.subject)
        }
        for (field, json) in shadow?.fields ?? [:] where !record.counted.contains(field) {
          fields[field] = try PlainForm.value(
            of: json, as: configuration.kinds[key.collection]?[field], like: record.fields[field]?.value)
        }
        try write(ServerWrite(key: key, isAlive: true, fields: fields, milliseconds: 0, concurrent: losers))
      case .insert, .update, .delete: break
      }
    }
    try moveOn(lane, past: entry)
  }
}
