/// What a record's counters and sets come to, of the registers that show.
///
/// Only tallies and elements of the record's epoch count. A field shows as a set where it has elements, removed ones
/// included; otherwise as a counter where it has tallies; otherwise as its plain value.
package struct CountedFields {
  /// A field that has tallies or elements of the epoch.
  package struct Field {
    /// The sum of the tallies, less what resets have taken back; nil when there are none.
    package fileprivate(set) var sum: ExactSum?

    /// The elements by canonical bytes, with whether any session's register says present; nil when there are none.
    package fileprivate(set) var elements: [[UInt8]: Bool]?

    /// The plain value of the field; nil when it was never written.
    package fileprivate(set) var plain: Value?

    /// Whether it shows as a set.
    package var isSet: Bool { elements != nil }
  }

  /// The epoch: 1 until the record is inserted again.
  package private(set) var epoch: UInt64 = 1

  /// The fields that have tallies or elements of the epoch.
  package private(set) var fields: [FieldName: Field] = [:]

  /// Reads nothing.
  init() {}

  /// Reads the registers that show of a record.
  ///
  /// - Complexity: O(n) in the number of registers.
  package init(_ record: PackedRecord, _ shown: [PackedRegister]) {
    var others: [(address: RegisterAddress, register: PackedRegister)] = []
    for register in shown where !RegisterAddress.isPlain(record.bytes, register.address) {
      others.append((record.address(of: register), register))
    }
    guard !others.isEmpty else { return }
    for (address, register) in others where address == .epoch {
      if case .int(let count) = record.value(of: register), count > 0 { epoch = UInt64(count) }
    }
    for (address, register) in others {
      guard let mark = SessionMark(address), mark.epoch == epoch else { continue }
      let value = record.value(of: register)
      switch (address.kind, value) {
      case (RegisterKind.element, _):
        fields[address.field, default: Field()].add(mark.element, isPresent: value != .null)
      case (RegisterKind.tally, .int(let number)): fields[address.field, default: Field()].add(number)
      case (RegisterKind.reset, .int(let number)): fields[address.field, default: Field()].takeBack(number)
      default: break
      }
    }
    guard !fields.isEmpty else { return }
    for register in shown where RegisterAddress.isPlain(record.bytes, register.address) {
      let field = record.address(of: register).field
      if fields[field] != nil { fields[field]?.plain = record.value(of: register) }
    }
  }
}

extension CountedFields.Field {
  fileprivate mutating func add(_ number: Int64) {
    sum = sum ?? ExactSum()
    sum?.add(number)
  }

  fileprivate mutating func takeBack(_ number: Int64) {
    sum = sum ?? ExactSum()
    sum?.subtract(number)
  }

  fileprivate mutating func add(_ element: [UInt8], isPresent: Bool) {
    elements = elements ?? [:]
    if isPresent || elements?[element] == nil { elements?[element] = isPresent }
  }

  /// What shows: a set as an array of its elements in order of their canonical bytes, a counter as a whole number.
  ///
  /// A plain whole number counts for a counter, and elements of a plain array for a set: an older version of the
  /// application kept the field so.
  package var value: Value {
    if let elements {
      var present = Set(elements.filter(\.value).keys)
      if case .array(let values)? = plain { present.formUnion(values.map(\.canonicalBytes)) }
      let sorted = present.sorted { $0.lexicographicallyPrecedes($1) }
      return .array(sorted.compactMap { try? Value(canonicalBytes: $0, in: $0.indices) })
    }
    var sum = sum ?? ExactSum()
    if case .int(let number)? = plain { sum.add(number) }
    return .int(sum.clamped)
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
      let counted = CountedFields(self, shown).fields[field], !counted.isSet, var sum = counted.sum
    else { return value }
    sum.add(number)
    return .int(sum.clamped)
  }

  /// The names of the fields that some registers belong to, in order of their addresses, each once.
  ///
  /// Of tallies and elements those count that belong to the epoch which `shown` says; an epoch by itself touches
  /// every counter and set.
  package func fieldNames(_ registers: [PackedRegister], amongShown shown: [PackedRegister]) -> [FieldName] {
    var names = registers.compactMap(plainField)
    let others = registers.filter { !RegisterAddress.isPlain(bytes, $0.address) }.map(address)
    guard !others.isEmpty else { return names }
    let counted = CountedFields(self, shown)
    let touched =
      others.contains(.epoch)
      ? Array(counted.fields.keys)
      : others.filter { SessionMark($0)?.epoch == counted.epoch }.map(\.field)
    names += touched
    return PackedRecord.inOrder(names)
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
