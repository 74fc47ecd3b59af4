import RejoinTesting
import Dispatch
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// Main threads can write and merge without waiting for the disk.
@MainActor
struct BackgroundTests {
  @Test func `a background write does not run on the main thread's actor`() async throws {
    let replica = Replica(configuration: SimulatedEnvironment(seed: 1).configuration())
    let id = replica.newID()
    let timestamp = try await replica.backgroundWrite("Insert") { transaction in
      dispatchPrecondition(condition: .notOnQueue(.main))
      try transaction.insert(["email": "a"], id: id, in: "accounts")
      return transaction.timestamp
    }
    #expect(try replica.fields(of: id, in: "accounts") == ["email": "a"])
    #expect(try replica.label(at: timestamp.time) == "Insert")
  }

  @Test func `a background merge reports as any other`() async throws {
    let sender = Replica(configuration: SimulatedEnvironment(seed: 1).configuration())
    let receiver = Replica(configuration: SimulatedEnvironment(seed: 2).configuration())
    try sender.append(["text": "a"], to: "activity")
    let report = try await receiver.backgroundMerge(sender.delta())
    #expect(report.entriesReceived == 1)
    #expect(try sender.digest() == receiver.digest())
  }

  @Test func `a background write that throws leaves nothing`() async throws {
    let replica = Replica(configuration: SimulatedEnvironment(seed: 1).configuration())
    let before = (replica.version, replica.lastTime)
    await #expect(throws: InjectedFailure.self) {
      try await replica.backgroundWrite { transaction in
        try transaction.append(["text": "a"], to: "activity")
        throw InjectedFailure()
      }
    }
    #expect(before == (replica.version, replica.lastTime))
  }
}
