public import RejoinCore

extension Replica {
  /// What this replica knows and a replica at `version` lacks: current winners only.
  ///
  /// - Complexity: O(n log n) in what is returned, whatever is stored.
  public func delta(since version: VersionVector = VersionVector()) throws -> Delta {
    try withEngine { try $0.reading { try $0.delta(since: version) } }
  }

  /// Merges what another replica knows, whole or not at all, and says what changed, what waits and what
  /// conflicted.
  ///
  /// Merging a delta twice, or an older one after a newer, changes nothing. What gave way to a write that had not seen
  /// it enters the conflict ledger with the merge; see ``conflicts(includingSettled:)``.
  ///
  /// - Throws: `ReplicaError.gap`, `ReplicaError.differentDataset`, `ReplicaError.replicaForked`, and what the store
  ///   throws.
  @discardableResult
  public func merge(_ delta: Delta) throws -> MergeReport {
    try withEngine { try $0.merge(delta) }
  }

  /// Exchanges deltas with another replica of this process, in both directions.
  ///
  /// - Returns: what was merged here, and what was merged there.
  @discardableResult
  public func sync(with peer: Replica) throws -> (here: MergeReport, there: MergeReport) {
    let here = try merge(peer.delta(since: version))
    let there = try peer.merge(delta(since: peer.version))
    return (here, there)
  }

  /// Tells observers which waiting registers came due; every write and merge does so first.
  public func tellDue() throws {
    try withEngine { try $0.tellDue() }
  }
}
