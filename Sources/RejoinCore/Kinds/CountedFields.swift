/// What a record's counters and sets come to, of the registers that show.
///
/// A field that holds registers of several kinds shows as one of them, see ``Field/form``.
package struct CountedFields {
  /// What a field shows as.
  package enum Form: Sendable {
    /// A list of elements.
    case set
    /// A whole number.
    case counter
    /// Its plain value.
    case plain
  }

  /// A field that has tallies or elements.
  package struct Field {
    /// The sum of the tallies, less what resets have taken back; nil when there are none.
    package fileprivate(set) var sum: ExactSum?

    /// The elements by canonical bytes, with whether any session's register says present; nil when there are none.
    package fileprivate(set) var elements: [[UInt8]: Bool]?

    /// The plain value of the field; nil when it was never written.
    package fileprivate(set) var plain: Value?

    /// The ranks of tallies by session, and of what was taken back of them.
    private var tallies: [UInt64: UInt64] = [:]
    private var resets: [UInt64: UInt64] = [:]
  }

  /// The fields that have tallies or elements.
  package private(set) var fields: [FieldName: Field] = [:]

  /// Reads nothing.
  init() {}

  /// Forgets what a field has.
  mutating func remove(_ field: FieldName) { fields[field] = nil }

  /// Reads the registers that show of a record.
  ///
  /// - Complexity: O(n) in the number of registers.
  package init(_ record: PackedRecord, _ shown: [PackedRegister]) {
    var others: [(address: RegisterAddress, register: PackedRegister)] = []
    for register in shown where !RegisterAddress.isPlain(record.bytes, register.address) {
      others.append((record.address(of: register), register))
    }
    for (address, register) in others {
      guard let mark = SessionMark(address) else { continue }
      let (value, rank) = (record.value(of: register), register.precedence.rank)
      switch (address.kind, value) {
      case (RegisterKind.element, _):
        fields[address.field, default: Field()].add(mark.element, isPresent: value != .null)
      case (RegisterKind.tally, .int(let number)):
        fields[address.field, default: Field()].add(number, of: mark.session, rank: rank)
      case (RegisterKind.reset, .int(let number)):
        fields[address.field, default: Field()].takeBack(number, of: mark.session, rank: rank)
      default: break
      }
    }
    guard !fields.isEmpty else { return }
    for register in shown {
      guard let field = record.plainField(register), fields[field] != nil else { continue }
      fields[field]?.plain = record.value(of: register)
    }
  }
}

extension CountedFields.Form {
  /// Whether a field of this form shows none of a plain value.
  ///
  /// A plain whole number counts for a counter, and elements of a plain list for a set: an older version of the
  /// application kept the field so. Null says that there is nothing, which no form hides.
  package func hides(_ plain: Value) -> Bool {
    switch (self, plain) {
    case (.plain, _), (_, .null), (.counter, .int), (.set, .array): false
    default: true
    }
  }
}

extension CountedFields.Field {
  fileprivate mutating func add(_ number: Int64, of session: UInt64, rank: UInt64) {
    sum = sum ?? ExactSum()
    sum?.add(number)
    tallies[session] = rank
  }

  fileprivate mutating func takeBack(_ number: Int64, of session: UInt64, rank: UInt64) {
    sum = sum ?? ExactSum()
    sum?.subtract(number)
    resets[session] = rank
  }

  fileprivate mutating func add(_ element: [UInt8], isPresent: Bool) {
    elements = elements ?? [:]
    if isPresent || elements?[element] == nil { elements?[element] = isPresent }
  }

  /// What it shows as: a set where elements are there, otherwise a counter where something counts that no reset has
  /// taken back, otherwise its plain value.
  ///
  /// Where there is no plain value but one that it would not hide, it is still an empty set, or a counter at 0.
  package var form: CountedFields.Form {
    if elements?.contains(where: \.value) ?? false { return .set }
    if tallies.contains(where: { session, rank in resets[session].map { $0 < rank } ?? true }) {
      return .counter
    }
    let forms: [CountedFields.Form] = [elements.map { _ in .set }, sum.map { _ in .counter }].compactMap(
      \.self)
    return forms.first { form in plain.map { !form.hides($0) } ?? true } ?? .plain
  }

  /// What shows: a set as an array of its elements in order of their canonical bytes, a counter as a whole number.
  package var value: Value {
    switch form {
    case .plain: return plain ?? .null
    case .counter:
      var sum = sum ?? ExactSum()
      if case .int(let number)? = plain { sum.add(number) }
      return .int(sum.clamped)
    case .set:
      var present = Set((elements ?? [:]).filter(\.value).keys)
      if case .array(let values)? = plain { present.formUnion(values.map(\.canonicalBytes)) }
      let sorted = present.sorted { $0.lexicographicallyPrecedes($1) }
      return .array(sorted.compactMap { try? Value(canonicalBytes: $0, in: $0.indices) })
    }
  }
}

extension PackedRecord {
  /// The fields among registers that show: plain values, counters as their sums, sets as arrays.
  package func fields(_ shown: [PackedRegister]) -> [FieldName: Value] {
    var fields: [FieldName: Value] = [:]
    var isPlain = true
    for register in shown {
      if let field = plainField(register) { fields[field] = value(of: register) }
      isPlain = isPlain && RegisterAddress.isPlain(bytes, register.address)
    }
    guard !isPlain else { return fields }
    for (name, field) in CountedFields(self, shown).fields { fields[name] = field.value }
    return fields
  }

  /// What a plain value of a field would show: beside tallies a whole number counts as one more of them.
  package func shownValue(_ value: Value, in field: FieldName, amongShown shown: [PackedRegister]) -> Value {
    guard case .int(let number) = value, !arePlain(shown),
      let counted = CountedFields(self, shown).fields[field], case .counter = counted.form,
      var sum = counted.sum
    else { return value }
    sum.add(number)
    return .int(sum.clamped)
  }

  /// Whether a counter or set of a field shows, and nothing of a plain value beside it.
  package func hides(_ value: Value, in field: FieldName, amongShown shown: [PackedRegister]) -> Bool {
    !arePlain(shown) && CountedFields(self, shown).fields[field]?.form.hides(value) ?? false
  }

  /// The names of the fields that some registers belong to, in order of their addresses, each once.
  package func fieldNames(_ registers: [PackedRegister]) -> [FieldName] {
    let names = registers.compactMap(plainField)
    let others = registers.filter { !RegisterAddress.isPlain(bytes, $0.address) }.map(address)
    guard !others.isEmpty else { return names }
    return PackedRecord.inOrder(names + others.filter { SessionMark($0) != nil }.map(\.field))
  }

  /// Names in order of their addresses, each once.
  package static func inOrder(_ names: some Sequence<FieldName>) -> [FieldName] {
    Set(names).map { (name: $0, address: RegisterAddress($0)) }.sorted { $0.address < $1.address }.map(\.name)
  }

  /// Whether all registers hold plain values of fields.
  package var holdsOnlyPlain: Bool { arePlain(registers) }

  /// Whether these registers hold plain values of fields.
  package func arePlain(_ registers: [PackedRegister]) -> Bool {
    registers.allSatisfy { RegisterAddress.isPlain(bytes, $0.address) }
  }

  /// The field whose plain value a register holds; nil for others, and for values that only newer versions know.
  package func plainField(_ register: PackedRegister) -> FieldName? {
    guard RegisterAddress.isPlain(bytes, register.address), !holdsUnknownKind(register) else { return nil }
    let field = address(of: register).field
    return field.text.isEmpty ? nil : field
  }
}
