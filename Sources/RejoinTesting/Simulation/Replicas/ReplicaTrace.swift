package import Rejoin
import RejoinCore

/// Everything that a failed or empty operation must leave as it was.
package struct ReplicaTrace: Equatable, Sendable {
  let id: ReplicaID
  let dataset: DatasetID
  let version: VersionVector
  var lastTime: HybridTime
  let digest: Digest
  let state: ReplicaState
  let waiting: [Timestamp]

  /// Whether something waits for its time to come.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Whether another replica knows the same and holds the same.
  package func hasSameContent(as other: ReplicaTrace) -> Bool {
    dataset == other.dataset && version == other.version && digest == other.digest && state == other.state
  }
}

extension Replica {
  /// The replica's present state, to compare with a later one.
  package func trace() throws -> ReplicaTrace {
    // First what reads the store: it also takes in what another replica of one file has committed.
    let digest = try digest()
    return ReplicaTrace(
      id: id, dataset: dataset, version: version, lastTime: lastTime, digest: digest,
      state: try state(), waiting: try waiting().map(\.timestamp))
  }
}
