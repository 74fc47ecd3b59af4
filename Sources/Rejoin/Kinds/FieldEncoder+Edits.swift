import RejoinCore

extension FieldEncoder {
  /// What inserting a record with these fields writes: those that are not nil, counters that are not 0, and the
  /// elements of sets.
  static func edits(inserting fields: [Field]) -> FieldEdits {
    var edits = FieldEdits()
    for field in fields {
      switch (field.kind, field.value) {
      case (.counter, .int(let number)?): edits.increments[field.name] = number == 0 ? nil : number
      case (.set, .array(let elements)?): edits.inserted[field.name] = elements.isEmpty ? nil : elements
      case (_, let value): edits.plain[field.name] = value
      }
    }
    return edits
  }

  /// What makes a record that shows `old` show these fields: those that became nil are cleared, counters are changed
  /// by the difference, and elements that were inserted again are written again.
  static func edits(
    from old: [FieldName: Value], to fields: [Field], at key: RecordKey
  ) throws -> FieldEdits {
    var edits = FieldEdits()
    for field in fields {
      let before = old[field.name] ?? .null
      switch (field.kind, field.value) {
      case (.counter(isReset: true), .int(let number)?):
        edits.resets.insert(field.name)
        if number != 0 { edits.increments[field.name] = number }
      case (.counter, .int(let number)?):
        let start: Int64 = if case .int(let number) = before { number } else { 0 }
        let (difference, overflow) = number.subtractingReportingOverflow(start)
        if overflow { throw ReplicaError.counterOverflow(key, field: field.name) }
        if difference != 0 { edits.increments[field.name] = difference }
      case (.set(let inserted), .array(let elements)?):
        let start: Set<Value> = if case .array(let elements) = before { Set(elements) } else { [] }
        let goal = Set(elements)
        let added = goal.subtracting(start).union(goal.intersection(inserted))
        let removed = start.subtracting(goal)
        if !added.isEmpty { edits.inserted[field.name] = added.sorted() }
        if !removed.isEmpty { edits.removed[field.name] = removed.sorted() }
      case (_, let value):
        if before != value ?? .null { edits.plain[field.name] = value ?? .null }
      }
    }
    return edits
  }
}
