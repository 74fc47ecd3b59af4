public import RejoinCore

/// Something that is no error, and that those who look after an application want to know.
///
/// Nothing of it needs a reaction: every replica goes on alike.
@nonexhaustive
public enum Diagnostic: Hashable, Sendable {
  /// A merge met registers or log entries of one name and time but unequal content: somebody's store was copied or
  /// damaged. They were decided by canonical bytes.
  case collision(count: Int)

  /// A merge met writes of a replica whose clock is ahead: they wait for their time.
  case clockAhead(replica: ReplicaID, transactions: Int, offsetMilliseconds: Int64)

  /// Another process committed to the same file.
  case otherProcessCommitted

  /// Somebody listed a collection in which the store cannot read some records; the others were listed.
  case unreadable(collection: Collection, count: Int)

  /// The replica released its file and its locks.
  case suspended

  /// The replica opened its file again.
  case resumed
}

extension Diagnostic: CustomStringConvertible {
  /// What happened.
  public var description: String {
    switch self {
    case .collision(let count):
      "\(count) registers or log entries of one name and time had unequal content; a store was copied or damaged."
    case .clockAhead(let replica, let transactions, let offset):
      "The clock of replica \(replica) is ahead by \(offset) ms more than is accepted; "
        + "\(transactions) of its transactions wait."
    case .otherProcessCommitted: "Another process committed to the same file."
    case .unreadable(let collection, let count):
      "\(count) records of \(collection) cannot be read; merge them from a peer, or restore the file from a backup."
    case .suspended: "The replica released its file."
    case .resumed: "The replica opened its file again."
    }
  }
}
