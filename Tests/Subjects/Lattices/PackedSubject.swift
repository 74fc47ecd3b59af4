import RejoinCore
package import RejoinTesting

/// Packed records and their merger, as a type that merges states.
package struct PackedSubject: StateBased, RecordKeeping {
  private let number: Int
  private var clock = HybridClock()
  private var vector = VersionVector()
  private var packed: [Int: PackedRecord] = [:]
  private var collisions = 0

  package init(replica number: Int, of count: Int) { self.number = number }

  package func operation(_ choices: inout Choices) -> Edit {
    Edit.draw(&choices, over: observation, writer: number, .records)
  }

  package mutating func apply(_ edit: Edit, clockMilliseconds: Int64) {
    let timestamp = clock.stamp(number, clockMilliseconds)
    perform(edit, at: timestamp)
    vector.advance(timestamp.replica, to: timestamp.time)
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
    Content(records: records, fault: collisions > 0 ? "two registers of one precedence met" : nil)
  }

  package static func expected(after edits: [Edit]) -> Content? { Notebook.content(after: edits) }

  package static func objection(to content: Content, after past: Past<Edit>) -> String? {
    Causality.objection(to: content, after: past)
  }

  // MARK: Records

  func life(of record: Int) -> Life? { packed[record]?.life }

  func registers(of record: Int) -> [RegisterAddress: LWWRegister] {
    guard let packed = packed[record] else { return [:] }
    return packed.best(fromLife: packed.life?.latest ?? 1).reduce(into: [:]) { registers, register in
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
