/// A node that sends its whole state.
struct StateNode<Elements: Contents>: ProtocolNode {
  private let plan: Plan
  private let everything: Elements
  private var state: Elements

  init(_ plan: Plan) {
    self.plan = plan
    everything = .everything(of: plan)
    state = Elements(of: plan)
  }

  var isComplete: Bool { state == everything }

  mutating func write(_ update: Int) { state.merge(Elements(update: update, of: plan)) }

  mutating func message(to neighbour: Int) -> Outgoing<Elements>? {
    Outgoing(message: state, cost: ProtocolCost(state, of: plan, numbers: []))
  }

  mutating func receive(_ message: Elements, from neighbour: Int) -> Outgoing<Elements>? {
    state.merge(message)
    return nil
  }
}

/// What a node that sends deltas avoids.
struct DeltaRules: Sendable {
  /// Whether no group of elements goes back to where it came from.
  var avoidsBackPropagation: Bool

  /// Whether only what was new of a group is kept and sent on.
  var removesRedundancy: Bool
}

/// What nodes that send deltas send.
enum DeltaMessage<Elements: Contents> {
  /// Elements, and the number of the first group that they do not hold.
  case delta(Elements, upTo: Int)
  /// Everything before that number has arrived.
  case acknowledgement(upTo: Int)
}

/// A node that keeps groups of elements in a buffer until all neighbours acknowledged them.
///
/// Source: Enes, Almeida, Baquero, Leitão, *Efficient Synchronization of State-based CRDTs* (ICDE 2019), algorithm 2.
struct DeltaNode<Elements: Contents>: ProtocolNode {
  private struct Group {
    var number: Int
    var origin: Int
    var elements: Elements
  }

  private let number: Int
  private let plan: Plan
  private let rules: DeltaRules
  private let neighbours: [Int]
  private let everything: Elements
  private var state: Elements
  private var buffer: [Group] = []
  private var nextNumber = 0
  private var acknowledged: [Int]

  init(_ number: Int, _ plan: Plan, topology: ProtocolComparison.Topology, rules: DeltaRules) {
    self.number = number
    self.plan = plan
    self.rules = rules
    neighbours = topology.neighbours[number]
    everything = .everything(of: plan)
    state = Elements(of: plan)
    acknowledged = topology.neighbours.map { _ in 0 }
  }

  var isComplete: Bool { state == everything }

  mutating func write(_ update: Int) {
    let elements = Elements(update: update, of: plan)
    state.merge(elements)
    keep(elements, from: number)
  }

  mutating func message(to neighbour: Int) -> Outgoing<DeltaMessage<Elements>>? {
    guard let elements = unacknowledged(by: neighbour) else { return nil }
    return Outgoing(
      message: .delta(elements, upTo: nextNumber),
      cost: ProtocolCost(elements, of: plan, numbers: [nextNumber]))
  }

  mutating func receive(
    _ message: DeltaMessage<Elements>, from neighbour: Int
  ) -> Outgoing<DeltaMessage<Elements>>? {
    switch message {
    case .delta(let elements, let end):
      let news = state.take(elements)
      if !news.isEmpty { keep(rules.removesRedundancy ? news : elements, from: neighbour) }
      return Outgoing(message: .acknowledgement(upTo: end), cost: ProtocolCost(numbers: [end]))
    case .acknowledgement(let end):
      acknowledged[neighbour] = max(acknowledged[neighbour], end)
      let oldest = neighbours.map { acknowledged[$0] }.min() ?? 0
      buffer.removeAll { $0.number < oldest }
      return nil
    }
  }

  private mutating func keep(_ elements: Elements, from origin: Int) {
    buffer.append(Group(number: nextNumber, origin: origin, elements: elements))
    nextNumber += 1
  }

  /// What a neighbour may lack; nil when that is nothing.
  private func unacknowledged(by neighbour: Int) -> Elements? {
    let groups = buffer.filter {
      $0.number >= acknowledged[neighbour] && !(rules.avoidsBackPropagation && $0.origin == neighbour)
    }
    guard var elements = groups.first?.elements else { return nil }
    for group in groups.dropFirst() { elements.merge(group.elements) }
    return elements
  }
}
