import RejoinTesting
import Testing

/// The published comparison of protocols comes out as published, and the library's own protocol keeps its goals.
struct ProtocolTests {
  struct Faults: Sendable {
    let loss: Int
    let duplication: Int
    let workload: ProtocolComparison.Workload

    init(_ loss: Int, _ duplication: Int, _ workload: ProtocolComparison.Workload) {
      (self.loss, self.duplication, self.workload) = (loss, duplication, workload)
    }
  }

  @Test(arguments: ProtocolComparison.Topology.allCases)
  func `the published ratios come out within 5 %, and the own protocol keeps its goals`(
    topology: ProtocolComparison.Topology
  ) throws {
    let comparison = ProtocolComparison(topology: topology, workload: .gset, seed: 1)
    var report = ProtocolReport(comparison)
    for contender in ProtocolComparison.Contender.allCases {
      report.add(try comparison.run(contender), of: contender)
    }
    #expect(report.misses.isEmpty)
    let compared = ProtocolComparison.Contender.allCases.filter { report.deviation(of: $0) != nil }
    #expect(compared == [.stateBased, .deltaBased, .bp, .rr, .bpRR, .scuttlebuttMatrix])
    #expect(comparison.fewestTransfers == 21_000)
    #expect(try #require(report.transferRatio(of: .rejoin)) <= 1.05)
    let bytes = try #require(report.byteRatio(of: .rejoin, \.sessionBytes))
    #expect(topology == .tree ? bytes < 1 : bytes < 0.5)
  }

  @Test(
    arguments: ProtocolComparison.Topology.allCases,
    [ProtocolComparison.Workload.gset, .gmap(percent: 10)])
  func `with every protocol all nodes come to hold everything`(
    topology: ProtocolComparison.Topology, workload: ProtocolComparison.Workload
  ) throws {
    let comparison = ProtocolComparison(topology: topology, workload: workload, seed: 2, updates: 2)
    for contender in ProtocolComparison.Contender.allCases {
      let cost = try comparison.run(contender)
      #expect(cost.hasConverged, "\(contender)")
      // Every element entered every other node, unless it was overwritten before.
      let isOverwritten = workload != .gset
      #expect(isOverwritten || cost.elements >= comparison.fewestTransfers, "\(contender)")
    }
  }

  @Test(arguments: [Faults(20, 0, .gset), Faults(0, 20, .gset), Faults(20, 20, .gmap(percent: 10))])
  func `lost and repeated messages keep no protocol from bringing everything everywhere`(
    faults: Faults
  ) throws {
    let comparison = ProtocolComparison(
      topology: .mesh, workload: faults.workload, seed: 3, updates: 5, lossPercent: faults.loss,
      duplicationPercent: faults.duplication)
    for contender in ProtocolComparison.Contender.allCases {
      #expect(try comparison.run(contender).hasConverged, "\(contender)")
    }
  }

  @Test func `where no message arrives nobody holds everything`() throws {
    for contender in ProtocolComparison.Contender.allCases {
      let comparison = ProtocolComparison(
        topology: .tree, workload: .gset, seed: 1, updates: 2, lossPercent: 100)
      let cost = try comparison.run(contender)
      #expect(!cost.hasConverged && cost.messages > 0, "\(contender)")
    }
  }

  @Test func `one seed gives the same figures twice, another seed gives others`() throws {
    for contender in ProtocolComparison.Contender.allCases {
      let cost = try Self.faulty(seed: 1).run(contender)
      #expect(try Self.faulty(seed: 1).run(contender) == cost, "\(contender)")
      #expect(try Self.faulty(seed: 2).run(contender) != cost, "\(contender)")
    }
  }

  @Test func `a figure that is off is reported`() throws {
    let comparison = ProtocolComparison(topology: .mesh, workload: .gset, seed: 1, updates: 10)
    var report = ProtocolReport(comparison)
    // Ten updates instead of a hundred: too few units, and a state that never grows as large as published.
    report.add(try comparison.run(.bpRR), of: .bpRR)
    report.add(try comparison.run(.stateBased), of: .stateBased)
    // The wrong protocol under the name of the own one.
    report.add(try comparison.run(.rr), of: .rejoin)
    #expect(report.misses.count == 4, "\(report.misses)")
  }

  private static func faulty(seed: UInt64) -> ProtocolComparison {
    ProtocolComparison(
      topology: .mesh, workload: .gset, seed: seed, updates: 5, lossPercent: 10, duplicationPercent: 10)
  }
}
