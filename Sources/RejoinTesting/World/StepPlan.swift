import RejoinCore

/// How likely each kind of step is in one history, and how long the history is.
///
/// Each history leaves out some kinds of faults, or all, and prefers some steps, since a history with a bit of
/// everything hardly ever goes far in one direction. Half of them are as long as they may be: what needs many steps in
/// the right order hardly ever happens in a short one, and the shrinker makes long ones short anyway.
/// Source: Groce, Zhang, Eide, Chen, Regehr, *Swarm Testing* (ISSTA 2012).
struct StepPlan: Sendable {
  let stepCount: Int
  private let faults: TestOptions.Faults
  private let weights: [Int]

  init(options: TestOptions, savesAtOnce: Bool, seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    faults = options.faults
    stepCount = generator.succeeds(percent: 50) ? options.steps : 1 + generator.number(below: options.steps)
    let some = TestOptions.Faults(rawValue: generator.number(below: TestOptions.Faults.all.rawValue + 1))
    let present = generator.succeeds(percent: 33) ? [] : options.faults.intersection(some)
    weights = StepKind.allCases.map { kind in
      let emphasis = generator.element(of: [1, 1, 2, 4])
      switch kind {
      case .operate, .exchange: return 4 * emphasis
      case .save: return savesAtOnce ? 0 : 2 * emphasis
      default:
        guard let fault = kind.fault, present.contains(fault) else { return 0 }
        return emphasis
      }
    }
  }

  /// All the kinds that are meant and that the options allow, each as likely as any other.
  init(options: TestOptions, savesAtOnce: Bool, only isMeant: (StepKind) -> Bool) {
    faults = options.faults
    stepCount = options.steps
    weights = StepKind.allCases.map { kind in
      let isAllowed = kind == .save ? !savesAtOnce : kind.fault.map(options.faults.contains) ?? true
      return isAllowed && isMeant(kind) ? 1 : 0
    }
  }

  /// Whether the options allow such steps; a sequence that was edited may ask for any.
  func allows(_ kind: StepKind) -> Bool { kind.fault.map(faults.contains) ?? true }

  /// The weights of the kinds that make sense now.
  func weights(replicaCount: Int, isSomethingUnderWay: Bool) -> [Int] {
    StepKind.allCases.map { kind in
      if kind.needsTwo, replicaCount < 2 { return 0 }
      if kind.needsMessage { return isSomethingUnderWay ? 2 * weights[kind.rawValue] : 0 }
      return weights[kind.rawValue]
    }
  }
}

/// The kinds of steps, simple ones first: shrinking prefers those.
///
/// Replay strings contain their numbers.
enum StepKind: Int, CaseIterable, Sendable {
  case operate, exchange, send, deliver, duplicate, lose, cut, mend, save, crash, wait, setClock, stopClock
  case coarsenClock

  /// The option that it belongs to.
  var fault: TestOptions.Faults? {
    switch self {
    case .operate, .exchange, .save: nil
    case .send, .deliver: .reordering
    case .duplicate: .duplication
    case .lose: .loss
    case .cut, .mend: .partitions
    case .crash: .crashes
    case .wait, .setClock, .stopClock, .coarsenClock: .clocks
    }
  }

  var needsTwo: Bool { self == .exchange || self == .send || self == .cut }

  var needsMessage: Bool { self == .deliver || self == .duplicate || self == .lose }
}

extension World {
  /// Draws the next step, or reads it from a sequence; nil for one that the options exclude.
  func nextStep(_ choices: inout Choices, plan: StepPlan) -> Step<Subject.Operation>? {
    let weights = plan.weights(
      replicaCount: replicas.count, isSomethingUnderWay: !network.underWay.isEmpty)
    let kind = StepKind.allCases[choices.index(weights: weights, role: .step)]
    guard plan.allows(kind) else { return nil }
    switch kind {
    case .operate:
      let replica = choices.replica(below: replicas.count)
      return .operate(replica: replica, replicas[replica].operation(&choices))
    case .exchange:
      let sender = choices.replica(below: replicas.count)
      return .exchange(from: sender, to: choices.replica(below: replicas.count, otherThan: sender))
    case .send:
      let sender = choices.replica(below: replicas.count)
      return .send(from: sender, to: choices.replica(below: replicas.count, otherThan: sender))
    case .deliver: return .deliver(message: choices.message(below: network.underWay.count))
    case .duplicate: return .duplicate(message: choices.message(below: network.underWay.count))
    case .lose: return .lose(message: choices.message(below: network.underWay.count))
    case .cut:
      let sender = choices.replica(below: replicas.count)
      return .cut(from: sender, to: choices.replica(below: replicas.count, otherThan: sender))
    case .mend: return .mend
    case .save: return .save(replica: choices.replica(below: replicas.count))
    case .crash: return .crash(replica: choices.replica(below: replicas.count))
    case .wait: return .wait(milliseconds: choices.element(of: [1, 10, 1_000]))
    case .setClock:
      let replica = choices.replica(below: replicas.count)
      return .setClock(replica: replica, byMilliseconds: choices.element(of: [10, -10, 1_000, -1_000]))
    case .stopClock: return .stopClock(replica: choices.replica(below: replicas.count))
    case .coarsenClock:
      let replica = choices.replica(below: replicas.count)
      return .coarsenClock(replica: replica, milliseconds: choices.element(of: [10, 1_000]))
    }
  }
}
