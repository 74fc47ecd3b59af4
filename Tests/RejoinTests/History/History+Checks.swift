import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport

extension History {
  /// Everything that must stay as it is when a call fails.
  struct Snapshot {
    private let version: VersionVector
    private let lastTime: HybridTime
    private let digest: Digest
    private let state: ReplicaState

    init(_ pair: Pair) throws {
      version = pair.engine.version
      lastTime = pair.engine.lastTime
      digest = try pair.engine.digest()
      state = try pair.engine.state()
    }

    func expectUnchanged(_ pair: Pair) throws {
      let now = try Snapshot(pair)
      guard
        now.version == version, now.lastTime == lastTime, now.digest == digest, now.state == state
      else { throw Failure(description: "a call that failed left a trace") }
    }
  }

  // MARK: Engine against reference

  /// Compares everything that the engine tells about itself with the naive replica.
  func check(_ index: Int) throws {
    let (engine, reference) = (pairs[index].engine, pairs[index].reference)
    try expect(
      Dictionary(
        uniqueKeysWithValues: engine.version.entries.map { ($0.replica.rawValue, $0.time.rawValue) }),
      reference.vector, "version of \(index)")
    try expect(engine.lastTime.rawValue, reference.last, "last time of \(index)")
    try expect(
      Set(
        try engine.waiting().map {
          Reference.Waiting(record: number(of: $0.record), stamp: .init($0.timestamp))
        }),
      reference.waiting, "what waits at \(index)")
    let log = try engine.log(History.log).map { id, entry in
      Reference.Entry(
        stamp: .init(entry.timestamp), id: id.low,
        value: History.values.firstIndex { $0 == entry.values["value"] } ?? -1)
    }
    try expect(log, reference.log, "log of \(index)")
    let ledger = try engine.conflicts(includingSettled: true).map { entry in
      let loser = Reference.Loser(
        record: number(of: entry.record), field: entry.field.flatMap { History.fields.firstIndex(of: $0) },
        stamp: .init(entry.loser.timestamp))
      return (loser, Reference.Stamp(entry.observed))
    }
    try expect(
      Dictionary(ledger, uniquingKeysWith: { $1 }), reference.ledger, "ledger of \(index)")
    try expect(ledger.map(\.1), reference.ledger.values.sorted(), "order of the ledger of \(index)")
    for record in 0..<recordCount {
      try checkFields(record, engine: engine, reference: reference, index)
      try checkSlots(record, engine: engine, reference: reference, index)
    }
    try checkCompleteness(of: reference)
    try checkLedger(index)
  }

  private func checkFields(_ record: Int, engine: Replica, reference: ReferenceReplica, _ index: Int) throws {
    let fields = try engine.fields(of: History.records[record], in: History.collection)
    let expected = reference.fields(of: record).map { fields in
      var expected = Dictionary(
        uniqueKeysWithValues: fields.map { (History.fields[$0.key], History.values[$0.value]) })
      for (field, sum) in reference.counters(of: record) { expected[History.name(field)] = .int(Int64(sum)) }
      for (field, elements) in reference.sets(of: record) {
        expected[History.name(field)] = .array(elements.map { History.values[$0] }.sorted())
      }
      return expected
    }
    try expect(fields, expected, "fields of record \(record) at \(index)")
  }

  /// The registers of a record, shown or not, in both slots, with what decides about them.
  private func checkSlots(_ record: Int, engine: Replica, reference: ReferenceReplica, _ index: Int) throws {
    let isKnown = reference.lives[record] != nil || !reference.addresses(of: record).isEmpty
    guard isKnown else { return }
    for field in History.fields.indices {
      let explanation = try engine.explain(
        History.fields[field], of: History.records[record], in: History.collection)
      let address = Reference.Address(record: record, field: field)
      let what = "field \(field) of record \(record) at \(index)"
      try expect(
        explanation.slots.filter { !$0.isFuture }.map(Reference.Register.init),
        [reference.ordinary[address]].compactMap(\.self), "ordinary slot of \(what)")
      try expect(
        explanation.slots.filter(\.isFuture).map(Reference.Register.init),
        [reference.future[address]].compactMap(\.self), "future slot of \(what)")
      try expect(
        explanation.winner.map(Reference.Register.init), reference.shown(address), "what shows of \(what)")
      try expect(explanation.life?.count ?? 1, reference.count(record), "life of \(what)")
      try expect(
        explanation.life.map { Reference.Stamp($0.timestamp) }, reference.lives[record]?.stamp,
        "stamp of the life of \(what)")
    }
  }

  /// The conflicts that a merge reports, as sides and stamps.
  func check(_ report: MergeReport, conflicts expected: Set<Reference.Conflict>) throws {
    let conflicts = report.conflicts.map { conflict in
      Reference.Conflict(
        record: number(of: conflict.record),
        field: conflict.address.flatMap { History.fields.firstIndex(of: $0.field) },
        winner: .init(conflict.winner), loser: .init(conflict.loser))
    }
    try expect(Set(conflicts), expected, "conflicts")
    try expect(report.collisions, 0, "collisions")
  }

  static func name(_ field: Int) -> FieldName { counted[field - visits] }

  private func number(of record: RecordKey) -> Int { record.id == History.records[0] ? 0 : 1 }

  func expect<Part: Equatable>(_ actual: Part, _ expected: Part, _ what: String) throws {
    guard actual != expected else { return }
    throw Failure(description: "\(what): the engine has \(actual), the naive replica \(expected)")
  }

  // MARK: Ground truth

  /// Remembers what a transaction wrote.
  mutating func remember(_ stamp: Reference.Stamp, at index: Int, past: [UInt64: UInt64]) {
    let reference = pairs[index].reference
    for (address, register) in reference.ordinary where register.stamp == stamp {
      truths.append(
        Truth(
          stamp: stamp, record: address.record, register: (address, register), life: register.life, past: past
        ))
    }
    for (record, life) in reference.lives where life.stamp == stamp {
      truths.append(Truth(stamp: stamp, record: record, register: nil, life: life.count, past: past))
    }
  }

  /// Of every write that the vector covers the state holds that write or something larger, and everything that
  /// its writer had seen is covered too.
  private func checkCompleteness(of reference: ReferenceReplica) throws {
    for truth in truths where reference.covers(truth.stamp) {
      guard truth.past.allSatisfy({ $0.value <= reference.vector[$0.key] ?? 0 }) else {
        throw Failure(description: "the vector is not causally closed below \(truth.stamp)")
      }
      guard let (address, register) = truth.register else {
        let held = reference.lives[truth.record]
        guard let held, held.count > truth.life || held.count == truth.life && held.stamp <= truth.stamp
        else { throw Failure(description: "life \(truth) is covered but not held") }
        continue
      }
      guard register.outlivesLives || truth.life >= reference.latestLife(truth.record) else { continue }
      guard let held = reference.best(address), held == register || held.beats(register) else {
        throw Failure(description: "register \(truth) is covered but not held")
      }
    }
  }

  // MARK: The end

  /// When everybody has met everybody and every time has come, all hold and show the same.
  mutating func reunite() throws {
    let latest = pairs.map(\.environment.wallMilliseconds).max() ?? 0
    for index in pairs.indices {
      pairs[index].pass(milliseconds: latest + 10_000 - pairs[index].environment.wallMilliseconds)
    }
    trace.append("reunite")
    for _ in 0..<2 {
      for source in pairs.indices {
        for target in pairs.indices where target != source { try sync(from: source, to: target) }
      }
    }
    let first = pairs[0].engine
    let newcomer = Pair(seed: generator.next())
    newcomer.environment.wallMilliseconds = pairs[0].environment.wallMilliseconds
    try newcomer.engine.merge(first.delta())
    for engine in pairs.dropFirst().map(\.engine) + [newcomer.engine] {
      try expect(engine.version, first.version, "version at the end")
      try expect(engine.digest(), first.digest(), "digest at the end")
      try expect(engine.state(), first.state(), "state at the end")
      for record in History.records {
        try expect(
          engine.fields(of: record, in: History.collection), first.fields(of: record, in: History.collection),
          "fields at the end")
      }
    }
  }
}

extension Reference.Stamp {
  init(_ timestamp: Timestamp) {
    self.init(time: timestamp.time.rawValue, replica: timestamp.replica.rawValue)
  }
}

extension Reference.Register {
  /// The register of a slot; the value by its place in the table.
  init(_ slot: Explanation.Slot) {
    let precedence = slot.register.precedence
    self.init(
      life: precedence.life, stamp: .init(precedence.timestamp),
      value: History.values.firstIndex(of: slot.register.value) ?? -1)
  }
}

extension Reference.Conflict.Side {
  init(_ side: Conflict.Side) {
    self =
      switch side {
      case .register: .register(.init(side.timestamp))
      case .life: .life(.init(side.timestamp))
      }
  }
}
