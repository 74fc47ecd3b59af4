import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// Somebody else's writes under a replica's own id are never taken for its own.
struct ForkedReplicaIsRefusedTests {
  @Test func `a delta that claims more of a replica than it wrote is refused and changes nothing`() throws {
    let environment = SimulatedEnvironment(seed: 1)
    let replica = Replica(configuration: environment.configuration())
    try replica.append(["text": "mine"], to: "events")
    var through = replica.version
    through.advance(replica.id, to: replica.lastTime.successor)
    let delta = Delta(
      dataset: replica.dataset, from: replica.version, through: through, records: [], entries: [])
    let before = try (replica.version, replica.lastTime, replica.digest())
    #expect(throws: ReplicaError.replicaForked(replica: replica.id)) { try replica.merge(delta) }
    #expect(try before == (replica.version, replica.lastTime, replica.digest()))
  }

  @Test func `a replica's own writes come back to it without harm`() throws {
    let environment = SimulatedEnvironment(seed: 1)
    let replica = Replica(configuration: environment.configuration())
    let peer = Replica(configuration: environment.configuration())
    try replica.append(["text": "mine"], to: "events")
    try replica.sync(with: peer)
    try replica.merge(peer.delta())
    #expect(try replica.digest() == peer.digest())
  }
}
