/// Counts what protocols that keep replicas in step cost, in the experiment of a published comparison.
///
/// Fifteen nodes write once a second each and synchronise with every neighbour once a second. Everything is
/// simulated, to the millisecond, and follows from the seed; what is written when is the same for all protocols.
///
/// ```swift
/// let comparison = ProtocolComparison(topology: .mesh, workload: .gmap(percent: 10), seed: 1)
/// let cost = try comparison.run(.bpRR)
/// ```
/// Source: Enes, Almeida, Baquero, Leitão, *Efficient Synchronization of State-based CRDTs* (ICDE 2019).
public struct ProtocolComparison: Sendable {
  /// Who is whose neighbour.
  public var topology: Topology

  /// What the nodes write.
  public var workload: Workload

  /// What all randomness follows from.
  public var seed: UInt64

  /// How often each node writes.
  public var updates: Int

  /// How many of a hundred messages are lost.
  public var lossPercent: Int

  /// How many of a hundred messages arrive twice.
  public var duplicationPercent: Int

  /// Makes a comparison; without faults, and with 100 updates a node, it is the published one.
  public init(
    topology: Topology, workload: Workload, seed: UInt64, updates: Int = 100, lossPercent: Int = 0,
    duplicationPercent: Int = 0
  ) {
    self.topology = topology
    self.workload = workload
    self.seed = seed
    self.updates = max(updates, 1)
    self.lossPercent = lossPercent
    self.duplicationPercent = duplicationPercent
  }

  /// What nodes write.
  public enum Workload: Hashable, Sendable {
    /// Each update adds an element of its own to a grow-only set.
    case gset

    /// Each update writes so many of a hundred of the 67 keys that its node owns, of a thousand in a map.
    case gmap(percent: Int)
  }

  /// A way to keep replicas in step.
  public enum Contender: Hashable, Sendable, CaseIterable {
    /// Sends the whole state, always.
    case stateBased
    /// Sends what came since the neighbour last acknowledged, in the groups in which it came.
    case deltaBased
    /// The same, but sends no group back to where it came from.
    case bp
    /// The same as the second, but keeps of a group only what was new.
    case rr
    /// Both improvements.
    case bpRR
    /// Exchanges vectors, then what they lack.
    case scuttlebutt
    /// Exchanges the vectors of all nodes, so that everybody knows what everybody has.
    case scuttlebuttMatrix
    /// What this library does: real replicas, of which each pulls from one neighbour at a time what it lacks.
    case rejoin
  }

  /// How many element transfers no protocol can do without: every element must enter every other node.
  ///
  /// Where later updates overwrite earlier ones, a protocol may do with fewer by being late.
  public var fewestTransfers: Int { Plan(self).elementWrites * (topology.neighbours.count - 1) }

  /// Runs a protocol until all nodes hold everything, but at most a minute beyond the last update.
  ///
  /// - Throws: what replicas throw when a protocol gives them deltas that they cannot merge: none should.
  public func run(_ contender: Contender) throws -> ProtocolCost {
    switch workload {
    case .gset: try run(contender, with: ElementSet.self)
    case .gmap: try run(contender, with: ElementMap.self)
    }
  }

  private func run<Elements: Contents>(
    _ contender: Contender, with elements: Elements.Type
  ) throws -> ProtocolCost {
    let plan = Plan(self)
    let clock = SimulatedClock()
    switch contender {
    case .stateBased:
      return try simulate(plan, clock) { _ in StateNode<Elements>(plan) }
    case .deltaBased, .bp, .rr, .bpRR:
      let rules = DeltaRules(
        avoidsBackPropagation: [.bp, .bpRR].contains(contender),
        removesRedundancy: [.rr, .bpRR].contains(contender))
      return try simulate(plan, clock) { DeltaNode<Elements>($0, plan, topology: topology, rules: rules) }
    case .scuttlebutt, .scuttlebuttMatrix:
      let sharesMatrix = contender == .scuttlebuttMatrix
      let columns = plan.updates.indices.map { Elements(update: $0, of: plan).encodedSize(of: plan).columns }
      return try simulate(plan, clock) {
        ScuttlebuttNode($0, plan, columns: columns, sharesMatrix: sharesMatrix)
      }
    case .rejoin:
      return try simulate(plan, clock) { PullNode($0, plan, clock: clock) }
    }
  }

  private func simulate<Node: ProtocolNode>(
    _ plan: Plan, _ clock: SimulatedClock, makeNode: (Int) -> Node
  ) throws -> ProtocolCost {
    var simulation = ProtocolSimulation(self, plan, clock: clock, makeNode: makeNode)
    return try simulation.run()
  }
}
