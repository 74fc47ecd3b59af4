/// What nodes with vectors send: how many updates of each node they have, and which ones the other lacked.
enum ScuttlebuttMessage {
  /// The vectors that the sender knows, by node; its own is always there.
  case vectors([Int: [Int]])
  /// For every node the updates before the upper bound that are not before the lower one.
  case updates([Range<Int>])
}

/// A node that exchanges vectors, then the updates that they lack.
///
/// An update is kept as it was written, so the vector says all that a node holds.
/// Source: van Renesse, Dumitriu, Gough, Thomas, *Efficient Reconciliation and Flow Control for Anti-Entropy
/// Protocols* (LADIS 2008); with the matrix as Enes, Almeida, Baquero, Leitão compare it (ICDE 2019).
struct ScuttlebuttNode: ProtocolNode {
  private let number: Int
  private let plan: Plan
  private let sharesMatrix: Bool

  /// How large the columns of each update are.
  private let columns: [Int]

  /// The vectors that this node knows, its own one among them.
  private var vectors: [Int: [Int]]

  init(_ number: Int, _ plan: Plan, columns: [Int], sharesMatrix: Bool) {
    self.number = number
    self.plan = plan
    self.columns = columns
    self.sharesMatrix = sharesMatrix
    vectors = [number: plan.updatesOfNode.map { _ in 0 }]
  }

  private var own: [Int] {
    get { vectors[number, default: []] }
    set { vectors[number] = newValue }
  }

  var isComplete: Bool { own == plan.updatesOfNode.map(\.count) }

  mutating func write(_ update: Int) { own[number] += 1 }

  mutating func message(to neighbour: Int) -> Outgoing<ScuttlebuttMessage>? {
    let shared = sharesMatrix ? vectors : [number: own]
    var cost = ProtocolCost()
    for (node, vector) in shared {
      // An entry is a node and how many of its updates there are; a row of the matrix is one more.
      for entry in vector where entry > 0 {
        cost.metadata += 1
        cost.bytes += 1 + EncodedSize.varint(entry)
      }
      cost.metadata += sharesMatrix ? 1 : 0
      cost.bytes += 1 + (sharesMatrix ? EncodedSize.varint(node) : 0)
    }
    cost.sessionBytes = cost.bytes
    return Outgoing(message: .vectors(shared), cost: cost)
  }

  mutating func receive(
    _ message: ScuttlebuttMessage, from neighbour: Int
  ) -> Outgoing<ScuttlebuttMessage>? {
    switch message {
    case .vectors(let known):
      if sharesMatrix { learn(known) }
      return answer(to: known[neighbour, default: []])
    case .updates(let updates):
      for (node, range) in updates.enumerated() where range.lowerBound <= own[node] {
        own[node] = max(own[node], range.upperBound)
      }
      return nil
    }
  }

  private mutating func learn(_ known: [Int: [Int]]) {
    for (node, vector) in known where node != number {
      vectors[node] = vectors[node].map { zip($0, vector).map(max) } ?? vector
    }
  }

  /// Every update travels as it was written, with one unit to name it.
  private func answer(to vector: [Int]) -> Outgoing<ScuttlebuttMessage>? {
    let ranges = zip(vector, own).map { $0..<max($0, $1) }
    var cost = ProtocolCost()
    var size = EncodedSize(origins: 0, columns: 0)
    for (node, range) in ranges.enumerated() where !range.isEmpty {
      size.origins += 1
      for update in plan.updatesOfNode[node][range] {
        cost.elements += plan.elements[update].count
        cost.metadata += 1
        size.columns += columns[update]
      }
    }
    guard size.origins > 0 else { return nil }
    cost.bytes = size.alone
    cost.sessionBytes = size.inSession
    return Outgoing(message: .updates(ranges), cost: cost)
  }
}
