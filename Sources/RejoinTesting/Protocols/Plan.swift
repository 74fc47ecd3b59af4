import RejoinCore

/// Who writes what and when: it follows from the seed, whatever the protocol.
struct Plan: Sendable {
  /// One update of one node.
  struct Update: Sendable {
    /// When, in milliseconds from the start.
    var time: Int
    /// At which node.
    var node: Int
    /// Which of the node's updates it is, counted from 0.
    var ordinal: Int
  }

  /// What nodes write.
  let workload: ProtocolComparison.Workload

  /// The updates, in order of time, then of node; each is known by its place.
  let updates: [Update]

  /// The updates of each node.
  let updatesOfNode: [[Int]]

  /// The elements that each update writes, ascending: itself in a set, keys in a map.
  private(set) var elements: [[Int]] = []

  /// How many elements there are in all: updates in a set, keys in a map.
  let elementCount: Int

  /// How many bytes the library takes for what each update adds to a set; empty for a map.
  private(set) var valueSizes: [Int] = []

  /// The time between two updates of a node, and between two of its meetings with one neighbour, in milliseconds.
  static let period = 1_000

  /// How many keys a map has.
  static let keyCount = 1_000

  /// How many of them a node owns; the last one owns fewer.
  static let keysPerNode = 67

  init(_ comparison: ProtocolComparison) {
    workload = comparison.workload
    var generator = SplitMix64(seed: comparison.seed)
    let phases = comparison.topology.neighbours.map { _ in generator.number(below: Plan.period) }
    let updates = (0..<comparison.updates).flatMap { ordinal in
      phases.enumerated().map { node, phase in
        Update(time: phase + ordinal * Plan.period, node: node, ordinal: ordinal)
      }
    }.sorted { ($0.time, $0.node) < ($1.time, $1.node) }
    self.updates = updates
    updatesOfNode = phases.indices.map { node in updates.indices.filter { updates[$0].node == node } }
    switch workload {
    case .gset:
      elementCount = updates.count
      elements = updates.indices.map { [$0] }
      valueSizes = updates.map { Value.map(StoredForm.element(of: $0)).canonicalBytes.count }
    case .gmap(let percent):
      elementCount = Plan.keyCount
      let count = percent < 100 ? percent * Plan.keysPerNode / 100 + 1 : Plan.keysPerNode
      elements = updates.map { update in
        generator.shuffled(Array(Plan.keys(of: update.node))).prefix(count).sorted()
      }
    }
  }

  /// The keys that a node owns.
  static func keys(of node: Int) -> Range<Int> {
    node * keysPerNode..<min((node + 1) * keysPerNode, keyCount)
  }

  /// How many elements are written in all, and so must enter every node that did not write them.
  var elementWrites: Int { elements.reduce(0) { $0 + $1.count } }

  /// Of every element the update that writes it last, ascending.
  var lastWriters: [Int] {
    var writers: [Int: Int] = [:]
    for (update, elements) in elements.enumerated() { for element in elements { writers[element] = update } }
    return writers.values.sorted()
  }

  /// The time of the last update.
  var end: Int { updates.last?.time ?? 0 }
}
