import Testing

@testable import RejoinTesting

struct PastTests {
  @Test func `whoever had seen an operation comes after it`() throws {
    var world = World<Numbers<Sound>>(replicaCount: 2)
    try world.perform(.operate(replica: 0, 1))
    try world.perform(.operate(replica: 1, 2))
    try world.perform(.exchange(from: 0, to: 1))
    try world.perform(.operate(replica: 1, 3))
    let past = world.past(of: world.knowledge[1].certain)
    let (first, second, third) = (past.events[0], past.events[1], past.events[2])
    #expect(past.operations == [1, 2, 3])
    #expect(past.areConcurrent(first, second) && past.areConcurrent(second, first))
    #expect(past.precedes(first, third) && past.precedes(second, third) && !past.precedes(third, first))
    #expect(!past.areConcurrent(first, first))
    #expect(past.latest { _ in true }.map(\.operation) == [3])
    #expect(past.latest { $0 < 3 }.map(\.operation) == [1, 2])
    #expect(!past.isSequential)
    #expect(world.past(of: world.knowledge[0].certain).isSequential)
  }

  @Test func `what was sent before an operation does not carry it`() throws {
    var world = World<Numbers<Sound>>(replicaCount: 2)
    try world.perform(.operate(replica: 0, 1))
    try world.perform(.send(from: 0, to: 1))
    try world.perform(.operate(replica: 0, 2))
    try world.perform(.deliver(message: 0))
    #expect(world.past(of: world.knowledge[1].certain).operations == [1])
    #expect(world.replicas[1].observation == [1])
  }

  @Test func `operations one after the other at several replicas are sequential`() throws {
    var world = World<Numbers<Sound>>(replicaCount: 3)
    for replica in 0..<3 {
      try world.perform(.operate(replica: replica, replica + 1))
      try world.perform(.exchange(from: replica, to: (replica + 1) % 3))
    }
    #expect(world.past(of: world.knowledge[0].certain).isSequential)
  }

  @Test func `sets of numbers grow beyond a word`() {
    var (small, large) = (NumberSet(), NumberSet())
    small.insert(3)
    large.insert(200)
    #expect(!large.isSuperset(of: small) && !small.isSuperset(of: large))
    large.formUnion(small)
    #expect(large.isSuperset(of: small) && large.contains(3) && large.contains(200) && !large.contains(64))
  }
}
