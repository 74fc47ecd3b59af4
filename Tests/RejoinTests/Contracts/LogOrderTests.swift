import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// Entries of a log read in one order everywhere: that of their timestamps, within a transaction that of the calls.
struct LogOrderTests {
  @Test(arguments: 0..<20)
  func `entries of one transaction read in the order of their appends`(seed: UInt64) throws {
    let environment = SimulatedEnvironment(seed: seed)
    let replica = Replica(configuration: environment.configuration())
    try replica.write { transaction in
      for number in Int64(0)..<50 { try transaction.append(["number": .int(number)], to: "events") }
    }
    let peer = Replica(configuration: environment.configuration())
    try peer.merge(Delta(decoding: replica.delta().encoded()))
    let numbers = try peer.log("events").map { $0.entry.values["number"] }
    #expect(numbers == (Int64(0)..<50).map { .int($0) })
    #expect(try Set(peer.log("events").map(\.id)).count == 50)
  }

  @Test func `an entry that came from the future reads before what is appended once its time has come`()
    throws
  {
    let ahead = SimulatedEnvironment(wallMilliseconds: 1_100, seed: 1)
    let right = SimulatedEnvironment(wallMilliseconds: 1_000, seed: 2)
    let sender = Replica(configuration: ahead.configuration(maxDriftMilliseconds: 5))
    let receiver = Replica(configuration: right.configuration(maxDriftMilliseconds: 5))
    try sender.append(["text": "first"], to: "events")
    try receiver.merge(sender.delta())
    #expect(receiver.lastTime < sender.lastTime)
    right.wallMilliseconds = 1_096
    try receiver.append(["text": "second"], to: "events")
    #expect(try receiver.log("events").map { $0.entry.values["text"] } == ["first", "second"])
  }

  @Test func `a deletion from the future comes before what is written once its time has come`() throws {
    let ahead = SimulatedEnvironment(wallMilliseconds: 1_000, seed: 1)
    let right = SimulatedEnvironment(wallMilliseconds: 1_000, seed: 2)
    let sender = Replica(configuration: ahead.configuration(maxDriftMilliseconds: 5))
    let receiver = Replica(configuration: right.configuration(maxDriftMilliseconds: 5))
    let id = sender.newID()
    try sender.insert(["email": "a"], id: id, in: "accounts")
    ahead.wallMilliseconds = 1_100
    try sender.delete(id, in: "accounts")
    try receiver.merge(sender.delta())
    right.wallMilliseconds = 1_096
    try receiver.tellDue()
    #expect(receiver.lastTime == sender.lastTime)
  }
}
