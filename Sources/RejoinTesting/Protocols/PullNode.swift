import Rejoin
import RejoinCore
import Synchronization

/// What replicas that pull send each other, as the bytes that would travel.
enum PullMessage {
  /// What the sender has, so that the receiver can tell what it lacks.
  case question([UInt8])
  /// What the sender of a question lacked.
  case answer([UInt8])
}

/// A real replica, which pulls what it lacks from one neighbour at a time.
struct PullNode: ProtocolNode {
  /// The replica.
  let replica: Replica

  private let number: Int
  private let plan: Plan
  private var sessions: [PullSession]

  init(_ number: Int, _ plan: Plan, clock: SimulatedClock) {
    self.number = number
    self.plan = plan
    replica = Replica(
      configuration: ReplicaConfiguration(
        dataset: DatasetID(name: "protocols"), environment: PullNode.environment(of: number, clock: clock)))
    let roster = plan.updatesOfNode.indices.map(PullNode.id)
    sessions = roster.map { _ in PullSession(roster: roster) }
  }

  static var takesTurns: Bool { true }

  mutating func write(_ update: Int) throws {
    switch plan.workload {
    case .gset:
      try replica.append(StoredForm.element(of: plan.updates[update]), to: StoredForm.log)
    case .gmap:
      let record = StoredForm.record(of: number)
      let fields = StoredForm.fields(plan.elements[update], of: number)
      if plan.updates[update].ordinal == 0 {
        try replica.insert(fields, id: record, in: StoredForm.collection)
      } else {
        try replica.set(fields, id: record, in: StoredForm.collection)
      }
    }
  }

  mutating func message(to neighbour: Int) -> Outgoing<PullMessage>? {
    let question = sessions[neighbour].question(of: replica)
    return Outgoing(message: .question(question.message), cost: ProtocolCost(question))
  }

  mutating func receive(_ message: PullMessage, from neighbour: Int) throws -> Outgoing<PullMessage>? {
    switch message {
    case .question(let bytes):
      return try sessions[neighbour].answer(bytes, from: replica).map {
        Outgoing(message: .answer($0.message), cost: ProtocolCost($0))
      }
    case .answer(let bytes):
      try sessions[neighbour].take(bytes, into: replica)
      return nil
    }
  }

  // MARK: Completeness

  /// Whether the replica holds the last write to everything, by its own account and in fact.
  var isComplete: Bool {
    let version = replica.version
    for (node, updates) in plan.updatesOfNode.enumerated() {
      guard let last = updates.last, version[PullNode.id(of: node)] >= time(of: last) else { return false }
    }
    guard let delta = try? replica.delta() else { return false }
    var times: [HybridTime]
    switch plan.workload {
    case .gset: times = delta.logEntries.map(\.entry.timestamp.time)
    case .gmap: times = delta.winners.map(\.register.precedence.timestamp.time)
    }
    times.sort()
    return times == plan.lastWriters.map(time)
  }

  private func time(of update: Int) -> HybridTime { StoredForm.time(of: plan.updates[update]) }

  // MARK: Environment

  /// The id of a node's replica; ids ascend with the nodes.
  private static func id(of node: Int) -> ReplicaID {
    var generator = SplitMix64(seed: UInt64(node))
    return ReplicaID(rawValue: UInt64(node + 1) << 56 | generator.next() >> 8)
  }

  private static func environment(of node: Int, clock: SimulatedClock) -> ReplicaEnvironment {
    // What a new replica draws first is its id.
    let drawn = Mutex<(id: UInt64?, generator: SplitMix64)>(
      (id(of: node).rawValue, SplitMix64(seed: ~UInt64(node))))
    return ReplicaEnvironment(
      wallMilliseconds: { Int64(StoredForm.epoch + clock.now) },
      randomBits: { drawn.withLock { $0.id.take() ?? $0.generator.next() } })
  }
}

extension ProtocolCost {
  fileprivate init(_ message: PullSession.Bytes) {
    elements = message.elements
    metadata = message.numbers
    bytes = message.wholeSize
    sessionBytes = message.message.count
  }
}
