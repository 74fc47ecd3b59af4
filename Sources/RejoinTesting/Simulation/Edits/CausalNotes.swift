import RejoinCore
import Synchronization

/// What the causal specification has worked out already, for as long as the operations of a past stay the same.
///
/// What an edit does depends on what its own replica had seen and not on who asks, so it is worked out once. What a
/// record may show depends on the edits of that record alone: what was found to be right after some of them need not be
/// judged again, at whichever replica it shows.
final class CausalNotes: Sendable {
  /// What an edit did.
  struct Consequences: Sendable {
    var effects: [Effect]
    var counts: CausalCounts
    var fault: String?
  }

  private struct Notes {
    var consequences: [Int: Consequences] = [:]
    /// The edits that concern a record, and those that concern the log.
    var concerning: [Int: NumberSet] = [:]
    var appending = NumberSet()
    /// What was right after those of them that were seen.
    var records: [Int: [NumberSet: Content.Record?]] = [:]
    var logs: [NumberSet: [String]] = [:]
    var isFaulty = false
  }

  private let notes = Mutex(Notes())

  /// What an edit did, if that is known.
  func consequences(of event: Past<Edit>.Event) -> Consequences? {
    notes.withLock { $0.consequences[event.number] }
  }

  /// Remembers what an edit did.
  func note(_ consequences: Consequences, of event: Past<Edit>.Event) {
    notes.withLock { notes in
      notes.consequences[event.number] = consequences
      if consequences.fault != nil { notes.isFaulty = true }
      for record in event.operation.records {
        notes.concerning[record, default: NumberSet()].insert(event.number)
      }
      switch event.operation {
      case .append, .given: notes.appending.insert(event.number)
      default: break
      }
    }
  }

  /// Whether all edits of a past are known, and what shows was right before after those that concern it.
  func approves(_ content: Content, after past: Past<Edit>) -> Bool {
    let seen = past.numbers
    return notes.withLock { notes in
      guard !notes.isFaulty, past.events.allSatisfy({ notes.consequences[$0.number] != nil }) else {
        return false
      }
      for record in 0..<Edit.recordCount {
        let those = seen.intersection(notes.concerning[record] ?? NumberSet())
        guard let right = notes.records[record]?[those], right == content.records[record] else {
          return false
        }
      }
      return notes.logs[seen.intersection(notes.appending)] == content.log
    }
  }

  /// Whether a record was found to be right as it shows.
  func approves(_ shown: Content.Record?, of record: Int, after past: Past<Edit>) -> Bool {
    let seen = past.numbers
    return notes.withLock { notes in
      let those = seen.intersection(notes.concerning[record] ?? NumberSet())
      guard let right = notes.records[record]?[those] else { return false }
      return right == shown
    }
  }

  /// Remembers that all that shows is right.
  func approve(_ content: Content, after past: Past<Edit>) {
    let seen = past.numbers
    notes.withLock { notes in
      for record in 0..<Edit.recordCount {
        let those = seen.intersection(notes.concerning[record] ?? NumberSet())
        notes.records[record, default: [:]].updateValue(content.records[record], forKey: those)
      }
      notes.logs[seen.intersection(notes.appending)] = content.log
    }
  }
}

extension Edit {
  /// The records that it concerns, whether it happens or not.
  fileprivate var records: [Int] {
    switch self {
    case .commit(let writes): writes.map(\.record)
    case .commitUnknown(let record, _): [record]
    case .given: Array(0..<Edit.recordCount)
    case .append, .abandon, .suffer, .sufferNextMerge, .mixUpReceivers, .resolve: []
    }
  }
}
