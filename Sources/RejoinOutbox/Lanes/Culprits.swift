import Rejoin
import RejoinCore

/// Entries that stand alone before a server that says nothing about them.
extension ServerTransaction {
  /// Moves the lane of an entry that failed alone behind all others, so that the next exchange tries those first.
  mutating func moveBehindOthers(_ entry: OutboxEntry, saying error: String) throws {
    guard var lane = try lane(of: entry.subject), lane.entry?.id == entry.id else { return }
    try end(lane)
    lane.sequence = try nextSequence()
    lane.lastError = error
    try keep(lane)
  }

  /// Makes an entry a dead letter that nobody who speaks the protocol has refused: the server may hold it after all.
  mutating func giveUp(
    _ entry: OutboxEntry, reason: String, _ configuration: OutboxConfiguration, _ report: inout DrainReport
  ) throws {
    guard var lane = try lane(of: entry.subject), lane.entry?.id == entry.id else { return }
    lane.isUndecided = true
    try reject(lane, entry, reason: reason, configuration, &report)
  }
}
