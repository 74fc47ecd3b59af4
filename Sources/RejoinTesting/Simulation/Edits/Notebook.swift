import RejoinCore

/// The sequential specification: the library as it would be on one device for ever, on dictionaries.
package struct Notebook {
  private(set) var content = Content()

  /// What shows after some edits, one after the other.
  package static func content(after edits: [Edit]) -> Content {
    var notebook = Notebook()
    for edit in edits { notebook.perform(edit) }
    return notebook.content
  }

  private mutating func perform(_ edit: Edit) {
    switch edit {
    case .commit(let writes):
      var records = content.records
      if writes.allSatisfy({ Self.perform($0, on: &records) }) { content.records = records }
    case .commitUnknown(let record, let value):
      _ = Self.set([Edit.unknownField: value], of: record, on: &content.records)
    case .given(let content): self.content = Content(records: content.records, log: content.log)
    case .append(let text): content.log.append(text)
    case .abandon, .suffer, .sufferNextMerge, .mixUpReceivers, .resolve: break
    }
  }

  /// Performs a write; false when the rules refuse it.
  static func perform(_ write: Write, on records: inout [Int: Content.Record]) -> Bool {
    let stored = records[write.record]
    switch (write, stored?.isAlive) {
    case (.insert(let record, let fields), nil):
      records[record] = Content.Record(count: 1, fields: fields)
    case (.insert(let record, let fields), false?):
      let counted = [Edit.counterField: Value.int(0), Edit.setField: []]
        .filter { stored?.fields[$0.key] != nil }
      records[record] = Content.Record(
        count: (stored?.count ?? 0) + 1, fields: fields.merging(counted) { $1 })
    case (.count(_, .startAfresh, _), true?): break
    case (.count(let record, let counting, _), true?):
      let name = counting.field
      let shown = stored?.fields[name]
      records[record]?.fields[name] = counting.applied(to: shown)
    case (.set(let record, let fields), true?): return set(fields, of: record, on: &records)
    case (.delete(let record), true?), (.restore(let record), false?): records[record]?.count += 1
    default: return false
    }
    return true
  }

  private static func set(
    _ fields: [String: Value], of record: Int, on records: inout [Int: Content.Record]
  ) -> Bool {
    guard records[record]?.isAlive == true else { return false }
    records[record]?.fields.merge(fields) { $1 }
    return true
  }
}

extension Counting {
  /// The field that it edits.
  var field: String {
    switch self {
    case .increment, .reset: Edit.counterField
    case .add, .remove: Edit.setField
    case .startAfresh: ""
    }
  }

  /// What the field shows afterwards.
  fileprivate func applied(to value: Value?) -> Value? {
    switch (self, value) {
    case (.increment(let amount), .int(let number)?): .int(number + amount)
    case (.increment(let amount), _): .int(amount)
    case (.reset, let value): value == nil ? nil : 0
    case (.add(let element), .array(let elements)?): .array(Set(elements + [element]).sorted())
    case (.add(let element), _): [element]
    case (.remove(let element), .array(let elements)?): .array(elements.filter { $0 != element })
    case (.remove, _), (.startAfresh, _): value
    }
  }
}
