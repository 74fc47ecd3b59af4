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
  /// - Complexity: O(n) in the number of registers; where all are plain, it looks at nothing but their kinds.
  static func conflicts(
    of key: RecordKey, merging incoming: Side, into stored: Side, life: Life?, rules: MergeRules
  ) -> [Conflict] {
    guard !rules.overwritesTies, !incoming.registers.isEmpty, !stored.registers.isEmpty,
      !incoming.isPlain || !stored.isPlain
    else { return [] }
    let search = HiddenByKind(key: key, life: life)
    return search.conflicts(of: incoming, with: stored) { plain, counted in
      !rules.own.covers(plain) && !rules.through.covers(counted)
    }
      + search.conflicts(of: stored, with: incoming) { plain, counted in
        !rules.own.covers(counted) && !rules.through.covers(plain)
      }
  }

  private func conflicts(
    of plain: Side, with counted: Side, _ areConcurrent: (_ plain: Timestamp, _ counted: Timestamp) -> Bool
  ) -> [Conflict] {
    let winners = counted.counted
    guard !winners.isEmpty else { return [] }
    var conflicts: [Conflict] = []
    for register in plain.registers where register.precedence.isKept(fromLife: life?.latest ?? 1) {
      guard let field = plain.record.plainField(register), let others = winners[field] else { continue }
      let loser = LWWRegister(plain.record.value(of: register), precedence: register.precedence)
      let winner = others.last { form, other in
        form.hides(loser.value) && areConcurrent(register.precedence.timestamp, other.precedence.timestamp)
      }
      guard let winner else { continue }
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
