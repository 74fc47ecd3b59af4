import RejoinCore
package import RejoinTesting

/// Packed records and their merger, as a type that merges states.
package struct PackedSubject: StateBased, RecordKeeping {
  private let number: Int
  private var clock = HybridClock()
  private var vector = VersionVector()
  private var packed: [Int: PackedRecord] = [:]
  private var collisions = 0
  private var crashes = 0
  private var lastOutcome: Edit?

  package init(replica number: Int, of count: Int) { self.number = number }

  package func operation(_ choices: inout Choices) -> Edit {
    Edit.draw(&choices, over: observation, writer: number, .countedRecords)
  }

  package mutating func apply(_ edit: Edit, clockMilliseconds: Int64) {
    let timestamp = clock.stamp(number, clockMilliseconds)
    lastOutcome = nil
    if case .commit(let writes) = edit {
      lastOutcome = .commit(writes.map { perform(counting: $0, at: timestamp) })
    } else {
      perform(edit, at: timestamp)
    }
    vector.advance(timestamp.replica, to: timestamp.time)
  }

  package func outcome(of edit: Edit) -> Edit { lastOutcome ?? edit }

  /// What comes after a crash is another session.
  package mutating func crash() { crashes += 1 }

  /// Performs a write and says what it turned out to be.
  private mutating func perform(counting write: Write, at timestamp: Timestamp) -> Write {
    guard case .count(let record, let counting, _) = write else {
      if case .insert(let record, _) = write, life(of: record).map({ !$0.isAlive }) ?? false {
        startAfresh(record, at: timestamp)
      }
      perform(write, at: timestamp)
      return write
    }
    guard let stored = packed[record] else { return write }
    let shown = stored.shown(latestAcceptable: .distantFuture) { _ in false }
    guard !shown.isEmpty else { return write }
    var edits = CountedEdits(
      of: stored, shown: shown, session: { [session] in session }, timestamp: timestamp)
    do {
      switch counting {
      case .increment(let amount): try edits.increment("n", by: amount)
      case .reset: edits.reset("n")
      case .add(let element): try edits.insert(element, into: "s")
      case .remove(let element): try edits.remove(element, from: "s")
      case .startAfresh: try edits.startAfresh()
      }
    } catch {
      return write
    }
    merge(edits, of: record)
    return .count(record: record, counting, hasHappened: true)
  }

  private var session: UInt64 { UInt64(number * 1_000 + crashes + 1) }

  /// What an insert under the id of a deleted record does to its counters and sets.
  private mutating func startAfresh(_ record: Int, at timestamp: Timestamp) {
    var edits = CountedEdits(of: packed[record], shown: [], session: { 0 }, timestamp: timestamp)
    do {
      try edits.startAfresh()
    } catch {
      preconditionFailure("no history counts so far: \(error)")
    }
    merge(edits, of: record)
  }

  private mutating func merge(_ edits: CountedEdits, of record: Int) {
    let fragment = RecordPacker.fragment(life: packed[record]?.life, writes: edits.writes)
    merge(fragment, of: record, MergeRules(localWritesOver: vector))
  }

  package mutating func merge(_ other: PackedSubject) {
    let rules = MergeRules(latestAcceptable: .distantFuture, own: vector, through: other.vector)
    for (record, state) in other.packed {
      guard let fragment = state.fragment(notCoveredBy: VersionVector()) else { continue }
      merge(fragment, of: record, rules)
    }
    vector.merge(other.vector)
    clock.observe(other.clock.last)
  }

  private mutating func merge(_ fragment: PackedRecord, of record: Int, _ rules: MergeRules) {
    let key = RecordKey("things", RecordID(high: 0, low: UInt64(record)))
    let merger = RecordMerger(fragment, into: packed[record], key: key, rules: rules)
    packed[record] = merger.result
    collisions += merger.collisions
  }

  package var observation: Content {
    var content = Content(
      records: records, fault: collisions > 0 ? "two registers of one precedence met" : nil)
    for (number, record) in packed {
      let counted = CountedFields(record, record.best(fromLife: record.life?.latest ?? 1)).fields
      for (name, field) in counted { content.records[number]?.fields[name.text] = field.value }
    }
    return content
  }

  package static func expected(after edits: [Edit]) -> Content? { Notebook.content(after: edits) }

  package static func objection(to content: Content, after past: Past<Edit>) -> String? {
    Causality.objection(to: content, after: past)
  }

  // MARK: Records

  func life(of record: Int) -> Life? { packed[record]?.life }

  func registers(of record: Int) -> [RegisterAddress: LWWRegister] {
    guard let packed = packed[record] else { return [:] }
    let best = packed.best(fromLife: packed.life?.latest ?? 1)
    return best.reduce(into: [:]) { registers, register in
      guard !register.precedence.outlivesLives else { return }
      registers[packed.address(of: register)] = LWWRegister(
        packed.value(of: register), precedence: register.precedence)
    }
  }

  mutating func join(
    _ life: Life?, _ values: [RegisterAddress: Value], at timestamp: Timestamp, of record: Int
  ) {
    let fragment = RecordPacker.fragment(
      life: life, values: values.map { ($0.key, $0.value) },
      precedence: Precedence(life: life?.count ?? 1, timestamp: timestamp))
    merge(fragment, of: record, MergeRules(localWritesOver: vector))
  }
}
