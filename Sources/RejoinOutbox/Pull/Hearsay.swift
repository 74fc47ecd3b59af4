import Rejoin
import RejoinCore

/// What other devices have heard from the server, held against what it says here.
///
/// A device that has fetched everything knows the server better than one that fetched before. Yet what that one heard may
/// carry a later time: clocks differ, and it had to stand above what that device held. So once everything is fetched,
/// what others heard since the last time gives way where the server is known to hold something else.
extension ServerTransaction {
  /// Corrects what others said; costs what they said since the last time.
  mutating func correctHearsay(_ configuration: OutboxConfiguration) throws {
    for key in try takeHeard("heard", configuration) { try correct(key, configuration) }
  }

  /// The records of which other devices have heard something from the server since this was last asked for this purpose.
  mutating func takeHeard(_ purpose: String, _ configuration: OutboxConfiguration) throws -> [RecordKey] {
    let before = try keptFrontier(purpose)
    var heard = before
    var keys: [RecordKey] = []
    for origin in origins
    where origin.isProxy && !isOwnProxyOfAnyServer(origin) && time(of: origin) > before[origin] {
      keys += try changes(by: origin, after: before[origin]).records
      heard[origin] = time(of: origin)
    }
    if heard != before { try keep(text: heard.json.text(), as: purpose) }
    return keys.filter { configuration.includes(.record($0)) }
  }

  private mutating func correct(_ key: RecordKey, _ configuration: OutboxConfiguration) throws {
    let subject = Subject.record(key)
    guard let record = try record(key) else { return }
    guard let shadow = try shadow(of: subject) else { return try endShell(record, at: key) }
    guard !shadow.isDeleted else { return }
    let isHeardDeleted = !record.isAlive && record.life.map { isHearsay($0.timestamp) } ?? false
    guard record.isAlive && !shadow.isUnadopted || isHeardDeleted else { return }
    var write = ServerWrite(key: key, isAlive: true, fields: [:], milliseconds: 0)
    for (field, json) in shadow.fields where !record.counted.contains(field) {
      let local = record.fields[field]
      guard isHeardDeleted || local.map({ isHearsay($0.precedence.timestamp) }) ?? false,
        isHeardDeleted || local.flatMap({ PlainForm.json(of: $0.value) }).map(PlainForm.normal) != json
      else { continue }
      write.fields[field] = try? PlainForm.value(
        of: json, as: configuration.kinds[key.collection]?[field], like: local?.value)
    }
    guard isHeardDeleted || !write.fields.isEmpty else { return }
    if shadow.isUnadopted {
      var adopted = shadow
      adopted.isUnadopted = false
      try keep(adopted, of: subject)
    }
    try self.write(write, over: record)
  }

  /// Ends a record that the server never had, and of which nothing is left: each of those who had written to it has taken
  /// back what the server refused of it, and found the others' part still there.
  private mutating func endShell(_ record: ServedRecord, at key: RecordKey) throws {
    let isEmpty = record.fields.values.allSatisfy { register in
      register.value == .null && register.precedence.timestamp.replica.isProxy
    }
    guard isEmpty, record.isAlive, !record.fields.isEmpty else { return }
    try write(ServerWrite(key: key, isAlive: false, fields: [:], milliseconds: 0))
  }

  /// Whether another device wrote this down for the server.
  private func isHearsay(_ timestamp: Timestamp) -> Bool {
    timestamp.replica.isProxy && !isOwnProxyOfAnyServer(timestamp.replica)
  }
}
