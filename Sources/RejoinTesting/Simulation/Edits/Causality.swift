import RejoinCore

/// What may show after edits of which some did not know of each other: the causal specification.
///
/// It knows no time. Each edit is judged by what its own replica had seen: whether the rules allow it, which count of
/// lives it reaches, in which life it writes. Shown may be, of each field, what was written in the life that counts
/// and overwritten by nobody who had seen it.
package struct Causality {
  private let past: Past<Edit>
  private var effects: [Effect] = []
  private var counts = CausalCounts()
  private var fault: String?

  private init(_ past: Past<Edit>) {
    self.past = past
    guard let notes = past.notes?.value(CausalNotes.init) else {
      for event in past.events { add(event) }
      return
    }
    for event in past.events {
      let consequences = notes.consequences(of: event) ?? consequences(of: event)
      effects += consequences.effects
      counts.add(consequences.counts)
      fault = fault ?? consequences.fault
      notes.note(consequences, of: event)
    }
  }

  /// What an edit does, by itself.
  private func consequences(of event: Past<Edit>.Event) -> CausalNotes.Consequences {
    var after = self
    (after.counts, after.fault) = (CausalCounts(), nil)
    after.add(event)
    return CausalNotes.Consequences(
      effects: Array(after.effects[effects.count...]), counts: after.counts, fault: after.fault)
  }

  /// What is wrong with showing something; nil when nothing is.
  package static func objection(to content: Content, after past: Past<Edit>) -> String? {
    if content.fault != nil { return "a rule of the library was broken on the way" }
    let notes = past.notes?.value(CausalNotes.init)
    if let notes, notes.approves(content, after: past) { return nil }
    let causality = Causality(past)
    if let fault = causality.fault { return fault }
    for record in 0..<Edit.recordCount {
      if let notes, notes.approves(content.records[record], of: record, after: past) { continue }
      let view = causality.view(of: record, causality.effects)
      if let objection = view.objection(to: content.records[record]) {
        return "record \(record): \(objection)"
      }
      if let shown = content.records[record],
        let objection = causality.counts.objection(to: shown, of: record, after: past)
      {
        return "record \(record): \(objection)"
      }
    }
    if let objection = causality.objection(toLog: content.log) { return objection }
    notes?.approve(content, after: past)
    return nil
  }

  private func view(of record: Int, _ effects: [Effect]) -> View {
    View(effects.filter { $0.record == record }, past)
  }

  // MARK: Edits

  private mutating func add(_ event: Past<Edit>.Event) {
    let seen = effects.filter { past.precedes($0.event, event) }
    switch event.operation {
    case .commit(let writes):
      var written: [Effect] = []
      var counted = CausalCounts()
      var fault: String?
      for (place, write) in writes.enumerated() {
        let view = view(of: write.record, seen + written)
        if case .count(let record, let counting, let hasHappened) = write {
          guard view.isVisible else { return }
          if !hasHappened { fault = fault ?? "\(write) was refused" }
          if counting != .startAfresh { counted.add(counting, to: record, event, place: place) }
          continue
        }
        if case .insert(let record, _) = write, view.isDeleted {
          counted.add(.startAfresh, to: record, event, place: place)
        }
        guard let more = consequences(of: write, event, in: view) else { return }
        // A transaction's later writes replace its earlier ones.
        written.removeAll { earlier in more.contains { $0.replaces(earlier) } }
        written += more
      }
      effects += written
      counts.add(counted)
      self.fault = self.fault ?? fault
    case .commitUnknown(let record, let value):
      let view = view(of: record, seen)
      guard view.isVisible else { return }
      effects.append(
        Effect(
          event: event, record: record, life: view.count, field: Edit.unknownField, values: [value]))
    case .given(let content):
      for (record, shown) in content.records { given(shown, record, event) }
    case .append, .abandon, .suffer, .sufferNextMerge, .mixUpReceivers, .resolve: break
    }
  }

  private mutating func given(_ shown: Content.Record, _ record: Int, _ event: Past<Edit>.Event) {
    let life = shown.isAlive ? shown.count : shown.count - 1
    if shown.count > 1 { effects.append(Effect(event: event, record: record, life: shown.count)) }
    // There may be no field at all, and the record exists all the same.
    let fields = shown.fields.mapValues { [$0] }.merging([View.existence: []]) { $1 }
    for (field, values) in fields where field != Edit.counterField && field != Edit.setField {
      effects.append(Effect(event: event, record: record, life: life, field: field, values: values))
    }
    counts.add(given: shown, record, event)
  }

  /// What a write does where this is seen; nil when the rules refuse it.
  private func consequences(of write: Write, _ event: Past<Edit>.Event, in view: View) -> [Effect]? {
    let record = write.record
    func writing(_ fields: [String: [Value]], life: UInt64) -> [Effect] {
      fields.map { Effect(event: event, record: record, life: life, field: $0.key, values: $0.value) }
    }
    let next = view.count + 1
    let beginning = Effect(event: event, record: record, life: next)
    switch write {
    case .insert(_, let fields):
      guard !view.isVisible else { return nil }
      let written = fields.isEmpty ? [View.existence: []] : fields.mapValues { [$0] }
      return view.isDeleted
        ? [beginning] + writing(written, life: next) : writing(written, life: view.count)
    case .set(_, let fields):
      return view.isVisible ? writing(fields.mapValues { [$0] }, life: view.count) : nil
    case .delete: return view.isVisible ? [beginning] : nil
    case .restore: return view.isDeleted ? [beginning] + writing(view.fields, life: next) : nil
    case .count: return nil
    }
  }

  // MARK: Logs

  /// Every entry is there, once, and after those that its writer had seen.
  private func objection(toLog log: [String]) -> String? {
    var given: [String] = []
    var entries: [(event: Past<Edit>.Event, text: String)] = []
    for event in past.events {
      switch event.operation {
      case .append(let text): entries.append((event, text))
      case .given(let content): given = content.log
      default: break
      }
    }
    let expected = given + entries.map(\.text)
    guard log.count == expected.count, Set(log) == Set(expected) else {
      return "the log should hold \(expected.joined(separator: " "))"
    }
    // Whoever writes now has seen what is given.
    guard log.starts(with: given) else { return "the log should begin with \(given.joined(separator: " "))" }
    let places = Dictionary(log.enumerated().map { ($1, $0) }, uniquingKeysWith: { $1 })
    for (earlier, first) in entries {
      for (later, second) in entries
      where places[first] ?? 0 > places[second] ?? 0 && past.precedes(earlier, later) {
        return "log entry \(second) was made by somebody who had seen \(first)"
      }
    }
    return nil
  }
}

/// What an edit that the rules allow does to a record: it reaches a count of lives, or writes a field.
final class Effect: Sendable {
  let event: Past<Edit>.Event
  let record: Int
  /// The count that is reached, or in which the field is written.
  let life: UInt64
  let field: String?
  /// What is written; one of several when a restored record's field had several that might show.
  let values: [Value]

  init(event: Past<Edit>.Event, record: Int, life: UInt64, field: String? = nil, values: [Value] = []) {
    (self.event, self.record, self.life, self.field, self.values) = (event, record, life, field, values)
  }

  func replaces(_ other: Effect) -> Bool {
    record == other.record && life == other.life && field == other.field
  }
}

/// What effects on one record come to.
private struct View {
  /// The field that only says that a record exists; it holds nothing that shows.
  static let existence = ""

  /// How often the record came to life and was deleted.
  let count: UInt64

  /// Of each field of the life that runs or ended last, the values that may show.
  let fields: [String: [Value]]

  var isDeleted: Bool { count % 2 == 0 }

  var isVisible: Bool { !isDeleted && !fields.isEmpty }

  init(_ effects: [Effect], _ past: Past<Edit>) {
    let count = effects.reduce(1) { $1.field == nil ? max($0, $1.life) : $0 }
    self.count = count
    let writes = effects.filter { $0.field != nil && $0.life == (count % 2 == 1 ? count : count - 1) }
    let heads = writes.filter { write in
      !writes.contains { $0.field == write.field && past.precedes(write.event, $0.event) }
    }
    fields = heads.reduce(into: [:]) { $0[$1.field ?? View.existence, default: []] += $1.values }
  }

  func objection(to shown: Content.Record?) -> String? {
    guard isDeleted || isVisible else { return shown == nil ? nil : "it was never inserted" }
    guard let shown else { return "it vanished" }
    guard shown.count == count else { return "its count should be \(count)" }
    for (name, values) in fields.sorted(by: { $0.key < $1.key }) where name != View.existence {
      guard let value = shown.fields[name] else { return "\(name) vanished" }
      guard values.contains(value) else {
        return "\(name) should be \(Set(values.map(Content.text)).sorted().joined(separator: " or "))"
      }
    }
    let strays = shown.fields.keys.filter {
      fields[$0] == nil && $0 != Edit.counterField && $0 != Edit.setField
    }.sorted()
    return strays.isEmpty ? nil : "\(strays.joined(separator: ", ")) was not written in this life"
  }
}
