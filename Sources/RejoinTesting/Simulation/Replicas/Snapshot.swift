import Rejoin
import RejoinCore

/// What a replica holds at a moment, and what it says about itself: all that a failed or empty operation must leave as
/// it was.
package struct Snapshot: Equatable, Sendable {
  let id: ReplicaID
  let dataset: DatasetID
  let version: VersionVector
  let lastTime: HybridTime
  let held: Held
  let waiting: [Timestamp]

  /// Whether another one knows the same and holds the same.
  func hasSameContent(as other: Snapshot) -> Bool {
    dataset == other.dataset && version == other.version && held == other.held
  }
}

extension SimulatedReplica {
  /// What is held and known now; what is held is read as by ``reading()``.
  func snapshot() throws -> Snapshot {
    let reading = try reading()
    return snapshot(reading.held, waiting: reading.waiting)
  }

  /// The same with everything read anew.
  func snapshotAnew() throws -> Snapshot {
    let reading = try readAnew()
    return snapshot(reading.held, waiting: reading.waiting)
  }

  private func snapshot(_ held: Held, waiting: [Timestamp]) -> Snapshot {
    Snapshot(
      id: replica.id, dataset: replica.dataset, version: replica.version, lastTime: replica.lastTime,
      held: held, waiting: waiting)
  }

  /// All that is held: of a storage that tells what commits touched only that is read, of others everything.
  ///
  /// What was read is likely to be what `other` holds.
  func reading(like other: Held? = nil) throws -> Memo.Reading {
    guard let commits = storage.commitCount else { return try readAnew() }
    guard var reading = memo.reading else {
      _ = storage.takeTouched()
      let reading = try readAnew()
      memo.remember(reading, commits: commits)
      return reading
    }
    guard memo.commits != commits else { return reading }
    let touched = storage.takeTouched()
    try replica.withStore { store in
      try reading.held.read(touched, of: store, like: other)
      reading.waiting = try store.waiting(notAfter: .distantFuture).map(\.timestamp)
    }
    reading.touched = touched
    memo.remember(reading, commits: commits)
    return reading
  }

  private func readAnew() throws -> Memo.Reading {
    let dataset = replica.dataset
    return try replica.withStore { store in
      try store.beginReading()
      defer { store.endReading() }
      return Memo.Reading(
        held: try Held(reading: store, dataset: dataset),
        waiting: try store.waiting(notAfter: .distantFuture).map(\.timestamp))
    }
  }
}
