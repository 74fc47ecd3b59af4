import Rejoin
import RejoinCore

extension SimulatedReplica {
  private struct Abandoned: Error {}

  /// Runs a transaction and says what it turned out to be; one that the rules refuse leaves no trace.
  mutating func commit(_ writes: [Write]) throws -> [Write] {
    let replica = replica
    let before = try snapshot()
    do {
      let performed = try replica.write { try Self.perform(writes, in: &$0) }
      if writes.count == 1 { try checkShown(writes[0]) }
      return performed
    } catch is ReplicaError {
      if try snapshotAnew() != before { note("a transaction that was refused left a trace") }
      return writes
    }
  }

  /// Runs a transaction that is given up, at its first write that the rules refuse or at its end.
  mutating func abandon(_ writes: [Write]) throws {
    let replica = replica
    let hasFailed = try leavesNoTrace {
      try replica.write { transaction in
        _ = try Self.perform(writes, in: &transaction)
        throw Abandoned()
      }
    }
    if !hasFailed { note("a transaction that was given up did not fail") }
  }

  /// Runs what must not change anything if it fails; says whether it failed.
  mutating func leavesNoTrace(_ body: () throws -> Void) throws -> Bool {
    let before = try snapshot()
    do {
      try body()
      return false
    } catch {
      if try snapshotAnew() != before { note("what failed left a trace: \(error)") }
      return true
    }
  }

  /// What somebody has just written is what they see, whatever else waits for its time.
  private mutating func checkShown(_ write: Write) throws {
    let key = Self.key(write.record)
    let shown = try replica.fields(of: key.id, in: key.collection)
    switch write {
    case .insert(_, let fields), .set(_, let fields):
      let isShown = Self.named(fields).allSatisfy { shown?[$0.key] == $0.value }
      if shown == nil || !isShown { note("an edit does not show where it was made") }
    case .delete: if shown != nil { note("a deletion does not show where it was made") }
    case .restore: if shown == nil { note("a restoration does not show where it was made") }
    case .count(_, let counting, _):
      let value = shown?[FieldName(counting.field)]
      let elements: [Value] = if case .array(let elements)? = value { elements } else { [] }
      let isShown =
        switch counting {
        case .increment: value != nil
        case .reset: value == nil || value == 0
        case .add(let element): elements.contains(element)
        case .remove(let element): !elements.contains(element)
        case .startAfresh: true
        }
      if !isShown { note("an edit of a counter or set does not show where it was made") }
    }
  }

  /// Performs writes and says what they turned out to be.
  static func perform(_ writes: [Write], in transaction: inout WriteTransaction) throws -> [Write] {
    var performed: [Write] = []
    for write in writes {
      let key = Self.key(write.record)
      switch write {
      case .count(let record, let counting, _):
        try perform(counting, on: key, in: &transaction)
        performed.append(.count(record: record, counting, hasHappened: true))
        continue
      case .insert(let record, let fields):
        let isAnew = try transaction.isDeleted(key.id, in: key.collection)
        try transaction.insert(named(fields), id: key.id, in: key.collection)
        performed.append(write)
        if isAnew { performed.append(.count(record: record, .startAfresh, hasHappened: true)) }
        continue
      case .set(_, let fields): try transaction.set(named(fields), id: key.id, in: key.collection)
      case .delete: try transaction.delete(key.id, in: key.collection)
      case .restore: try transaction.restore(key.id, in: key.collection)
      }
      performed.append(write)
    }
    return performed
  }

  private static func perform(
    _ counting: Counting, on key: RecordKey, in transaction: inout WriteTransaction
  ) throws {
    let field = FieldName(counting.field)
    switch counting {
    case .increment(let amount): try transaction.increment(field, by: amount, id: key.id, in: key.collection)
    case .reset: try transaction.reset(field, id: key.id, in: key.collection)
    case .add(let element): try transaction.insert(element, into: field, id: key.id, in: key.collection)
    case .remove(let element): try transaction.remove(element, from: field, id: key.id, in: key.collection)
    case .startAfresh: break
    }
  }

  private static func named(_ fields: [String: Value]) -> [FieldName: Value] {
    Dictionary(uniqueKeysWithValues: fields.map { (FieldName($0.key), $0.value) })
  }

  /// One id in two collections, and two ids in one of them: only both together tell records apart.
  static func key(_ record: Int) -> RecordKey {
    RecordKey(Collection("things\(record % 2)"), RecordID(high: 1, low: UInt64(1 + record / 2)))
  }

  // MARK: Logs

  static var log: LogName { "log" }

  /// Appends an entry that also says what its writer had seen.
  mutating func append(_ text: String) throws {
    let seen = replica.version.entries.map { ($0.replica.description, Value.string($0.time.description)) }
    try replica.append(["text": .string(text), "seen": .map(ValueMap(seen))], to: Self.log)
  }

  // MARK: Tomorrow's version

  static func laterVersion(_ number: Int) -> ReplicaID { ReplicaID(rawValue: UInt64(number) + 1) }

  /// Writes a register of an unknown kind, as a later version would: as a delta of a replica beside this one.
  mutating func commitUnknown(_ value: Value, of record: Int) throws {
    let key = Self.key(record)
    guard try replica.fields(of: key.id, in: key.collection) != nil else { return }
    let life = try reading().held.records[key]?.life
    let writer = Self.laterVersion(number)
    // Where the wall has stepped back, this replica's clock does not follow what the other one writes.
    var clock = HybridClock(last: max(replica.lastTime, replica.version[writer]))
    let timestamp = Timestamp(
      time: clock.tick(wallMilliseconds: environment.wallMilliseconds), replica: writer)
    let fragment = RecordPacker.fragment(
      life: life, values: [(Edit.unknownAddress, value)],
      precedence: Precedence(life: life?.count ?? 1, timestamp: timestamp))
    var through = replica.version
    through.advance(timestamp.replica, to: timestamp.time)
    try replica.merge(
      Delta(
        dataset: replica.dataset, from: replica.version, through: through,
        records: [Delta.RecordPart(key: key, fragment: fragment)], entries: []))
  }
}
