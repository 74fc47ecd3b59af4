import RejoinCore
import Synchronization

/// What was read of a replica, for as long as it is certain to be the same.
///
/// Most messages of a day bring nothing new; reading everything for each of them would take most of the time. Now and
/// then, and at the end, ``SimulatedReplica/inspectAll()`` reads everything all the same: a store that changes without a
/// commit should not escape.
final class Memo: Sendable {
  /// What is held, and which part of it was read last: nil where that was everything.
  struct Reading: Sendable {
    var held: Held
    var waiting: [Timestamp]
    var touched: StoreProbe.Touched?

    /// Whether something waits for its time to come.
    var isWaiting: Bool { !waiting.isEmpty }
  }

  private struct Contents {
    var commits: Int?
    var reading: Reading?
    var content: Content?
    /// The records of which the content shows an earlier state; nil when it may be wrong about all of them.
    var stale: Set<RecordKey>? = []
    var isLogStale = false
    var wallMilliseconds: Int64 = 0
  }

  private let contents = Mutex(Contents())

  /// What was read last, and after how many commits.
  var reading: Reading? { contents.withLock { $0.reading } }
  var commits: Int? { contents.withLock { $0.commits } }

  /// Remembers what was read after so many commits.
  func remember(_ reading: Reading, commits: Int) {
    contents.withLock { contents in
      let wasWaiting = contents.reading?.isWaiting ?? true
      (contents.reading, contents.commits) = (reading, commits)
      if wasWaiting || reading.isWaiting { contents.stale = nil }
      guard let touched = reading.touched else {
        contents.stale = nil
        return
      }
      contents.stale?.formUnion(touched.records)
      if touched.entries.contains(where: { !$0.log.isReserved }) { contents.isLogStale = true }
    }
  }

  /// Replaces what is held by what is equal to it.
  func adopt(_ held: Held) {
    contents.withLock { $0.reading?.held = held }
  }

  /// What shows, after `update` has brought up to date what may have changed: some records, or all of them, and the log.
  ///
  /// What waits shows when its time has come.
  func content(
    of reading: Reading, wallMilliseconds: Int64,
    _ update: (_ content: inout Content, _ stale: Set<RecordKey>?, _ isLogStale: Bool) throws -> Void
  ) rethrows -> Content {
    let now = contents.withLock { $0 }
    let hasMoved = reading.isWaiting && now.wallMilliseconds != wallMilliseconds
    let stale = now.content == nil || hasMoved ? nil : now.stale
    if let content = now.content, stale?.isEmpty == true, !now.isLogStale {
      return content
    }
    var content = stale == nil ? Content() : now.content ?? Content()
    try update(&content, stale, stale == nil || now.isLogStale)
    contents.withLock {
      $0.content = content
      ($0.stale, $0.isLogStale, $0.wallMilliseconds) = ([], false, wallMilliseconds)
    }
    return content
  }
}
