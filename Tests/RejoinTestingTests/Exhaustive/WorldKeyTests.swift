import Testing

@testable import RejoinTesting

/// Which worlds count as equal, among those of a type whose states tell nothing of what happened first.
struct WorldKeyTests {
  private let memory = Memory(of: Numbers<Sound>.self)

  /// What is left of a history when only its future counts.
  private func key(_ steps: [Step<Int>], replicas: Int = 2) throws -> WorldKey {
    var world = memory.world(replicaCount: replicas)
    for value in 0..<2 {
      // So that the operations have numbers.
      var choices = Choices(replaying: ChoiceSequence([UInt64(value)]))
      #expect(world.replicas[0].operation(&choices) == value)
    }
    for step in steps { try world.perform(step) }
    return WorldKey(world)
  }

  @Test func `operations that do not know of each other may happen in any order`() throws {
    let one = try key([.operate(replica: 0, 0), .operate(replica: 1, 1), .exchange(from: 0, to: 1)])
    let other = try key([.operate(replica: 1, 1), .operate(replica: 0, 0), .exchange(from: 0, to: 1)])
    #expect(one == other)
  }

  @Test func `what is learnt twice is learnt once`() throws {
    let once = try key([.operate(replica: 0, 0), .exchange(from: 0, to: 1)])
    #expect(try once == key([.operate(replica: 0, 0), .exchange(from: 0, to: 1), .exchange(from: 0, to: 1)]))
    #expect(try once == key([.exchange(from: 1, to: 0), .operate(replica: 0, 0), .exchange(from: 0, to: 1)]))
  }

  @Test func `it counts which operation had seen which`() throws {
    let concurrent = try key([
      .operate(replica: 0, 0), .operate(replica: 1, 1), .exchange(from: 0, to: 1),
    ])
    let ordered = try key([.operate(replica: 0, 0), .exchange(from: 0, to: 1), .operate(replica: 1, 1)])
    #expect(concurrent != ordered)
  }

  @Test(
    arguments: [
      .operate(replica: 1, 0), .operate(replica: 0, 1), .exchange(from: 0, to: 1), .send(from: 0, to: 1),
      .send(from: 1, to: 0), .cut(from: 0, to: 1), .save(replica: 0), .wait(milliseconds: 1),
      .setClock(replica: 0, byMilliseconds: 1), .stopClock(replica: 1),
      .coarsenClock(replica: 0, milliseconds: 2),
    ] as [Step<Int>])
  func `it counts what each step leaves behind`(step: Step<Int>) throws {
    let before: [Step<Int>] = [.operate(replica: 0, 0)]
    #expect(try key(before) != key(before + [step]))
  }

  @Test func `it counts which message was sent first`() throws {
    let sent: [Step<Int>] = [.operate(replica: 0, 0), .send(from: 0, to: 1), .send(from: 1, to: 0)]
    let otherwise: [Step<Int>] = [.operate(replica: 0, 0), .send(from: 1, to: 0), .send(from: 0, to: 1)]
    #expect(try key(sent) != key(otherwise))
  }

  @Test func `it counts how many replicas there are`() throws {
    #expect(try key([], replicas: 2) != key([], replicas: 3))
  }

  @Test func `more than 32 operations are told apart`() throws {
    let many = Array(repeating: Step.operate(replica: 0, 0), count: 40)
    let seen = try key(many + [.exchange(from: 0, to: 1), .operate(replica: 0, 0)])
    #expect(try seen != key(many + [.operate(replica: 0, 0), .exchange(from: 0, to: 1)]))
    #expect(
      try seen == key(many + [.exchange(from: 0, to: 1), .exchange(from: 1, to: 0), .operate(replica: 0, 0)]))
  }
}
