import RejoinCore

/// What an entry of the change index names.
package enum StoredKey: Hashable, Sendable {
  /// A record.
  case record(RecordKey)
  /// A log entry.
  case entry(EntryKey)
}

extension StoredKey: LosslessStringConvertible {
  /// The textual form: what it is, its id and its collection or log.
  package var description: String {
    switch self {
    case .record(let key): "r/\(key.id)/\(key.collection.text)"
    case .entry(let key): "e/\(key.id)/\(key.log.text)"
    }
  }

  /// Reads the textual form; nil when it is anything else.
  package init?(_ description: String) {
    let parts = description.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let (id, name) = (String(parts[1]), String(parts[2]))
    if parts[0] == "r", let id = RecordID(id) {
      self = .record(RecordKey(Collection(name), id))
    } else if parts[0] == "e", let id = EntryID(id) {
      self = .entry(EntryKey(LogName(name), id))
    } else {
      return nil
    }
  }
}

/// A place in the part of the change index that belongs to one origin.
///
/// Entries are in order of time; those of one time are in an order that the store chooses and keeps.
package struct ChangePlace: Hashable, Sendable {
  /// When it was written.
  package var time: HybridTime
  /// What was written; nil stands behind everything of that time.
  package var key: StoredKey?

  /// Makes a place.
  package init(_ time: HybridTime, _ key: StoredKey? = nil) {
    self.time = time
    self.key = key
  }
}
