public import RejoinOutbox

/// How an account or tracker on this device stands to the application's server.
public struct OfflineState: Hashable, Sendable {
  /// Whether it was deleted, by itself or with its account.
  public var tombstoned: Bool

  /// What is known about the way to the server; `synced` where there is no server.
  public var sync: SyncState

  /// Makes a state.
  public init(tombstoned: Bool = false, sync: SyncState = .synced) {
    self.tombstoned = tombstoned
    self.sync = sync
  }

  /// Whether the outbox still has something of it: waiting, in conflict or refused.
  public var dirty: Bool { sync != .synced }

  /// Whether a person should look: it was refused, is in conflict, or has been on its way for too long.
  public var needsAttention: Bool {
    switch sync {
    case .synced: false
    case .waiting(_, _, let needsAttention): needsAttention
    case .conflict, .dead: true
    }
  }
}

/// Which deleted accounts and trackers are shown among the others.
public enum DeletionsShown: CaseIterable, Sendable {
  /// None.
  case none
  /// Those whose deletion the server has not acknowledged; none where there is no server.
  case pending
  /// All, so that they can be restored.
  case all
}
