import RejoinCore
import RejoinOutbox

extension Form {
  /// The keys of ``letter(_:)``.
  static let letterKeys = "{operation, entity, id, kind, fields, reason, created}"

  /// A dead letter: what it was about, without its values.
  static func letter(_ letter: DeadLetter) -> JSON {
    [
      "operation": .string(letter.id.description), "entity": .string(letter.entry.subject.entity),
      "id": .string(letter.entry.subject.id), "kind": .string(letter.entry.operation.rawValue),
      "fields": .array(letter.entry.payload.map { .string($0.name) }), "reason": .string(letter.reason),
      "created": .int(letter.entry.createdAt),
    ]
  }

  /// A dead letter as a line of text.
  static func text(_ letter: DeadLetter) -> String {
    let fields = letter.entry.payload.map { name($0.name) }.joined(separator: ", ")
    return "\(letter.id) (\(letter.entry.operation.rawValue) of \(text(letter.entry.subject))"
      + "\(fields.isEmpty ? "" : ": \(fields)")): \(name(letter.reason))"
  }

  /// How many need a person.
  static func needing(_ number: Int) -> String { "\(number) need\(number == 1 ? "s" : "") your attention" }

  /// A record or log entry as text.
  static func text(_ subject: Subject) -> String { "\(name(subject.entity)) \(subject.id)" }

  /// Something that waits.
  static func waiting(_ change: WaitingChange) -> JSON {
    var (attempts, error, state): (Int64, String?, String) = (0, nil, "waiting")
    switch change.state {
    case .synced: state = "synced"
    case .waiting(let count, let last, let needsAttention):
      (attempts, error, state) = (Int64(count), last, needsAttention ? "needs_attention" : "waiting")
    case .conflict: state = "conflict"
    case .dead(let reason): (state, error) = ("refused", reason)
    }
    return [
      "entity": .string(change.subject.entity), "id": .string(change.subject.id), "state": .string(state),
      "attempts": .int(attempts), "error": error.map { .string($0) } ?? .null,
      "since": change.since.map { .int($0) } ?? .null,
      "operation": change.operation.map { .string($0.description) } ?? .null,
    ]
  }

  /// Something that waits as a line of text; nil for what was refused, which is told with its key.
  static func text(_ change: WaitingChange) -> String? {
    let since = change.since.map { ", since \(ISO8601.text($0) ?? "\($0) ms")" } ?? ""
    switch change.state {
    case .synced, .dead: return nil
    case .waiting(let attempts, let error, let needsAttention):
      let tries = attempts == 0 ? "" : ", \(count(attempts, "attempt"))"
      let last = error.map { ", last answer: \(name($0))" } ?? ""
      return "\(needsAttention ? "stuck" : "waits"): \(text(change.subject))\(since)\(tries)\(last)"
    case .conflict:
      return
        "conflict: \(text(change.subject))\(since): the server has another version of it; retry or discard "
        + "\(name("\(change.subject.entity)/\(change.subject.id)")), or write it once more with rejoin set"
    }
  }
}
