public import RejoinCore

/// Why a field of a record shows what it shows.
public struct Explanation: Hashable, Sendable {
  /// One of the two registers of an address.
  public struct Slot: Hashable, Sendable {
    /// What the register holds and what decides about it.
    public var register: LWWRegister
    /// Whether it stands in the future slot.
    public var isFuture: Bool
    /// Whether it is what readers see.
    public var isShown: Bool
    /// The label of the transaction that wrote it, where that was a labelled one of this replica.
    public var label: String?
  }

  /// What one opening of a replica has put into a counter or set.
  public struct Contribution: Hashable, Sendable {
    /// The opening, by the id that it drew.
    public var session: UInt64
    /// The element of a set; nil for a counter.
    public var element: Value?
    /// Whether it is what a reset took back of a counter, and not what was added.
    public var isTakenBack: Bool
    /// How much was added to a counter in sum, or taken back of it; whether the element is there, or null where it was removed.
    public var register: LWWRegister
    /// Whether it counts for what shows: the record is visible, and no other kind of register hides this one.
    public var isCounted: Bool
  }

  /// The record's entry in the tombstone set; nil while it is in its first life.
  public var life: Life?

  /// The parent that hides the record, since it is deleted, absent or hidden itself; nil when none does.
  public var hidingParent: RecordKey?

  /// The registers at this address, the ordinary one first; none when the field was never written.
  public var slots: [Slot]

  /// What a counter or set is made of; none when the field is a plain value.
  public var contributions: [Contribution] = []

  /// The register that shows.
  public var winner: Slot? { slots.first(where: \.isShown) }
}

extension Explanation: CustomStringConvertible {
  /// The reason in a sentence.
  public var description: String {
    if let life, !life.isAlive {
      return "The record was deleted (count \(life.count)) at \(life.timestamp); edits wait beneath."
    }
    if let hidingParent {
      return "The record is hidden by its parent, record \(hidingParent.id) of \(hidingParent.collection)."
    }
    if let text = contributionText { return text }
    guard let winner else {
      return slots.isEmpty ? "The field was never written." : "The field waits for its time."
    }
    let stamp = "\(winner.register.precedence.timestamp)"
    if slots.count == 1 {
      return winner.isFuture
        ? "Written at \(stamp), ahead of its time, and there is nothing else."
        : "The latest write is that of \(stamp)."
    }
    return winner.isFuture
      ? "The write of \(stamp) had waited in the future slot and has come due."
      : "The write of \(stamp) shows; a later one waits in the future slot for its time."
  }
}

extension Explanation {
  /// The reason of a counter or set; nil for plain values.
  private var contributionText: String? {
    let counted = contributions.filter(\.isCounted)
    guard !counted.isEmpty else { return nil }
    let sessions = Set(counted.map(\.session)).count
    let who = sessions == 1 ? "one opening of a replica" : "\(sessions) openings of replicas"
    guard counted.contains(where: { $0.element != nil }) else { return "The sum of what \(who) added." }
    return "The elements that \(who) added, and nobody removed who knew of it."
  }
}

extension Replica {
  /// Why a field of a record shows what it shows: its registers, their timestamps and slots.
  ///
  /// - Throws: `ReplicaError.recordNotVisible` when nothing is known of the record.
  public func explain(_ field: FieldName, of id: RecordID, in collection: Collection) throws -> Explanation {
    try reading { engine in
      let key = RecordKey(collection, id)
      guard let record = try engine.store.record(key) else { throw ReplicaError.recordNotVisible(key) }
      let visibility = try engine.visibility()
      let hidingParent = try visibility.hidingParent(of: record, visibility.shown(record), at: key)
      let shown = try visibility.visible(record, at: key)
      let address = RegisterAddress(field)
      let slots = try record.registers.filter { record.address(of: $0) == address }.map { register in
        let timestamp = register.precedence.timestamp
        return Explanation.Slot(
          register: LWWRegister(record.value(of: register), precedence: register.precedence),
          isFuture: register.isFuture,
          isShown: shown.contains { $0.value == register.value }
            && !record.hides(record.value(of: register), in: field, amongShown: shown),
          label: timestamp.replica == engine.header.replica
            ? try engine.store.label(at: timestamp.time) : nil)
      }
      return Explanation(
        life: record.life, hidingParent: hidingParent, slots: slots,
        contributions: record.contributions(to: field, shown: shown))
    }
  }
}

extension PackedRecord {
  /// What sessions have put into a field.
  fileprivate func contributions(
    to field: FieldName, shown: [PackedRegister]
  ) -> [Explanation.Contribution] {
    guard !holdsOnlyPlain else { return [] }
    let form = CountedFields(self, shown).fields[field]?.form
    return registers.compactMap { register in
      let address = address(of: register)
      guard address.field == field, let mark = SessionMark(address) else { return nil }
      return Explanation.Contribution(
        session: mark.session,
        element: mark.element.isEmpty
          ? nil : try? Value(canonicalBytes: mark.element, in: mark.element.indices),
        isTakenBack: address.kind == RegisterKind.reset,
        register: LWWRegister(value(of: register), precedence: register.precedence),
        isCounted: form == (mark.element.isEmpty ? .counter : .set))
    }
  }
}
