import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// A data set that the application chose is kept; one that was drawn is exchanged for that of the first peer.
struct ChosenDatasetTests {
  private func replica(_ name: String?) -> Replica {
    var configuration = SimulatedEnvironment(seed: UInt64(name?.utf8.count ?? 0)).configuration()
    configuration.dataset = name.map { DatasetID(name: $0) }
    return Replica(configuration: configuration)
  }

  @Test func `an empty replica of a chosen data set refuses another`() throws {
    let (alice, bob) = (replica("alice"), replica("bob"))
    try alice.append(["text": "hers"], to: "activity")
    #expect(throws: ReplicaError.self) { try bob.merge(alice.delta()) }
    #expect(bob.dataset == DatasetID(name: "bob"))
    #expect(try bob.logs().isEmpty)
  }

  @Test func `an empty replica of a drawn data set takes that of its first peer`() throws {
    let (alice, drawn) = (replica("alice"), replica(nil))
    try alice.append(["text": "hers"], to: "activity")
    try drawn.merge(alice.delta())
    #expect(drawn.dataset == alice.dataset)
  }
}
