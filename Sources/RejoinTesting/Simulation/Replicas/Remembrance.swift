import Rejoin
import RejoinCore

/// What every process must find that opens a replica's store.
struct Remembrance {
  private let id: ReplicaID
  private let lastTime: HybridTime
  private let trace: ReplicaTrace

  init(of replica: Replica) throws {
    trace = try replica.trace()
    id = replica.id
    lastTime = replica.lastTime
  }

  /// Whether a process finds all of it; its clock may be further, since what waited may have come due meanwhile.
  func isKept(by replica: Replica) throws -> Bool {
    let found = try replica.trace()
    return replica.id == id && replica.lastTime >= lastTime && found.hasSameContent(as: trace)
  }
}
