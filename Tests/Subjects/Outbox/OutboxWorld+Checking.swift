import Rejoin
import RejoinCore
import RejoinOutbox

/// What must hold once nothing more happens.
extension OutboxWorld {
  func check() throws {
    var excused: Set<String> = []
    for number in devices.indices { try excused.formUnion(checkState(at: number)) }
    try checkRecords(in: Self.collection, excused)
    try checkRecords(in: Self.children, excused)
    try checkLog()
    try checkValues()
    guard server.applied.values.allSatisfy({ $0 == 1 }) else {
      throw Failure(description: "an operation was carried out twice")
    }
  }

  // MARK: Honest state

  /// Sums and single states agree, and say what is left: nothing but dead letters, conflicts, and children behind them.
  ///
  /// - Returns: the records of which the server lacks something.
  private func checkState(at number: Int) throws -> Set<String> {
    let device = devices[number]
    func fail(_ text: String) throws { throw Failure(description: "device \(number) \(text)") }
    var expected = OutboxStatus()
    var left: Set<String> = []
    for letter in device.letters.values {
      left.insert(letter.subject)
      guard let state = try state(of: letter.subject, at: number) else {
        expected.add(needsAttention: 1)
        continue
      }
      if state != .dead(reason: letter.reason) { try fail("says \(state) of the refused \(letter.subject)") }
    }
    for collection in [Self.collection, Self.children] {
      for record in try device.outbox.replica.records(in: collection, includingDeleted: true) {
        let subject = name(of: record.id, in: collection)
        let state = try device.outbox.state(of: record.id, in: collection)
        switch state {
        case .synced: continue
        case .dead:
          if !left.contains(subject) { try fail("hides the dead \(subject)") }
        case .conflict: break
        case .waiting:
          guard case .record(let parent)? = record.fields["note"], collection == Self.children,
            try device.outbox.state(of: parent, in: Self.collection).isStopped
          else { try fail("says \(state) of \(subject)"); continue }
        }
        left.insert(subject)
        expected.add(state)
      }
    }
    let status = try device.outbox.status()
    if status != expected { try fail("says \(status), but its records say \(expected)") }
    if status.isSynced != left.isEmpty { try fail("says \(status), but \(left.count) are left") }
    return left
  }

  /// What a device says is synced has reached the server.
  func checkClaims(at number: Int) throws {
    let outbox = devices[number].outbox
    for collection in fates == nil ? [] : [Self.collection, Self.children] {
      for record in try outbox.replica.records(in: collection)
      where try outbox.state(of: record.id, in: collection) == .synced {
        for (field, value) in record.fields {
          let text = ValueFates.text(name(of: record.id, in: collection), field.text, value.json)
          guard fates?.isOwn(text, of: number) == true, !server.reached.contains(text) else { continue }
          throw Failure(description: "device \(number) says that \(text) is synced, which never arrived")
        }
      }
    }
    guard !isRewound, try outbox.status().isSynced else { return }
    let arrived = forgotten.union(
      (server.rows[Self.log.text] ?? [:]).values.compactMap { $0.fields["number"] })
    guard devices[number].appended.isSubset(of: arrived) else {
      throw Failure(
        description: "device \(number) says that all is synced, but its log entries did not arrive")
    }
  }

  // MARK: Agreement

  /// Devices agree with each other on everything, and with the server on what it did not refuse.
  private func checkRecords(in collection: Collection, _ excused: Set<String>) throws {
    let rows = server.rows[collection.text] ?? [:]
    var served: [String: [String: JSON]] = [:]
    for (id, row) in rows where !row.isDeleted && interpreter.shows(row, of: server) {
      served["\(collection)/\(server.deviceID(collection.text, id))"] = row.fields.filter {
        $0.value != .null
      }
    }
    var first: [String: [String: JSON]]?
    for (number, device) in devices.enumerated() {
      var shown: [String: [String: JSON]] = [:]
      for record in try device.outbox.replica.records(in: collection) {
        // A row has all its columns; here a field may never have been written.
        let subject = name(of: record.id, in: collection)
        guard shown[subject] == nil else {
          throw Failure(description: "device \(number) shows \(subject) twice")
        }
        shown[subject] = Dictionary(
          uniqueKeysWithValues: record.fields.map { ($0.key.text, shownJSON($0.value)) }
            .filter { $0.1 != .null && $0.0 != "updatedAt" })
      }
      // Devices that never meet have what the server refused for themselves.
      let common = tongue == .accounts ? shown.filter { !excused.contains($0.key) } : shown
      if let first, first != common {
        throw Failure(description: "device \(number) shows \(shown), device 0 \(first)")
      }
      first = common
      for subject in Set(served.keys).union(shown.keys).subtracting(excused).sorted() {
        guard try !agrees(served[subject], shown[subject], subject, device) else { continue }
        throw Failure(
          description: "device \(number) shows \(subject) as \(String(describing: shown[subject])),"
            + " the server has \(String(describing: served[subject]))")
      }
    }
  }

  private func agrees(
    _ served: [String: JSON]?, _ shown: [String: JSON]?, _ subject: String, _ device: Device
  ) throws -> Bool {
    guard served != shown else { return true }
    if served != nil, shown == nil, subject.hasPrefix("parts/") {
      // A child without a parent is not shown.
      guard case .string(let note)? = served?["note"] else { return true }
      return try !isShown("notes/\(note)", at: 0)
    }
    // Nobody who has not heard of a deletion can hear of it any more once the server has forgotten it.
    if served == nil, isRewound || wasPurged(subject) { return true }
    if let served, let shown, isRewound { return served.allSatisfy { shown[$0.key] == $0.value } }
    return false
  }

  /// A value as the server has it.
  private func shownJSON(_ value: Value) -> JSON {
    guard case .record(let id) = value else { return value.json }
    return .string(String(name(of: id, in: Self.collection).dropFirst(Self.collection.text.count + 1)))
  }

  private func wasPurged(_ subject: String) -> Bool {
    server.purged.keys.contains { place in
      let parts = place.split(separator: "/").map(String.init)
      return subject == "\(parts[0])/\(server.deviceID(parts[0], parts[1]))"
    }
  }

  private func checkLog() throws {
    let refused = devices.flatMap { $0.letters.values }.filter { $0.subject.hasPrefix(Self.log.text) }.count
    let numbers = (server.rows[Self.log.text] ?? [:]).values.compactMap { $0.fields["number"] }
    guard Set(numbers).count == numbers.count,
      isRewound || numbers.count + refused + forgotten.subtracting(numbers).count == appended
    else {
      throw Failure(description: "the server has \(numbers.count) of \(appended) log entries")
    }
    for device in devices where try device.outbox.replica.log(Self.log).count != appended {
      throw Failure(description: "a device lacks log entries")
    }
  }

  // MARK: Values

  /// No value is shown in place of one that was written over it.
  ///
  /// A server that takes whatever comes holds what came last, so it is only said of those that refuse edits of older
  /// rows, where the later one wins and no clock is wrong.
  private func checkOrder(_ fates: ValueFates) throws {
    guard server.traits.isStrict, !isRewound, areClocksRight else { return }
    for collection in [Self.collection, Self.children] {
      for record in try devices[0].outbox.replica.records(in: collection) {
        let subject = name(of: record.id, in: collection)
        for (field, value) in record.fields where laterWins.contains(field) {
          let shown = ValueFates.text(subject, field.text, value.json)
          let lost = fates.replaced(byOlder: shown, of: subject)
          guard lost.isEmpty else { throw Failure(description: "\(shown) came back in place of \(lost)") }
        }
      }
    }
  }

  /// No value vanishes that somebody wrote.
  private func checkValues() throws {
    guard let fates else { return }
    try checkOrder(fates)
    var kept: Set<String> = []
    for device in devices {
      for collection in [Self.collection, Self.children] {
        for record in try device.outbox.replica.records(in: collection, includingDeleted: true) {
          for (field, value) in record.fields {
            kept.insert(ValueFates.text(name(of: record.id, in: collection), field.text, value.json))
          }
        }
      }
      for entry in try device.outbox.replica.conflicts(includingSettled: true) {
        guard let field = entry.field, let value = entry.losingValue else { continue }
        let subject = name(of: entry.record.id, in: entry.record.collection)
        kept.insert(ValueFates.text(subject, field.text, value.json))
      }
      for letter in try device.outbox.deadLetters() {
        let subject = name(of: letter.entry.subject)
        for member in letter.entry.payload {
          kept.insert(ValueFates.text(subject, member.name, member.value))
        }
      }
    }
    let lost = fates.lost(reached: server.reached, kept: kept)
    guard lost.isEmpty else { throw Failure(description: "vanished: \(lost)") }
  }
}

extension SyncState {
  /// Whether somebody has to decide.
  fileprivate var isStopped: Bool {
    switch self {
    case .dead, .conflict: true
    case .synced, .waiting: false
    }
  }
}

extension OutboxStatus {
  fileprivate mutating func add(_ state: SyncState) {
    switch state {
    case .synced: break
    case .waiting(_, _, false): self = OutboxStatus(waiting: waiting + 1, needsAttention: needsAttention)
    case .waiting, .conflict, .dead: add(needsAttention: 1)
    }
  }

  fileprivate mutating func add(needsAttention count: Int) {
    self = OutboxStatus(waiting: waiting, needsAttention: needsAttention + count)
  }
}
