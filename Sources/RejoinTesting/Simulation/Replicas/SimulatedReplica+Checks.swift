import Rejoin
import RejoinCore

extension SimulatedReplica {
  /// What shows, also of what lies beneath deletions and of what only later versions know.
  func content(fault: String?) -> Content {
    var content = Content(fault: fault)
    do {
      let held = try trace()
      let state = held.state
      for number in 0..<Edit.recordCount {
        let key = Self.key(number)
        for record in try replica.records(in: key.collection, includingDeleted: true)
        where record.id == key.id {
          let count = state.tombstones[key]?.count ?? 1
          if record.isDeleted != (count % 2 == 0) {
            content.fault = "what is deleted is listed as if it were not"
          }
          var shown = Dictionary(uniqueKeysWithValues: record.fields.map { ($0.key.text, $0.value) })
          for (place, register) in state.registers.registers
          where place.record == key && register.precedence.life == (record.isDeleted ? count - 1 : count) {
            if place.address.kind > RegisterKind.plain {
              shown[Edit.name(of: place.address)] = register.value
            }
          }
          content.records[number] = Content.Record(count: count, fields: shown)
        }
      }
      content.log = try replica.log(Self.log).compactMap(\.entry.text)
      content.fingerprint = Content.Fingerprint(
        version: held.version, digest: held.digest, ledger: held.ledgerFingerprint)
    } catch {
      content.fault = fault ?? "\(error)"
    }
    return content
  }

  /// Whether what people read is what there is: without the deleted ones, and one by one.
  private func readsAgree() throws -> Bool {
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

  /// Gives the replica a delta that starts further than it has come.
  mutating func refuse(_ delta: Delta) throws {
    let before = try trace()
    do {
      try replica.merge(delta)
      note("a delta with a gap before it was merged")
    } catch ReplicaError.gap {
      if try replica.trace() != before { note("a delta that was refused left a trace") }
    }
  }

  /// Merges a delta and checks what every merge promises; says whether it was merged, which only a misfortune may
  /// prevent.
  mutating func merge(
    _ delta: Delta, of message: Message, suffering: (Misfortune, after: Int)?
  ) throws -> Bool {
    let (version, lastTime, commits) = (replica.version, replica.lastTime, storage.commitCount)
    let state = try trace().state
    if let suffering {
      let hasHappened = try suffer(suffering.0, after: suffering.after) { try $0.merge(delta) }
      if !hasHappened { return false }
    } else {
      try replica.merge(delta)
    }
    truth.merge(message.truth)
    let joined = try joining(state, with: message, after: version)
    chronicle.merge(message.chronicle)
    if replica.version != truth { note("the vector is not that of all that was seen") }
    if replica.version == message.version {
      let held = try trace()
      if held.digest != message.held.digest || held.state != message.held.state {
        note("two replicas of one version hold different things")
      }
    }
    if commits != nil, storage.commitCount == commits, version.covers(delta.through) { return true }
    let latestAcceptable = HybridClock.latestAcceptable(
      wallMilliseconds: environment.wallMilliseconds, maxDriftMilliseconds: maxDriftMilliseconds)
    let times = delta.through.entries.map(\.time).filter { $0 <= latestAcceptable }
    if times.contains(where: { $0 > replica.lastTime }) || replica.lastTime < lastTime {
      note("the clock is behind what was merged")
    }
    // The sender's whole state, not what travelled: the vector must not cover anything that is missing.
    let held = try trace()
    if held.state != joined { note("the state is not the join of those of receiver and sender") }
    try checkLedger()
    for (_, entry) in try replica.log(Self.log) {
      guard case .map(let seen)? = entry.values["seen"] else { continue }
      let writer = VersionVector(
        seen.entries.compactMap { replica, time in
          guard case .string(let time) = time else { return nil }
          return ReplicaID(replica).flatMap { id in HybridTime(time).map { (id, $0) } }
        })
      if !replica.version.covers(writer) {
        note("the vector covers an entry, but not what its writer had seen")
      }
    }
    mergeCount += 1
    if mergeCount % 8 == 0 { try inspect() }
    return true
  }

  /// Reads everything that is stored, holds it against the rules of a sound replica, and lets another process look.
  mutating func inspect() throws {
    for finding in try replica.inspect().findings { note(finding.description) }
    if try !readsAgree() { note("one way of reading shows something else than another") }
    try checkListing()
    let here = try Remembrance(of: replica)
    if try !here.isKept(by: reopened()) { note("another process sees something else") }
  }
}

/// What every process must find that opens a replica's store.
struct Remembrance {
  private let id: ReplicaID
  private let lastTime: HybridTime
  private let trace: ReplicaTrace

  init(of replica: Replica) throws {
    trace = try replica.trace()
    id = replica.id
    lastTime = replica.lastTime
  }

  /// Whether a process finds all of it; its clock may be further, since what waited may have come due meanwhile.
  func isKept(by replica: Replica) throws -> Bool {
    let found = try replica.trace()
    return replica.id == id && replica.lastTime >= lastTime && found.hasSameContent(as: trace)
  }
}
