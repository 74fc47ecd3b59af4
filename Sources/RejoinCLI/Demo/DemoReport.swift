import AccountTrackers
import Rejoin

/// The demo's outcome as text.
struct DemoReport {
  let outcome: Demo.Outcome
  let export: AccountExport

  /// All of it, line by line.
  var lines: [String] {
    var lines = [
      "Three replicas in SQLite files (\(outcome.members.map(\.name).joined(separator: ", "))) import "
        + "\(export.accounts.count) accounts and \(export.trackers.count) trackers each, offline."
    ]
    for (index, meeting) in outcome.meetings.enumerated() {
      if index > 0 {
        lines += ["", "Then they write apart from each other:"] + outcome.story.map { "  \($0)" }
      }
      lines += self.lines(meeting)
    }
    return lines + ending
  }

  private func lines(_ meeting: Demo.Meeting) -> [String] {
    let counts = meeting.counts
    let received = zip(outcome.members, meeting.received).map { member, received in
      "  \(Column.padded(member.name, 8))received \(received.registers) registers, \(received.entries) log entries "
        + "and \(received.ledgerEntries) noted conflicts in \(received.bytes) bytes"
    }
    let conflicts = Set(meeting.received.flatMap(\.conflicts)).sorted {
      ($0.loser.timestamp, $0.winner.timestamp, $0.record) < (
        $1.loser.timestamp, $1.winner.timestamp, $1.record
      )
    }
    // A loser that a restore left behind is reported twice: beaten by the register, and by the life.
    let reported = Set(conflicts.filter { !$0.isBeatenByLife }.map(\.loser))
    let unequal = conflicts.filter {
      !$0.isOfEqualValues && !($0.isBeatenByLife && reported.contains($0.loser))
    }
    return [
      "",
      "They exchange deltas around a ring that loses 30 %, doubles 20 % and reorders, \(meeting.rounds) rounds:",
      "  \(counts.sent) messages sent, \(counts.lost) lost, \(counts.duplicated) doubled, "
        + "\(counts.overtaken) overtaken",
    ] + received + [
      "  \(conflicts.count { $0.isOfEqualValues }) concurrent writes were equal, \(unequal.count) had a loser"
        + (unequal.isEmpty ? "." : ":")
    ] + unequal.map { "    " + line($0) }
  }

  private func line(_ conflict: Conflict) -> String {
    let field = conflict.address.map { ".\($0.field)" } ?? ""
    let winner = "\(writer(conflict.winner)) \(what(conflict.winner))"
    let loser = "\(writer(conflict.loser)) \(what(conflict.loser))"
    return "\(name(conflict.record))\(field): \(winner) wins over \(loser): \(reason(conflict))"
  }

  private func reason(_ conflict: Conflict) -> String {
    switch (conflict.winner, conflict.loser) {
    case (.life(let life), .register):
      life.isAlive ? "the record was restored since" : "a deletion wins over concurrent edits"
    case (.register(let winner), .register(let loser)) where winner.precedence.life > loser.precedence.life:
      "it was issued again by a restore"
    case (.register(let winner), .register(let loser))
    where winner.precedence.timestamp.time == loser.precedence.timestamp.time:
      "same time, larger replica id"
    case (.register(let winner), .register(let loser)):
      later(winner.precedence.timestamp, than: loser.precedence.timestamp)
    case (.life, .life): "the earlier of two deletions counts"
    case (.register, .life): "the later life wins"
    }
  }

  private func later(_ winner: Timestamp, than loser: Timestamp) -> String {
    let distance = winner.time.milliseconds - loser.time.milliseconds
    return distance > 0 ? "\(distance) ms later" : "later in the same millisecond"
  }

  private func what(_ side: Conflict.Side) -> String {
    switch side {
    case .register(let register): text(register.value)
    case .life(let life): life.isAlive ? "(restored)" : "(deleted)"
    }
  }

  private func text(_ value: Value) -> String {
    if case .time(let milliseconds) = value, let text = ISO8601.text(milliseconds) { return text }
    return value.json.text()
  }

  private func writer(_ side: Conflict.Side) -> String {
    outcome.members.first { $0.replica.id == side.timestamp.replica }?.name ?? "somebody"
  }

  private func name(_ key: RecordKey) -> String {
    if let account = export.accounts.first(where: { $0.id == key.id }) { return account.email }
    guard let tracker = export.trackers.first(where: { $0.id == key.id }) else { return key.id.description }
    return "tracker \(JSON.string(tracker.providerSlug).text())"
  }

  // MARK: Ending

  private var ending: [String] {
    let digests = zip(outcome.members, outcome.digests).map { member, digest in
      "  \(Column.padded(member.name, 8))\(digest)"
    }
    let ledger = outcome.ledger
    return [
      "",
      "The ledger of conflicts holds \(ledger.held) writes that gave way, of each collection the latest "
        + "\(Limits.conflictsPerCollection) at most; \(ledger.open) of them are not what shows now.",
    ] + ["", outcome.hasConverged ? "Converged: one state, one digest." : "NOT converged."] + digests
  }
}

extension Conflict {
  /// Whether the record came back to life since the losing write.
  fileprivate var isBeatenByLife: Bool {
    if case .life(let life) = winner { return life.isAlive }
    return false
  }

  /// Whether both sides hold the same value, so that nobody's intent was lost.
  fileprivate var isOfEqualValues: Bool {
    guard case (.register(let winner), .register(let loser)) = (winner, loser) else { return false }
    return winner.value == loser.value
  }
}

/// Columns of text.
enum Column {
  /// `text`, filled up with blanks.
  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
