import Rejoin
public import RejoinCore

/// Why a file cannot serve as a replica; the file is unharmed.
@nonexhaustive
public enum StoreError: Error, Hashable, Sendable {
  /// The file is a SQLite database of another application.
  case foreignFile(path: String)

  /// A newer version of the library wrote the file, or has taken it over since; upgrade this application.
  case newerVersion(path: String, found: Int, supported: Int)

  /// The file lacks or contradicts something that a replica's file has; restore it from a backup or a peer.
  case damaged(path: String, what: String)

  /// The file would hold more collections and logs than a replica may; nothing was changed.
  case tooManyCollections(path: String, limit: Int)

  /// The replica has let go of its file; call `resume()` first.
  case suspended(path: String)

  /// The file was moved, deleted, replaced or set back since the replica opened it; nothing was written. Put it back,
  /// or open what is at the path as a replica of its own.
  case notThisReplica(path: String)

  /// Only replicas in files can be backed up; merge this one into a new replica instead.
  case notAFile

  /// A stored record or log entry cannot be read; the others can.
  case unreadable(path: String, key: String, cause: CodingError?)
}

extension StoreError: StoreFailure {
  /// Whether one record or log entry cannot be read, while everything else can.
  package var isOfOneAddress: Bool {
    if case .unreadable = self { true } else { false }
  }
}

extension StoreError: CustomStringConvertible {
  /// What happened, to which file, and what can be done.
  public var description: String {
    switch self {
    case .foreignFile(let path):
      "\(path) is a database of another application; choose another file."
    case .newerVersion(let path, let found, let supported):
      "\(path) was written by a newer version (layout \(found), this one knows \(supported)); "
        + "upgrade this application."
    case .damaged(let path, let what):
      "\(path) is damaged (\(what)); restore it from a backup, or start anew and merge from a peer."
    case .tooManyCollections(let path, let limit):
      "\(path) would hold more than \(limit) collections and logs; whoever sent them may not be one of yours."
    case .suspended(let path):
      "The replica has let go of \(path); resume it first."
    case .notThisReplica(let path):
      "The file at \(path) is not, or no longer, this replica's: it was moved, deleted, replaced or set back; "
        + "put it back and try again, or open the path anew."
    case .notAFile:
      "This replica lives in memory; to keep it, merge it into a new replica in a file."
    case .unreadable(let path, let key, let cause):
      "\(path) holds something unreadable at \(key)\(cause.map { " (\($0))" } ?? ""); "
        + "merge that record from a peer, or restore the file from a backup."
    }
  }
}
