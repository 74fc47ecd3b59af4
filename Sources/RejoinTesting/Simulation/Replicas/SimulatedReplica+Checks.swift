import Rejoin
import RejoinCore

extension SimulatedReplica {
  /// What shows, also of what lies beneath deletions and of what only later versions know.
  func content() throws -> Content {
    let reading = try reading()
    var content = Content()
    if storage.commitCount == nil {
      try show(reading.held, in: &content, nil, isLogStale: true)
    } else {
      content = try memo.content(of: reading, wallMilliseconds: environment.wallMilliseconds) {
        try show(reading.held, in: &$0, $1, isLogStale: $2)
      }
    }
    let held = reading.held
    content.fingerprint = Content.Fingerprint(
      version: replica.version, digest: held.digest, ledger: held.ledgerFingerprint)
    return content
  }

  /// The same where something was seen to be wrong.
  func content(fault: String) -> Content {
    var content = (try? content()) ?? Content()
    content.fault = fault
    return content
  }

  /// Brings up to date what shows of some records, or of all, and the log.
  private func show(
    _ held: Held, in content: inout Content, _ stale: Set<RecordKey>?, isLogStale: Bool
  ) throws {
    let keys = (0..<Edit.recordCount).map { Self.key($0) }
    for collection in Set((stale ?? Set(keys)).map(\.collection)) {
      let listed = try replica.records(in: collection, includingDeleted: true)
      for (number, key) in keys.enumerated() where key.collection == collection {
        content.records[number] = nil
        for record in listed where record.id == key.id {
          let stored = held.records[key]
          let count = stored?.life?.count ?? 1
          if record.isDeleted != (count % 2 == 0) {
            content.fault = "what is deleted is listed as if it were not"
          }
          var shown = Dictionary(uniqueKeysWithValues: record.fields.map { ($0.key.text, $0.value) })
          for register in stored?.registers ?? []
          where register.precedence.life == (record.isDeleted ? count - 1 : count) {
            guard let stored else { continue }
            let (address, value) = (stored.packed.address(of: register), stored.packed.value(of: register))
            if address.kind > RegisterKind.plain { shown[Edit.name(of: address)] = value }
          }
          content.records[number] = Content.Record(count: count, fields: shown)
        }
      }
    }
    if isLogStale { content.log = try replica.log(Self.log).compactMap(\.entry.text) }
  }

  /// Whether what people read is what there is: without the deleted ones, and one by one.
  func readsAgree() throws -> Bool {
    for collection in Set((0..<Edit.recordCount).map { Self.key($0).collection }) {
      let all = try replica.records(in: collection, includingDeleted: true)
      let visible = try replica.records(in: collection)
      let expected = all.filter { !$0.isDeleted }
      guard visible.map(\.id) == expected.map(\.id), visible.map(\.fields) == expected.map(\.fields) else {
        return false
      }
      for record in all {
        let alone = try replica.fields(of: record.id, in: collection)
        guard alone == (record.isDeleted ? nil : record.fields) else { return false }
      }
      guard try queriesAgree(visible, in: collection) else { return false }
    }
    return true
  }

  /// Whether queries find and sort what a filter over all visible records does, by indexes where there are any.
  private func queriesAgree(_ visible: [UntypedRecord], in collection: Collection) throws -> Bool {
    for value in [Value.null, 1, 2, 3] {
      let found = try replica.records(in: collection, where: .equals(Self.indexedField, value))
      guard found == visible.filter({ ($0.fields[Self.indexedField] ?? .null) == value }) else {
        return false
      }
    }
    let sorted = try replica.records(in: collection, sort: .ascending(Self.indexedField), limit: 2)
    let expected = visible.sorted { left, right in
      let keys = [left, right].map { QueryKey($0.fields[Self.indexedField] ?? .null) }
      return keys[0] == keys[1] ? left.id < right.id : keys[0] < keys[1]
    }
    return sorted == Array(expected.prefix(2))
  }

  /// The field by which every other replica has an index, so that those with and without one are held together.
  static var indexedField: FieldName { "a" }
}
