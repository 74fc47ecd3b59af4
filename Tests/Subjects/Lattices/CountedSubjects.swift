package import MutantZoo
import RejoinCore
import RejoinTesting

/// The library's counter as a type of the zoo: what the zoo's resettable counters are meant to be.
package struct LibraryCounter: StateBased, IntendedCounter, Hashable {
  private var record: CountedRecord

  package init(replica number: Int, of count: Int) { record = CountedRecord(number) }

  package mutating func apply(_ operation: CounterOperation, clockMilliseconds: Int64) {
    record.edit(clockMilliseconds) { edits throws(CountedEditError) in
      switch operation {
      case .increment: try edits.increment("f", by: 1)
      case .reset: edits.reset("f")
      }
    }
  }

  package mutating func merge(_ other: LibraryCounter) { record.merge(other.record) }

  package mutating func crash() { record.crash() }

  package var observation: Int { if case .int(let sum)? = record.value { Int(sum) } else { 0 } }
}

/// The library's set as a type of the zoo.
package struct LibrarySet: StateBased, IntendedSet, Hashable {
  private var record: CountedRecord

  package init(replica number: Int, of count: Int) { record = CountedRecord(number) }

  package mutating func apply(_ operation: SetOperation, clockMilliseconds: Int64) {
    record.edit(clockMilliseconds) { edits throws(CountedEditError) in
      switch operation {
      case .add(let element): try edits.insert(.int(Int64(element)), into: "f")
      case .remove(let element): try edits.remove(.int(Int64(element)), from: "f")
      case .collect: break
      }
    }
  }

  package mutating func merge(_ other: LibrarySet) { record.merge(other.record) }

  package mutating func crash() { record.crash() }

  package var observation: [Int] {
    guard case .array(let elements)? = record.value else { return [] }
    return elements.compactMap { if case .int(let element) = $0 { Int(element) } else { nil } }
  }
}

/// One record with one counter or set, whose clock is whatever the wall shows: no time decides anything.
private struct CountedRecord: Hashable {
  private static let key = RecordKey("things", RecordID(high: 1, low: 1))
  private let number: Int
  private var crashes = 0
  private var edits: UInt64 = 0
  private var packed = RecordPacker.fragment(
    life: nil, values: [(.existence, true)],
    precedence: Precedence(
      timestamp: Timestamp(time: HybridTime(rawValue: 1), replica: ReplicaID(rawValue: 1))))

  init(_ number: Int) { self.number = number }

  private var shown: [PackedRegister] { packed.shown(latestAcceptable: .distantFuture) { _ in true } }

  var value: Value? { packed.fields(shown)["f"] }

  mutating func edit(
    _ wallMilliseconds: Int64, _ change: (inout CountedEdits) throws(CountedEditError) -> Void
  ) {
    let session = UInt64(number * 1_000 + crashes + 1)
    // Never the same twice, but as often as not earlier than what it replaces.
    edits += 1
    let time = HybridTime(rawValue: UInt64(max(wallMilliseconds, 0)) << 16 | edits & 0xffff)
    let timestamp = Timestamp(time: time, replica: ReplicaID(rawValue: session))
    var edits = CountedEdits(of: packed, shown: shown, session: { session }, timestamp: timestamp)
    do {
      try change(&edits)
    } catch {
      preconditionFailure("no history counts so far: \(error)")
    }
    merge(RecordPacker.fragment(life: nil, writes: edits.writes))
  }

  mutating func merge(_ other: CountedRecord) { merge(other.packed) }

  private mutating func merge(_ fragment: PackedRecord) {
    let rules = MergeRules(latestAcceptable: .distantFuture, own: .init(), through: .init())
    packed = RecordMerger(fragment, into: packed, key: Self.key, rules: rules).result
  }

  mutating func crash() { crashes += 1 }

  static func == (left: CountedRecord, right: CountedRecord) -> Bool {
    left.packed == right.packed && left.number == right.number && left.crashes == right.crashes
      && left.edits == right.edits
  }

  func hash(into hasher: inout Hasher) { hasher.combine(packed.bytes) }
}
