import Testing

@testable import RejoinTesting

/// What happens at the end of every history, before convergence is judged.
struct SettlingTests {
  @Test
  func `every clock is right again: whoever refuses what comes from the future need not refuse for ever`()
    throws
  {
    for fault in [
      Step<Int>.setClock(replica: 1, byMilliseconds: -1_000), .stopClock(replica: 1),
      .coarsenClock(replica: 1, milliseconds: 10_000_000),
    ] {
      var world = World<Punctual>(replicaCount: 2)
      for step in [fault, .wait(milliseconds: 1_000), .operate(replica: 0, 7), .exchange(from: 0, to: 1)] {
        try world.perform(step)
      }
      #expect(world.refusalCount == 1, "\(fault)")
      try world.settle()
      #expect(world.replicas.map(\.value) == [7, 7], "\(fault)")
    }
  }

  @Test func `no link is cut any more`() throws {
    var world = World<Punctual>(replicaCount: 2)
    for step in [Step<Int>.cut(from: 0, to: 1), .operate(replica: 0, 7), .exchange(from: 0, to: 1)] {
      try world.perform(step)
    }
    #expect(world.replicas[1].value == 0)
    try world.settle()
    #expect(world.replicas[1].value == 7)
  }
}

/// The last value written; takes nothing in that its own clock says has not happened yet.
private struct Punctual: ReplicatedType {
  struct Written: Sendable {
    var value = 0
    var time: Int64 = 0
  }

  private var last = Written()

  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> Int { choices.number(below: 3) }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) {
    last = Written(value: operation, time: max(last.time + 1, clockMilliseconds))
  }

  func message(to receiver: Int) -> Written? { last }

  mutating func merge(_ message: Written, from sender: Int, clockMilliseconds: Int64) -> Bool {
    guard message.time <= clockMilliseconds else { return false }
    if message.time > last.time { last = message }
    return true
  }

  var value: Int { last.value }

  var observation: Int { value }
}
