public import RejoinCore

/// Why an outbox could not go on; what it holds is as it was.
@nonexhaustive
public enum OutboxError: Error, Hashable, Sendable {
  /// What the outbox keeps in the replica's file is not what it wrote there: somebody edited it. `part` names what; run
  /// `rejoin doctor` on the file.
  case damagedState(_ part: String)

  /// The server says that there is more and does not move on, twice, goes in circles, or brings no row on 1,000 pages in
  /// a row: tell whoever runs it.
  case pullDoesNotMove

  /// No dead letter has this id: it was sent, edited or discarded meanwhile.
  case noSuchDeadLetter(OperationID)

  /// This dead letter holds an entry of a log, which never changes: retry or discard it.
  case entryOfLog(OperationID)

  /// This record is neither refused nor in conflict, so there is nothing to decide: it is on its way, or the server holds
  /// it.
  case notStopped(RecordKey)
}

extension OutboxError: CustomStringConvertible {
  /// One sentence that says what happened and what to do.
  public var description: String {
    switch self {
    case .damagedState(let part):
      "what the outbox keeps (\(part)) is damaged: run rejoin doctor on the replica's file"
    case .pullDoesNotMove:
      "the server says that there is more and does not move on: its operator has to mend its cursors"
    case .noSuchDeadLetter(let id):
      "there is no dead letter \(id): it was sent, edited or discarded meanwhile"
    case .entryOfLog(let id):
      "dead letter \(id) holds an entry of a log, which never changes: retry or discard it"
    case .notStopped(let key):
      "record \(key.id) is neither refused nor in conflict: it is on its way, or the server holds it"
    }
  }
}
