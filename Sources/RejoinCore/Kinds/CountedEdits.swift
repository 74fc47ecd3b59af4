/// Why an edit of a counter or set cannot be made.
package enum CountedEditError: Error, Hashable, Sendable {
  /// A session's own total would leave 64 bits.
  case overflow(FieldName)
  /// The field holds a counter or set, and the value is no number or list.
  case otherKind(FieldName)
  /// An element takes more bytes than an address has room for.
  case elementTooLong(FieldName)
}

/// Works out the registers that an edit of counters and sets writes.
///
/// Each register of a session is raised by that session alone: a tally with every increment by one rank, an element
/// with every addition to the next odd rank but one, so that a removal by others, which takes the even rank in
/// between, never wins over an addition that it had not seen, and always over one that it had.
package struct CountedEdits {
  private struct Member: Hashable {
    var field: FieldName
    var element: [UInt8]
  }

  private var counted: CountedFields
  private let session: () -> UInt64
  private let timestamp: Timestamp

  /// What outlives lives, with what was written so far.
  private var registers: [RegisterAddress: (value: Value, rank: UInt64)] = [:]

  /// Where the additions of an element lie.
  private var additions: [Member: [RegisterAddress]] = [:]
  private var written: Set<RegisterAddress> = []

  /// The plain values that show, with those written so far.
  private var plain: [FieldName: Value]

  /// The plain values to be written.
  package private(set) var plainWrites: [FieldName: Value] = [:]

  /// Starts edits of a record that shows these registers, by a session, which is asked for when it writes.
  package init(
    of record: PackedRecord?, shown: [PackedRegister], session: @escaping () -> UInt64, timestamp: Timestamp
  ) {
    counted = record.map { CountedFields($0, shown) } ?? CountedFields()
    self.session = session
    self.timestamp = timestamp
    plain = [:]
    guard let record else { return }
    for register in shown {
      if let field = record.plainField(register) { plain[field] = record.value(of: register) }
    }
    for register in record.registers where register.precedence.outlivesLives {
      note(record.value(of: register), rank: register.precedence.rank, at: record.address(of: register))
    }
  }

  /// The registers to be written, but for plain values.
  package var writes: [RegisterWrite] {
    written.compactMap { address in
      registers[address].map {
        RegisterWrite(
          address: address, value: $0.value,
          precedence: Precedence(life: 0, rank: $0.rank, timestamp: timestamp))
      }
    }
  }

  // MARK: Counters

  /// Adds to this session's tally.
  package mutating func increment(_ field: FieldName, by amount: Int64) throws(CountedEditError) {
    guard amount != 0 else { return }
    try check(field, isSet: false)
    let address = RegisterAddress.tally(of: field, SessionMark(session: session()))
    let own = registers[address]
    var total: Int64 = 0
    if case .int(let number)? = own?.value { total = number }
    let (sum, overflow) = total.addingReportingOverflow(amount)
    let rank = (own?.rank ?? 0) + 1
    guard !overflow, rank <= Limits.rankOutsideLives else { throw .overflow(field) }
    write(.int(sum), rank: rank, at: address)
  }

  /// Takes back all increments that are seen here, and no others.
  ///
  /// What is taken back of a tally is a register beside it, with the tally's total and rank of that moment. So of two
  /// resets the one that saw more decides, and together they take back nothing twice.
  package mutating func reset(_ field: FieldName) {
    for address in registers.keys where address.field == field { takeBack(address) }
    if case .int(let number)? = plain[field], number != 0 { write(.int(0), in: field) }
  }

  private mutating func takeBack(_ address: RegisterAddress) {
    guard address.kind == RegisterKind.tally, let tally = registers[address] else { return }
    let taken = RegisterAddress(address.field, kind: RegisterKind.reset, element: address.element)
    if let old = registers[taken], old.rank >= tally.rank { return }
    write(tally.value, rank: tally.rank, at: taken)
  }

  // MARK: Starting afresh

  /// Takes back all increments and removes all elements that are seen here, and no others: of the whole record, or of
  /// one field.
  ///
  /// It goes by the kinds of registers, so it meets fields that no type of this version names, and elements of kinds
  /// that only newer versions know.
  package mutating func startAfresh(_ field: FieldName? = nil) throws(CountedEditError) {
    for (address, register) in registers where field == nil || address.field == field {
      takeBack(address)
      if address.kind == RegisterKind.element, register.value != .null { try remove(at: address) }
    }
    if let field { counted.remove(field) } else { counted = CountedFields() }
  }

  // MARK: Sets

  /// Adds an element, also one that is there: the addition wins over removals that do not know of it.
  package mutating func insert(_ element: Value, into field: FieldName) throws(CountedEditError) {
    let bytes = element.canonicalBytes
    guard bytes.count <= Limits.elementBytes, !element.isUnknown else { throw .elementTooLong(field) }
    try check(field, isSet: true)
    let address = RegisterAddress.element(of: field, SessionMark(session: session(), element: bytes))
    let own = registers[address]
    let step: UInt64 = own.map { $0.value == .null ? 1 : 2 } ?? 1
    let rank = (own?.rank ?? 0) + step
    guard rank < Limits.rankOutsideLives else { throw .overflow(field) }
    write(.bool(true), rank: rank, at: address)
  }

  /// Removes an element: every addition of it that is seen here.
  package mutating func remove(_ element: Value, from field: FieldName) throws(CountedEditError) {
    for address in additions[Member(field: field, element: element.canonicalBytes)] ?? [] {
      if registers[address]?.value != .null { try remove(at: address) }
    }
    guard case .array(let elements)? = plain[field], elements.contains(element) else { return }
    write(.array(elements.filter { $0 != element }), in: field)
  }

  private mutating func remove(at address: RegisterAddress) throws(CountedEditError) {
    let rank = registers[address]?.rank ?? 0
    guard rank < Limits.rankOutsideLives else { throw .overflow(address.field) }
    write(.null, rank: rank + 1, at: address)
  }

  // MARK: Plain values

  /// Writes a plain value, so that a field shows it, also one that is a counter or set: an older version of the
  /// application, or somebody without types, sets it like any other.
  ///
  /// A counter is brought to a whole number by the plain number beside its tallies, a set to a list by additions and
  /// removals. Null brings the one to 0 and empties the other. Where no plain number brings the tallies to it, what is
  /// seen of them is taken back first.
  package mutating func show(_ value: Value, in name: FieldName) throws(CountedEditError) {
    let goal: Int64
    guard let field = counted.fields[name] else { return write(value, in: name) }
    switch (field.form, value) {
    case (.plain, _): return write(value, in: name)
    case (.set, _): return try show(value, inSet: field, name)
    case (.counter, .int(let number)): goal = number
    case (.counter, .null): goal = 0
    case (.counter, _): throw .otherKind(name)
    }
    if let missing = (field.sum ?? ExactSum()).missing(to: goal) { return write(.int(missing), in: name) }
    reset(name)
    write(.int(goal), in: name)
  }

  private mutating func show(
    _ value: Value, inSet field: CountedFields.Field, _ name: FieldName
  ) throws(CountedEditError) {
    let wanted: Set<Value>
    switch value {
    case .array(let elements): wanted = Set(elements)
    case .null: wanted = []
    default: throw .otherKind(name)
    }
    guard case .array(let shown) = field.value else { return }
    for element in Set(shown).subtracting(wanted) { try remove(element, from: name) }
    for element in wanted.subtracting(shown) { try insert(element, into: name) }
  }

  // MARK: Registers

  /// Refuses to hide what a field shows behind a counter or set.
  private func check(_ field: FieldName, isSet: Bool) throws(CountedEditError) {
    let form: CountedFields.Form = isSet ? .set : .counter
    if let shown = counted.fields[field]?.form, shown != form, shown != .plain { throw .otherKind(field) }
    if let plain = plain[field], form.hides(plain) { throw .otherKind(field) }
  }

  private mutating func write(_ value: Value, in field: FieldName) {
    plain[field] = value
    plainWrites[field] = value
  }

  private mutating func write(_ value: Value, rank: UInt64, at address: RegisterAddress) {
    note(value, rank: rank, at: address)
    written.insert(address)
  }

  private mutating func note(_ value: Value, rank: UInt64, at address: RegisterAddress) {
    let isNew = registers.updateValue((value, rank), forKey: address) == nil
    guard isNew, address.kind == RegisterKind.element, let mark = SessionMark(address) else { return }
    additions[Member(field: address.field, element: mark.element), default: []].append(address)
  }
}
