/// A part of a delta that travels in several messages: what follows in timestamp order on what was said before.
///
/// A page is no delta: a winner that went out early may hide a loser that the vector would then claim. Whoever takes
/// pages keeps them until the last one has come, and merges them all at once.
public struct DeltaPage: Equatable, Sendable {
  /// What the page brings: `from` is what its receiver covers with what it keeps of earlier pages, `through` what its
  /// sender covered when the page was cut.
  public var delta: Delta

  /// Where the page before it ended, if that was within a timestamp.
  public var start: DeltaPlace?

  /// Where the page ends; nil for the last one.
  public var end: DeltaPlace?

  /// Makes a page.
  public init(_ delta: Delta, after start: DeltaPlace?, end: DeltaPlace?) {
    self.delta = delta
    self.start = start
    self.end = end
  }

  /// What is covered with this page and those before it, once all of them are merged: the provisional vector.
  ///
  /// Everything that the sender covered is in them, up to the first timestamp that is not there completely; it never
  /// tells more than the sender covered at that moment, so that what reached the sender later, at whatever time it was
  /// written, comes with a later page.
  public var reach: VersionVector {
    guard let end else { return delta.from.merging(delta.through) }
    return delta.from.merging(
      end.isWhole ? delta.through.cut(after: end.timestamp) : delta.through.cut(before: end.timestamp))
  }
}

/// A place in a delta: a timestamp up to which everything was said.
public struct DeltaPlace: Hashable, Sendable {
  /// The timestamp.
  public var timestamp: Timestamp

  /// How far within the timestamp, in the sender's words; nil where all of it was said.
  public var rest: String?

  /// Makes a place.
  public init(_ timestamp: Timestamp, rest: String? = nil) {
    self.timestamp = timestamp
    self.rest = rest
  }

  /// Whether everything of the timestamp was said.
  public var isWhole: Bool { rest == nil }
}

extension DeltaPlace: CustomStringConvertible, LosslessStringConvertible {
  /// The textual form: the timestamp, and behind a slash how far within it.
  public var description: String { rest.map { "\(timestamp)/\($0)" } ?? timestamp.description }

  /// Reads the textual form; nil when it is anything else.
  public init?(_ description: String) {
    let parts = description.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let timestamp = Timestamp(String(parts[0])) else { return nil }
    self.init(timestamp, rest: parts.count == 2 ? String(parts[1]) : nil)
  }
}

extension VersionVector {
  /// What of it is not later than a timestamp.
  package func cut(after timestamp: Timestamp) -> VersionVector {
    cut { $0 <= timestamp.replica ? timestamp.time : timestamp.time.predecessor }
  }

  /// What of it is earlier than a timestamp.
  package func cut(before timestamp: Timestamp) -> VersionVector {
    cut { $0 < timestamp.replica ? timestamp.time : timestamp.time.predecessor }
  }

  private func cut(_ bound: (ReplicaID) -> HybridTime) -> VersionVector {
    VersionVector(entries.map { ($0.replica, min($0.time, bound($0.replica))) })
  }
}

extension HybridTime {
  /// The time before this one; the first of all has itself as predecessor.
  fileprivate var predecessor: HybridTime { HybridTime(rawValue: rawValue == 0 ? 0 : rawValue - 1) }
}

extension Delta {
  /// The delta that its pages make up, in whatever way their records overlap.
  ///
  /// As when they are merged one after the other by a replica with this clock, but for what that would take for
  /// conflicts between them: of each address the largest register that is not from the future stays, and the largest
  /// that is.
  package static func joining(_ pages: [Delta], latestAcceptable: HybridTime) -> Delta {
    guard let first = pages.first, let last = pages.last, pages.count > 1 else { return pages[0] }
    let rules = MergeRules(
      latestAcceptable: latestAcceptable, own: last.through, through: last.through)
    var records: [RecordKey: PackedRecord] = [:]
    var entries: [EntryKey: LogEntry] = [:]
    for page in pages {
      for part in page.records {
        records[part.key] =
          RecordMerger(part.fragment, into: records[part.key], key: part.key, rules: rules).result
      }
      for part in page.entries {
        entries[part.key] = entries[part.key]?.merging(part.entry) ?? part.entry
      }
    }
    return Delta(
      dataset: first.dataset, from: first.from, through: last.through,
      records: records.compactMap { key, record in
        // In what travels no slot is marked.
        record.fragment(notCoveredBy: VersionVector()).map { RecordPart(key: key, fragment: $0) }
      },
      entries: entries.map { EntryPart(key: $0.key, entry: $0.value) })
  }
}
