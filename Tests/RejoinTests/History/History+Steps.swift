import Rejoin
import RejoinCore
import TestSupport

extension History {
  private struct Abandoned: Error {}

  // MARK: Writing

  /// A transaction of one to three writes, most of which the rules allow.
  mutating func write(at index: Int) throws {
    let writes = (0..<generator.element(of: [1, 1, 1, 2, 3])).map { _ in randomWrite(at: index) }
    trace.append("write \(index) \(writes)")
    let past = pairs[index].reference.vector
    pairs[index].reference.settle()
    try pairs[index].engine.tellDue()
    let before = try Snapshot(pairs[index])
    var refusal: ReferenceReplica.Refusal?
    do {
      let stamp = try pairs[index].reference.write(writes)
      if let stamp { remember(stamp, at: index, past: past) }
    } catch let error as ReferenceReplica.Refusal {
      refusal = error
    }
    var engineRefusal: ReplicaError?
    do {
      try pairs[index].engine.write { transaction in
        for write in writes { try History.apply(write, to: &transaction) }
      }
    } catch let error as ReplicaError {
      engineRefusal = error
    }
    guard History.agree(refusal, engineRefusal) else {
      throw Failure(
        description:
          "refusals differ: engine \(String(describing: engineRefusal)), \(String(describing: refusal))")
    }
    if refusal != nil { try before.expectUnchanged(pairs[index]) }
    try check(index)
  }

  /// A transaction that is given up after its writes: no trace of it remains.
  mutating func failToWrite(at index: Int) throws {
    let writes = (0..<generator.number(below: 3)).map { _ in randomWrite(at: index) }
    trace.append("fail \(index) \(writes)")
    pairs[index].reference.settle()
    try pairs[index].engine.tellDue()
    let before = try Snapshot(pairs[index])
    do {
      try pairs[index].engine.write { transaction in
        for write in writes { try History.apply(write, to: &transaction) }
        throw Abandoned()
      }
      throw Failure(description: "the transaction did not fail")
    } catch is Abandoned {
    } catch is ReplicaError {
    }
    try before.expectUnchanged(pairs[index])
    try check(index)
  }

  private mutating func randomWrite(at index: Int) -> Reference.Write {
    let record = generator.number(below: recordCount)
    let reference = pairs[index].reference
    let isOdd = generator.succeeds(percent: 10)
    let isVisible = (reference.fields(of: record) != nil) != isOdd
    let isDeleted = (reference.count(record) % 2 == 0) != isOdd
    switch (generator.number(below: 10), isVisible, isDeleted) {
    case (9, _, _): return .append(id: generator.next(), value: generator.number(below: History.values.count))
    case (0..<2, true, _): return .delete(record: record)
    case (0..<5, false, true): return .restore(record: record)
    case (2..<5, true, _): return randomCount(record)
    case (_, true, _): return .set(record: record, fields: randomFields(atLeast: 1))
    default: return .insert(record: record, fields: randomFields(atLeast: 0))
    }
  }

  /// An edit of the counter or the set.
  private mutating func randomCount(_ record: Int) -> Reference.Write {
    let element = 1 + generator.number(below: 3)
    return switch generator.number(below: 7) {
    case 0: .reset(record: record, field: Self.visits)
    case 1, 2: .increment(record: record, field: Self.visits, by: generator.element(of: [1, 1, 2, -3]))
    case 3, 4: .add(record: record, field: Self.labels, element: element)
    default: .remove(record: record, field: Self.labels, element: element)
    }
  }

  private mutating func randomFields(atLeast least: Int) -> [Int: Int] {
    var fields: [Int: Int] = [:]
    for _ in 0..<least + generator.number(below: 3) {
      fields[1 + generator.number(below: 2)] = generator.number(below: History.values.count)
    }
    return fields
  }

  private static func apply(_ write: Reference.Write, to transaction: inout WriteTransaction) throws {
    let named = { (fields: [Int: Int]) in
      Dictionary(uniqueKeysWithValues: fields.map { (History.fields[$0.key], values[$0.value]) })
    }
    switch write {
    case .insert(let record, let fields):
      try transaction.insert(named(fields), id: records[record], in: collection)
    case .set(let record, let fields): try transaction.set(named(fields), id: records[record], in: collection)
    case .delete(let record): try transaction.delete(records[record], in: collection)
    case .restore(let record): try transaction.restore(records[record], in: collection)
    case .append(let id, let value):
      try transaction.append(["value": values[value]], to: log, id: EntryID(high: 0, low: id))
    case .increment(let record, let field, let amount):
      try transaction.increment(name(field), by: Int64(amount), id: records[record], in: collection)
    case .reset(let record, let field):
      try transaction.reset(name(field), id: records[record], in: collection)
    case .add(let record, let field, let element):
      try transaction.insert(values[element], into: name(field), id: records[record], in: collection)
    case .remove(let record, let field, let element):
      try transaction.remove(values[element], from: name(field), id: records[record], in: collection)
    }
  }

  private static func agree(_ refusal: ReferenceReplica.Refusal?, _ error: ReplicaError?) -> Bool {
    switch (refusal, error) {
    case (nil, nil), (.exists, .recordExists), (.notVisible, .recordNotVisible),
      (.notDeleted, .recordNotDeleted):
      true
    default: false
    }
  }

  // MARK: Sending

  /// Sends what the receiver lacks, one way.
  mutating func sync(from source: Int, to target: Int) throws {
    trace.append("sync \(source) -> \(target)")
    let sent = Sent(
      delta: try pairs[source].engine.delta(since: pairs[target].engine.version),
      reference: pairs[source].reference.delta(since: pairs[target].reference.vector))
    if generator.succeeds(percent: 30) { self.sent.append(sent) }
    try deliver(sent, to: target)
    if generator.succeeds(percent: 10) {
      trace.append("  twice")
      try deliver(sent, to: target)
    }
  }

  /// Delivers something old once more, to anybody.
  mutating func deliverAgain(to target: Int) throws {
    guard !sent.isEmpty else { return }
    let number = generator.number(below: sent.count)
    trace.append("stale \(number) -> \(target)")
    try deliver(sent[number], to: target)
  }

  /// Sends only what the sender itself lacks: nothing, but a gap unless the receiver knows as much.
  mutating func deliverWithGap(from source: Int, to target: Int) throws {
    trace.append("gap \(source) -> \(target)")
    let sent = Sent(
      delta: try pairs[source].engine.delta(since: pairs[source].engine.version),
      reference: pairs[source].reference.delta(since: pairs[source].reference.vector))
    try deliver(sent, to: target)
  }

  /// Merges on both sides; a gap is refused by both and changes nothing.
  private mutating func deliver(_ sent: Sent, to target: Int) throws {
    pairs[target].reference.settle()
    try pairs[target].engine.tellDue()
    let before = try Snapshot(pairs[target])
    let expected = try? pairs[target].reference.merge(sent.reference)
    do {
      let report = try pairs[target].engine.merge(sent.delta)
      guard let expected else { throw Failure(description: "a gap was merged") }
      try check(report, conflicts: expected)
    } catch ReplicaError.gap {
      guard expected == nil else { throw Failure(description: "a gap was seen where there is none") }
      try before.expectUnchanged(pairs[target])
    }
    try check(target)
  }
}
