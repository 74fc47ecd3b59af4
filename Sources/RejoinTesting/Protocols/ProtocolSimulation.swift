import RejoinCore
import Synchronization

/// A node of a simulated network, with one protocol.
protocol ProtocolNode {
  /// What nodes send each other.
  associatedtype Message

  /// Whether a node meets its neighbours one after the other, and not all at once.
  static var takesTurns: Bool { get }

  /// Performs an update of the plan.
  mutating func write(_ update: Int) throws

  /// What this node sends to a neighbour once a second; nil when there is nothing to say.
  mutating func message(to neighbour: Int) throws -> Outgoing<Message>?

  /// Takes in a message, and says what to answer.
  mutating func receive(_ message: Message, from neighbour: Int) throws -> Outgoing<Message>?

  /// Whether this node holds all that was ever written.
  var isComplete: Bool { get }
}

extension ProtocolNode {
  static var takesTurns: Bool { false }
}

/// A message to be sent.
struct Outgoing<Message> {
  /// The message.
  var message: Message
  /// What it costs.
  var cost: ProtocolCost
}

/// Time as the nodes of a simulation read it.
final class SimulatedClock: Sendable {
  private let time = Mutex(0)

  /// Milliseconds from the start.
  var now: Int {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}

/// One run of one protocol.
struct ProtocolSimulation<Node: ProtocolNode> {
  private enum Step {
    case write(Int)
    case meeting(node: Int, neighbour: Int)
    case arrival(Node.Message, from: Int, to: Int)
  }

  /// How long messages take.
  private static var delays: ClosedRange<Int> { 1...5 }

  /// How long after the last update nodes are waited for.
  private static var patience: Int { 60_000 }

  private let comparison: ProtocolComparison
  private let plan: Plan
  private let clock: SimulatedClock
  private var agenda: Agenda<Step>
  private var generator: SplitMix64
  private var nodes: [Node]
  private var isIncomplete: Set<Int>
  private var cost = ProtocolCost()

  init(
    _ comparison: ProtocolComparison, _ plan: Plan, clock: SimulatedClock, makeNode: (Int) -> Node
  ) {
    self.comparison = comparison
    self.plan = plan
    self.clock = clock
    let neighbours = comparison.topology.neighbours
    nodes = neighbours.indices.map(makeNode)
    isIncomplete = Set(neighbours.indices)
    agenda = Agenda(horizon: plan.end + Self.patience)
    generator = SplitMix64(seed: ~comparison.seed)
    for (number, update) in plan.updates.enumerated() { agenda.plan(.write(number), at: update.time) }
    for node in neighbours.indices {
      let phase = generator.number(below: Plan.period)
      for (turn, neighbour) in neighbours[node].enumerated() {
        let offset = Node.takesTurns ? turn * Plan.period / neighbours[node].count : 0
        agenda.plan(.meeting(node: node, neighbour: neighbour), at: phase + offset)
      }
    }
  }

  /// Runs until everybody holds everything and the next two would meet.
  mutating func run() throws -> ProtocolCost {
    while let step = agenda.take() {
      clock.now = agenda.now
      switch step {
      case .write(let update):
        try nodes[plan.updates[update].node].write(update)
        if update == plan.updates.count - 1 { for node in nodes.indices { look(at: node) } }
      case .meeting(let node, let neighbour):
        if cost.hasConverged { return cost }
        send(try nodes[node].message(to: neighbour), from: node, to: neighbour)
        agenda.plan(step, at: agenda.now + Plan.period)
      case .arrival(let message, let sender, let receiver):
        send(try nodes[receiver].receive(message, from: sender), from: receiver, to: sender)
        look(at: receiver)
      }
    }
    return cost
  }

  private mutating func send(_ outgoing: Outgoing<Node.Message>?, from sender: Int, to receiver: Int) {
    guard let outgoing else { return }
    cost.add(outgoing.cost)
    var copies = 1
    if comparison.lossPercent > 0, generator.succeeds(percent: comparison.lossPercent) { copies = 0 }
    if comparison.duplicationPercent > 0, generator.succeeds(percent: comparison.duplicationPercent) {
      copies *= 2
    }
    for _ in 0..<copies {
      let delay = Self.delays.lowerBound + generator.number(below: Self.delays.count)
      agenda.plan(.arrival(outgoing.message, from: sender, to: receiver), at: agenda.now + delay)
    }
  }

  /// Notes whether a node holds everything; before the last update none can.
  private mutating func look(at node: Int) {
    guard agenda.now >= plan.end, isIncomplete.contains(node), nodes[node].isComplete else { return }
    isIncomplete.remove(node)
    if isIncomplete.isEmpty { cost.convergenceDelayMilliseconds = agenda.now - plan.end }
  }
}
