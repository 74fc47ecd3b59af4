import RejoinCore
@testable import RejoinTesting
import Testing

/// Who meets whom, who is away, and what is left of the past when everybody has met everybody.
struct MeetingTests {
  @Test func `who is connected with whom`() {
    func links(_ topology: Topology, _ count: Int) -> [[Int]] {
      (0..<count).map { one in (0..<count).filter { topology.connects(one, $0, of: count) } }
    }
    #expect(links(.mesh, 3) == [[1, 2], [0, 2], [0, 1]])
    #expect(links(.star, 4) == [[1, 2, 3], [0], [0], [0]])
    #expect(links(.ring, 4) == [[1, 3], [0, 2], [1, 3], [0, 2]])
    #expect(links(.ring, 2) == [[1], [0]])
    #expect(links(.pairs, 5) == [[1], [0], [3, 4], [2, 4], [2, 3]])
  }

  @Test(arguments: Topology.allCases)
  func `what is drawn keeps to the topology`(topology: Topology) {
    var options = TestOptions(replicas: 5, faults: .reordering)
    options.fewestReplicas = 5
    options.topologies = [topology]
    for seed in UInt64(0)..<50 {
      let history = History<Numbers<Sound>>(seed: seed, options: options)
      #expect(history.replicaCount == 5)
      for drawn in history.steps {
        if case .exchange(let from, let to) = drawn.step { #expect(topology.connects(from, to, of: 5)) }
        if case .send(let from, let to) = drawn.step { #expect(topology.connects(from, to, of: 5)) }
      }
    }
  }

  @Test func `nothing happens at whoever is away, and nothing reaches it`() throws {
    var world = World<Numbers<Sound>>(replicaCount: 3)
    try world.perform(.operate(replica: 0, 1))
    try world.perform(.send(from: 0, to: 1))
    try world.perform(.leave(replica: 1))
    try world.perform(.operate(replica: 1, 2))
    try world.perform(.deliver(message: 0))
    try world.perform(.exchange(from: 0, to: 1))
    #expect(world.replicas[1].state == [])
    #expect(world.network.underWay.isEmpty)
    try world.perform(.comeBack(replica: 1))
    try world.perform(.exchange(from: 0, to: 1))
    #expect(world.replicas[1].state == [1])
    try world.perform(.leave(replica: 2))
    try world.settle()
    #expect(world.replicas[2].state == [1])
  }

  @Test func `every kind of step that is allowed is drawn, at rates and without`() {
    var options = TestOptions(replicas: 4, faults: .all.union(.absences))
    func drawn(_ seeds: Range<UInt64>) -> Set<Int> {
      var kinds: Set<Int> = []
      for seed in seeds {
        let shape = History<Numbers<Sound>>(seed: seed, options: options).shape
        kinds.formUnion(shape.steps.compactMap { shape.kind(of: $0)?.rawValue })
      }
      return kinds
    }
    // Numbers are kept at once: nobody saves them.
    let all = Set(StepKind.allCases.map(\.rawValue)).subtracting([StepKind.save.rawValue])
    #expect(drawn(0..<200) == all)
    options.rates = TestOptions.Rates(lossPercent: 10, duplicationPercent: 10, crashPercent: 10)
    options.steps = 2_000
    let unused: [StepKind] = [.exchange, .cut, .mend, .wait, .stopClock, .coarsenClock]
    #expect(drawn(0..<3) == all.subtracting(unused.map(\.rawValue)))
  }

  @Test func `what is lost, arrives twice and crashes is as often as the rates say`() {
    var options = TestOptions(replicas: 3, steps: 20_000, faults: .all.union(.absences))
    options.rates = TestOptions.Rates(lossPercent: 20, duplicationPercent: 10, crashPercent: 4)
    var counts: [String: Int] = [:]
    for drawn in History<Numbers<Sound>>(seed: 1, options: options).steps {
      let word = "\(drawn.step)".split(separator: " ").last.map(String.init) ?? ""
      counts[word, default: 0] += 1
    }
    let (lost, arrived, stays) = (counts["lost"] ?? 0, counts["arrives"] ?? 0, counts["stays"] ?? 0)
    #expect((18...22).contains(100 * lost / (lost + arrived + stays)))
    #expect((8...12).contains(100 * stays / (lost + arrived + stays)))
    #expect((3...5).contains(100 * (counts["crashes"] ?? 0) / 20_000))
  }

  @Test func `clocks are off by no more than the limit where rates are given`() throws {
    var options = TestOptions(replicas: 3, steps: 5_000, faults: .clocks)
    options.rates = TestOptions.Rates()
    options.clockStepMilliseconds = 700
    let history = History<Numbers<Sound>>(seed: 1, options: options)
    var offsets = [Int64](repeating: 0, count: 3)
    var greatest: Int64 = 0
    for drawn in history.steps {
      guard case .setClock(let replica, let amount) = drawn.step else { continue }
      offsets[replica] += amount
      greatest = max(greatest, abs(offsets[replica]))
    }
    #expect(greatest == 700)
  }

  @Test func `after a meeting one operation stands for the past, and the oracles still see`() throws {
    typealias Subject = SimulatedReplica<MemoryStorage>
    var world = World<Subject>(replicaCount: 3)
    try world.perform(.operate(replica: 0, .commit([.insert(record: 0, ["a": 1, "b": .null])])))
    try world.perform(.operate(replica: 1, .append("B1")))
    try world.perform(.operate(replica: 2, .commit([.insert(record: 1, [:])])))
    try world.perform(.operate(replica: 2, .commit([.delete(record: 1)])))
    try world.perform(.meet)
    #expect(world.events.count == 1)
    try world.perform(.operate(replica: 1, .commit([.set(record: 0, ["a": 2])])))
    try world.perform(.operate(replica: 2, .commit([.restore(record: 1)])))
    try world.perform(.meet)
    let content = world.replicas[0].observation
    #expect(content.records[0] == Content.Record(count: 1, fields: ["a": 2, "b": .null]))
    #expect(content.records[1]?.count == 3)
    // What the summary does not explain is objected to.
    for lie in [
      Content(records: content.records, log: []),
      Content(records: [1: content.records[1]].compactMapValues(\.self), log: content.log),
      Content(
        records: content.records.mapValues { Content.Record(count: $0.count, fields: [:]) }, log: ["B1"]),
    ] {
      #expect(Subject.objection(to: lie, after: world.past(of: world.knowledge[0].certain)) != nil, "\(lie)")
      #expect(Subject.expected(after: world.events.map(\.operation)) != lie)
    }
    #expect(Subject.objection(to: content, after: world.past(of: world.knowledge[0].certain)) == nil)
  }
}
