/// Plain values that a counter or set of the same field hides, neither author having known of the other.
///
/// They are losers like any other: nothing of them shows, and nobody overwrote them knowingly. Whoever writes a plain
/// value where a counter or set shows is refused, so only a merge brings them about.
struct HiddenByKind {
  /// One of the two states that meet.
  struct Side {
    var record: PackedRecord
    var registers: [PackedRegister]
  }

  private let key: RecordKey
  private let life: Life?

  /// The conflicts that meet for the first time where `incoming` is merged into `stored`.
  ///
  /// - Complexity: O(n) in the number of registers; where all are plain it looks at nothing but their kinds,
  ///   otherwise it reads those that one of the sides had not seen.
  static func conflicts(
    of key: RecordKey, merging incoming: Side, into stored: Side, life: Life?, rules: MergeRules
  ) -> [Conflict] {
    guard !rules.overwritesTies, !incoming.registers.isEmpty, !stored.registers.isEmpty,
      !incoming.isPlain || !stored.isPlain
    else { return [] }
    let search = HiddenByKind(key: key, life: life)
    let new = incoming.part(notCoveredBy: rules.own)
    let old = stored.part(notCoveredBy: rules.through)
    return search.conflicts(of: new, with: old) + search.conflicts(of: old, with: new)
  }

  /// Those of plain values on one side with tallies and elements on the other.
  private func conflicts(of plain: Side, with counted: Side) -> [Conflict] {
    guard !plain.registers.isEmpty, case let winners = counted.counted, !winners.isEmpty else { return [] }
    var conflicts: [Conflict] = []
    for register in plain.registers where register.precedence.isKept(fromLife: life?.latest ?? 1) {
      guard let field = plain.record.plainField(register), let others = winners[field] else { continue }
      let loser = LWWRegister(plain.record.value(of: register), precedence: register.precedence)
      guard let winner = others.last(where: { $0.form.hides(loser.value) }) else { continue }
      conflicts.append(
        Conflict(
          record: key, address: RegisterAddress(field), winner: .register(winner.register),
          loser: .register(loser)))
    }
    return conflicts
  }
}

extension HiddenByKind.Side {
  /// Whether all registers hold plain values.
  fileprivate var isPlain: Bool { record.arePlain(registers) }

  /// The registers that a vector does not cover.
  fileprivate func part(notCoveredBy vector: VersionVector) -> HiddenByKind.Side {
    HiddenByKind.Side(
      record: record, registers: registers.filter { !vector.covers($0.precedence.timestamp) })
  }

  /// The tallies and the elements that are there, by field, the latest last.
  fileprivate var counted: [FieldName: [(form: CountedFields.Form, register: LWWRegister)]] {
    var fields: [FieldName: [(form: CountedFields.Form, register: LWWRegister)]] = [:]
    for register in registers where !RegisterAddress.isPlain(record.bytes, register.address) {
      let address = record.address(of: register)
      let value = record.value(of: register)
      guard address.kind != RegisterKind.reset, value != .null, SessionMark(address) != nil else { continue }
      let form: CountedFields.Form = address.kind == RegisterKind.tally ? .counter : .set
      fields[address.field, default: []].append((form, LWWRegister(value, precedence: register.precedence)))
    }
    return fields.mapValues {
      $0.sorted { $0.register.precedence.timestamp < $1.register.precedence.timestamp }
    }
  }
}
