package import RejoinCore

/// A write of one record: what a transaction consists of.
package enum Write: Sendable {
  /// A new record, or a new life of a deleted one.
  case insert(record: Int, [String: Value])
  /// Some fields of a visible record.
  case set(record: Int, [String: Value])
  /// A deletion.
  case delete(record: Int)
  /// A deleted record comes back as it was.
  case restore(record: Int)
  /// An edit of the counter or the set of a visible record, and whether it has happened.
  case count(record: Int, Counting, hasHappened: Bool)

  /// The record that it is about.
  package var record: Int {
    switch self {
    case .insert(let record, _), .set(let record, _), .delete(let record), .restore(let record),
      .count(let record, _, _):
      record
    }
  }
}

/// An edit of the counter or the set that every record has.
package enum Counting: Equatable, Sendable {
  /// An amount is added to the counter.
  case increment(Int64)
  /// All increments that are seen are taken back.
  case reset
  /// An element is added to the set, whether it is there or not.
  case add(Value)
  /// An element is removed from the set, if it is there.
  case remove(Value)
  /// All increments and elements that are seen are taken back: what an insert under the id of a deleted record does
  /// besides. It is never drawn, and stands behind such an insert that has happened.
  case startAfresh
}

/// What users of the library do, and what goes wrong at their replica.
package enum Edit: Sendable {
  /// A transaction; one that the rules refuse changes nothing.
  case commit([Write])
  /// A version of tomorrow writes a register of a kind that nobody knows today.
  case commitUnknown(record: Int, Value)
  /// A log entry.
  case append(String)
  /// A transaction that is given up after its writes.
  case abandon([Write])
  /// A transaction during which something goes wrong in the storage, after some of its operations; it may have
  /// happened all the same.
  case suffer(Misfortune, after: Int, [Write])
  /// Something will go wrong in the storage during the next merge.
  case sufferNextMerge(Misfortune, after: Int)
  /// All that happened before: everybody has seen it, and shows this.
  case given(Content)
  /// Somebody resolves one of the conflicts that the ledger lists.
  case resolve(Int, Resolution)
  /// The next message takes the receiver for another replica, and may leave out what it lacks.
  case mixUpReceivers
}

/// How somebody resolves a conflict.
package enum Resolution: Sendable {
  /// By what shows.
  case winner
  /// By what gave way.
  case loser
  /// By something else.
  case value(Value)
}

extension Edit {
  /// How many records there are: small domains meet often.
  package static let recordCount = 3

  /// How many log entries there are at most.
  private static let mostEntries = 12

  /// The field that is a counter.
  package static let counterField = "n"

  /// The field that is a set.
  package static let setField = "s"

  /// The field that only a later version knows, as the models call it.
  package static let unknownField = "a#7"

  /// What kinds of edits a subject can take; those that stand more often are drawn more often.
  package enum Repertoire {
    /// Records by themselves, one write after the other.
    case records
    /// The same with counters and sets.
    case countedRecords
    /// Records and logs by themselves.
    case lattice
    /// Transactions of several writes, logs and what may go wrong.
    case replica([Misfortune])

    fileprivate var counts: Bool {
      switch self {
      case .records, .lattice: false
      case .countedRecords, .replica: true
      }
    }

    fileprivate var misfortunes: [Misfortune] {
      if case .replica(let misfortunes) = self { misfortunes } else { [] }
    }

    fileprivate var kinds: [Kind] {
      switch self {
      case .records, .countedRecords: [.commit, .commit, .commit, .commitUnknown]
      case .lattice: Repertoire.records.kinds + [.commit, .append]
      case .replica:
        Repertoire.lattice.kinds + Repertoire.records.kinds + [
          .abandon, .suffer, .sufferNextMerge, .mixUpReceivers, .resolve,
        ]
      }
    }
  }

  fileprivate enum Kind {
    case commit, commitUnknown, append, abandon, suffer, sufferNextMerge, mixUpReceivers, resolve
  }

  private enum Verb {
    case insert, set, delete, restore, count
  }

  /// Some edit that mostly makes sense where this content shows.
  package static func draw(
    _ choices: inout Choices, over content: Content, writer: Int, _ repertoire: Repertoire
  ) -> Edit {
    let kinds = repertoire.kinds
    let isCounting = choices.focus == .counting && repertoire.counts
    switch kinds[choices.number(below: kinds.count, favouring: isCounting ? 0 : nil)] {
    case .commit: return .commit(drawTransaction(&choices, content, repertoire))
    case .commitUnknown:
      let record = choices.place(below: recordCount)
      return .commitUnknown(record: record, .unknown(kind: 0x1f, bytes: [UInt8(choices.number(in: 1...3))]))
    // A log is read whole wherever it is judged.
    case .append where content.log.count >= Self.mostEntries:
      return .commit(drawTransaction(&choices, content, repertoire))
    case .append: return .append(content.nextEntry(of: writer))
    case .abandon: return .abandon(drawTransaction(&choices, content, repertoire))
    case .suffer:
      let (misfortune, place) = drawMisfortune(&choices, repertoire)
      return .suffer(misfortune, after: place, drawTransaction(&choices, content, repertoire))
    case .sufferNextMerge:
      let (misfortune, place) = drawMisfortune(&choices, repertoire)
      return .sufferNextMerge(misfortune, after: place)
    case .mixUpReceivers: return .mixUpReceivers
    case .resolve:
      let resolution = choices.element(of: [
        Resolution.winner, .winner, .loser, .loser, .value(1), .value(.null),
      ])
      return .resolve(choices.number(below: 4), resolution)
    }
  }

  private static func drawTransaction(
    _ choices: inout Choices, _ content: Content, _ repertoire: Repertoire
  ) -> [Write] {
    let first = drawWrite(
      &choices, content, of: choices.place(below: recordCount), counts: repertoire.counts)
    guard !repertoire.misfortunes.isEmpty, choices.happens(percent: 30) else { return [first] }
    // Most often about what the first one has left: what is deleted and restored at one time is rare otherwise.
    var content = content
    _ = Notebook.perform(first, on: &content.records)
    let record = choices.happens(percent: 60) ? first.record : choices.place(below: recordCount)
    return [first, drawWrite(&choices, content, of: record, counts: repertoire.counts)]
  }

  private static func drawMisfortune(
    _ choices: inout Choices, _ repertoire: Repertoire
  ) -> (Misfortune, after: Int) {
    let misfortunes = repertoire.misfortunes
    let misfortune = misfortunes.count > 1 ? choices.element(of: misfortunes) : misfortunes[0]
    return (misfortune, misfortune.places > 1 ? choices.number(below: misfortune.places) : 0)
  }

  /// What the rules allow is drawn most often, what they refuse now and then.
  private static func drawWrite(
    _ choices: inout Choices, _ content: Content, of record: Int, counts: Bool
  ) -> Write {
    let verbs: [Verb] =
      switch content.records[record]?.isAlive {
      case nil: [.insert, .insert, .insert, .insert, .insert, .set, .delete, .restore]
      case true?:
        [.set, .set, .set, .set, .delete, .delete, .insert, .restore]
          + (counts ? Array(repeating: .count, count: 8) : [])
      case false?: [.restore, .restore, .insert, .insert, .set, .delete] + (counts ? [.count] : [])
      }
    let isCounting = choices.focus == .counting && verbs.last == .count
    switch verbs[choices.number(below: verbs.count, favouring: isCounting ? verbs.count - 1 : nil)] {
    case .insert: return .insert(record: record, drawFields(&choices))
    case .set: return .set(record: record, drawFields(&choices))
    case .delete: return .delete(record: record)
    case .restore: return .restore(record: record)
    case .count: return .count(record: record, drawCounting(&choices), hasHappened: false)
    }
  }

  /// Adding and removing one element is what races are about; another one is there to be told apart.
  private static let elements: [Value] = [1, 1, 1, "x"]

  private static func drawCounting(_ choices: inout Choices) -> Counting {
    switch choices.number(below: 12) {
    case 0, 1: .increment(choices.element(of: [1, 2, -3]))
    case 2: .reset
    case 3...7: .add(elements[choices.place(below: elements.count)])
    default: .remove(elements[choices.place(below: elements.count)])
    }
  }

  private static func drawFields(_ choices: inout Choices) -> [String: Value] {
    let names = [["a"], ["b"], ["a", "b"], []][choices.place(below: 4)]
    return Dictionary(uniqueKeysWithValues: names.map { ($0, choices.element(of: [1, 2, 3, .null])) })
  }
}

extension Write: CustomStringConvertible {
  /// The write in a few words.
  package var description: String {
    switch self {
    case .insert(let record, let fields): "insert \(record) \(Content.text(fields))"
    case .set(let record, let fields): "set \(record) \(Content.text(fields))"
    case .delete(let record): "delete \(record)"
    case .restore(let record): "restore \(record)"
    case .count(let record, .increment(let amount), _): "add \(amount) to \(record)"
    case .count(let record, .reset, _): "reset \(record)"
    case .count(let record, .add(let element), _): "insert \(Content.text(element)) into \(record)"
    case .count(let record, .remove(let element), _): "remove \(Content.text(element)) from \(record)"
    case .count(let record, .startAfresh, _): "\(record) starts afresh"
    }
  }
}

extension Resolution: CustomStringConvertible {
  /// What is kept.
  package var description: String {
    switch self {
    case .winner: "keep the winner"
    case .loser: "keep the loser"
    case .value(let value): "write \(Content.text(value))"
    }
  }
}

extension Edit: CustomStringConvertible {
  /// The edit in a few words.
  package var description: String {
    switch self {
    case .commit(let writes): Self.text(writes)
    case .commitUnknown(let record, let value): "set \(record) \(Content.text([Self.unknownField: value]))"
    case .append(let text): "append \(text)"
    case .abandon(let writes): "give up: \(Self.text(writes))"
    case .suffer(let misfortune, let place, let writes):
      "\(misfortune.rawValue)\(Self.text(after: place)) at: \(Self.text(writes))"
    case .sufferNextMerge(let misfortune, let place):
      "\(misfortune.rawValue)\(Self.text(after: place)) at the next merge"
    case .given(let content): "given \(content)"
    case .resolve(let number, let resolution): "resolve conflict \(number): \(resolution)"
    case .mixUpReceivers: "the next message takes its receiver for another"
    }
  }

  private static func text(after place: Int) -> String { place == 0 ? "" : " after \(place) operations" }

  private static func text(_ writes: [Write]) -> String {
    writes.map(\.description).joined(separator: " and ")
  }
}
