public import RejoinCore

/// What a session with a peer did.
public struct SessionReport: Hashable, Sendable {
  /// The other end; nil until it has said so.
  public internal(set) var peer: ReplicaID?
  /// What was sent.
  public internal(set) var sent = PageCounts()
  /// What was received.
  public internal(set) var received = PageCounts()
  /// How many bytes were sent, with all that says where and when.
  public internal(set) var bytesSent = 0
  /// How many bytes were received.
  public internal(set) var bytesReceived = 0
  /// How far the other end's wall clock is ahead of this one's, in milliseconds; nil until it has said so.
  public internal(set) var clockOffsetMilliseconds: Int64?
  /// What was merged here; nil where the last page did not come.
  public internal(set) var merged: MergeReport?

  /// Nothing was done.
  public init() {}
}

/// Why a session with a peer ended early; what either side had keeps, and the next session goes on where it was.
@nonexhaustive
public enum SessionError: Error, Hashable, Sendable {
  /// Both ends are one replica, or one is a copy of the other: sync with another replica.
  case sameReplica(replica: ReplicaID)
  /// The other end said what has no place there: it is no session of this library, or a faulty one.
  case outOfTurn(replica: ReplicaID)
  /// The other end asks for the same again and again: it is at fault.
  case doesNotMove(replica: ReplicaID)
  /// The other end went: its word for why.
  case refused(replica: ReplicaID, Refusal)

  /// Why the other end went.
  public enum Refusal: UInt8, Hashable, Sendable {
    /// Something there failed; try again, or look there.
    case failure
    /// It did not understand what was said.
    case notUnderstood
    /// It speaks other versions of the format: upgrade the older of both.
    case format
    /// It belongs to another data set.
    case otherDataset
    /// It is the same replica, or a copy.
    case sameReplica
  }
}

extension SessionError: CustomStringConvertible {
  /// What happened and what can be done.
  public var description: String {
    switch self {
    case .sameReplica(let replica):
      "Both ends are replica \(replica), or one is a copy of the other's store; sync with another replica."
    case .outOfTurn(let replica):
      "Replica \(replica) was told something that has no place in a session; check what is at the other end."
    case .doesNotMove(let replica):
      "The session of replica \(replica) does not get on: the other end asks for the same again and again."
    case .refused(let replica, let refusal):
      "The other end of replica \(replica)'s session has gone: \(refusal.explanation)"
    }
  }
}

extension SessionError.Refusal {
  fileprivate var explanation: String {
    switch self {
    case .failure: "something failed there; look there, or try again."
    case .notUnderstood: "it did not understand what was said; check that both run this library."
    case .format: "it speaks other versions of the format; upgrade the older of both."
    case .otherDataset: "it belongs to another data set."
    case .sameReplica: "it is the same replica, or a copy of it."
    }
  }
}
