public import RejoinCore

/// What a merge did.
public struct MergeReport: Hashable, Sendable {
  /// What changed for readers.
  public internal(set) var changes = ChangeSet(cause: .merge, records: [], entries: [])

  /// How many registers the delta carried.
  public internal(set) var registersReceived = 0

  /// How many of them are now part of the state; the others had lost already.
  public internal(set) var registersApplied = 0

  /// How many log entries the delta carried, besides those of the library's own logs.
  public internal(set) var entriesReceived = 0

  /// How many entries of the conflict ledger the delta carried.
  public internal(set) var ledgerEntriesReceived = 0

  /// How many of the conflicts this merge added to the ledger; the others stand there already.
  public internal(set) var conflictsRecorded = 0

  /// Concurrent writes that met here for the first time, each with the side that gave way; a loser that gave way to
  /// several stands here several times.
  public internal(set) var conflicts: [Conflict] = []

  /// Registers or log entries of one name and time but unequal content: somebody's store was copied or
  /// damaged.
  ///
  /// They were decided by canonical bytes, alike on every replica.
  public internal(set) var collisions = 0

  /// Whose clock is ahead, by how much, and how much of theirs waits for its time.
  public internal(set) var waiting: [Waiting] = []

  /// What one replica stamped beyond the drift bound.
  public struct Waiting: Hashable, Sendable {
    /// The replica whose clock was ahead.
    public var origin: ReplicaID
    /// How many of its transactions wait, counted per record.
    public var count: Int
    /// How far the furthest lies beyond what is acceptable now, in milliseconds.
    public var offsetMilliseconds: Int64
  }

  mutating func add(_ key: EntryKey) {
    if !key.log.isReserved { entriesReceived += 1 }
    if key.log == .conflicts { ledgerEntriesReceived += 1 }
  }

  mutating func add(_ merger: RecordMerger, latestAcceptable: HybridTime) {
    registersReceived += merger.received
    registersApplied += merger.applied
    collisions += merger.collisions
    conflicts += merger.conflicts
    for timestamp in merger.waiting { addWaiting(timestamp, latestAcceptable: latestAcceptable) }
  }

  private mutating func addWaiting(_ timestamp: Timestamp, latestAcceptable: HybridTime) {
    let offset = timestamp.time.milliseconds - latestAcceptable.milliseconds
    if let index = waiting.firstIndex(where: { $0.origin == timestamp.replica }) {
      waiting[index].count += 1
      waiting[index].offsetMilliseconds = max(waiting[index].offsetMilliseconds, offset)
    } else {
      waiting.append(Waiting(origin: timestamp.replica, count: 1, offsetMilliseconds: offset))
    }
  }
}
