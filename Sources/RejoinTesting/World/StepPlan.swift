import RejoinCore

/// How likely each kind of step is in one history, and how long the history is.
///
/// Each history leaves out some kinds of faults, or all, and prefers some steps, since a history with a bit of
/// everything hardly ever goes far in one direction. Half of them are as long as they may be: what needs many steps in
/// the right order hardly ever happens in a short one, and the shrinker makes long ones short anyway.
/// Source: Groce, Zhang, Eide, Chen, Regehr, *Swarm Testing* (ISSTA 2012).
struct StepPlan: Sendable {
  let stepCount: Int
  let topology: Topology
  private let faults: TestOptions.Faults
  private let weights: [Int]
  private let clockStepMilliseconds: Int64

  /// Whether a clock is off by no more than it is set forward or back at once.
  let limitsOffsets: Bool

  /// What this history is about, where it is narrow.
  let focus: Choices.Focus

  /// Whether messages overtake each other in this history.
  let reorders: Bool

  /// Whether they may in any history of these options.
  var mayReorder: Bool { faults.contains(.reordering) }

  init(options: TestOptions, savesAtOnce: Bool, seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    // At rates that one knows, every message takes its time.
    faults = options.rates == nil ? options.faults : options.faults.union(.reordering)
    clockStepMilliseconds = options.clockStepMilliseconds
    limitsOffsets = options.rates != nil
    topology =
      options.topologies.count > 1
      ? generator.element(of: options.topologies) : options.topologies.first ?? .mesh
    if let rates = options.rates {
      focus = .anything
      reorders = faults.contains(.reordering)
      stepCount = options.steps
      weights = StepKind.allCases.map { $0.weight(rates, options, savesAtOnce: savesAtOnce) }
      return
    }
    stepCount = generator.succeeds(percent: 50) ? options.steps : 1 + generator.number(below: options.steps)
    let some = TestOptions.Faults(rawValue: generator.number(below: TestOptions.Faults.all.rawValue + 1))
    var present = generator.succeeds(percent: 33) ? [] : options.faults.intersection(some)
    // Drawn by itself, and only where it is asked for: everybody else's histories stay what they were.
    if options.faults.contains(.absences), generator.succeeds(percent: 50) { present.insert(.absences) }
    focus =
      options.narrowPercent > 0 && generator.succeeds(percent: options.narrowPercent)
      ? generator.element(of: [.place, .counting]) : .anything
    reorders = present.contains(.reordering)
    weights = StepKind.allCases.map { kind in
      let emphasis = generator.element(of: [1, 1, 2, 4])
      switch kind {
      case .operate, .exchange: return 4 * emphasis
      case .save: return savesAtOnce ? 0 : 2 * emphasis
      default: return kind.isAllowed(by: present) ? emphasis : 0
      }
    }
  }

  /// All the kinds that are meant and that the options allow, each as likely as any other.
  init(options: TestOptions, savesAtOnce: Bool, only isMeant: (StepKind) -> Bool) {
    faults = options.faults
    topology = .mesh
    focus = .anything
    reorders = faults.contains(.reordering)
    clockStepMilliseconds = options.clockStepMilliseconds
    limitsOffsets = options.rates != nil
    stepCount = options.steps
    weights = StepKind.allCases.map { kind in
      let isAllowed = kind == .save ? !savesAtOnce : kind.isAllowed(by: options.faults)
      return isAllowed && isMeant(kind) ? 1 : 0
    }
  }

  /// Whether the options allow such steps; a sequence that was edited may ask for any.
  func allows(_ kind: StepKind) -> Bool { kind.isAllowed(by: faults) }

  /// The weights of the kinds that make sense now.
  ///
  /// The more there was since everybody met, the more likely it is that they meet again: what is looked at grows with it.
  func weights(
    replicaCount: Int, absentCount: Int, isSomethingUnderWay: Bool, operationCount: Int
  ) -> [Int] {
    StepKind.allCases.map { kind in
      if kind.needsTwo, replicaCount - absentCount < 2 { return 0 }
      if kind.needsMessage { return isSomethingUnderWay ? 2 * weights[kind.rawValue] : 0 }
      if kind == .comeBack, absentCount == 0 { return 0 }
      if kind == .meet { return weights[kind.rawValue] * (1 + operationCount / 30) }
      return weights[kind.rawValue]
    }
  }

  /// By how much clocks are set forward and back.
  var clockSteps: [Int64] { [10, -10, clockStepMilliseconds, -clockStepMilliseconds] }
}

extension TestOptions.Rates {
  /// How many steps there are for a hundred messages that are sent, about.
  var stepsPerHundredMessages: Int { 200 + operationsPerHundredMessages + 3 * crashPercent }
}

extension StepKind {
  /// How often it happens, of some 100,000, at rates that one knows.
  ///
  /// A message is sent whenever one arrives or is lost, on the whole; somewhat fewer, so that none has to wait long.
  fileprivate func weight(_ rates: TestOptions.Rates, _ options: TestOptions, savesAtOnce: Bool) -> Int {
    guard isAllowed(by: options.faults.union(.reordering)) else { return 0 }
    return switch self {
    case .operate: 360 * rates.operationsPerHundredMessages
    case .send: 36_000
    case .deliver: 200 * (100 - rates.lossPercent - rates.duplicationPercent)
    case .lose: 200 * rates.lossPercent
    case .duplicate: 200 * rates.duplicationPercent
    case .save: savesAtOnce ? 0 : 5_000
    case .crash: 1_000 * rates.crashPercent
    case .setClock: options.clockStepMilliseconds > 0 ? 500 : 0
    case .leave: 200
    case .comeBack: 1_000
    case .meet: 200
    case .exchange, .cut, .mend, .wait, .stopClock, .coarsenClock: 0
    }
  }
}

/// The kinds of steps, simple ones first: shrinking prefers those.
///
/// Replay strings contain their numbers.
enum StepKind: Int, CaseIterable, Sendable {
  case operate, exchange, send, deliver, duplicate, lose, cut, mend, save, crash, wait, setClock, stopClock
  case coarsenClock, leave, comeBack, meet

  /// The options that it belongs to, any of them; none when it always happens.
  private var faults: TestOptions.Faults {
    switch self {
    case .operate, .exchange, .save: []
    // Without messages under way there are none that could be lost, or arrive twice.
    case .send, .deliver: [.reordering, .loss, .duplication]
    case .duplicate: .duplication
    case .lose: .loss
    case .cut, .mend: .partitions
    case .crash: .crashes
    case .wait, .setClock, .stopClock, .coarsenClock: .clocks
    case .leave, .comeBack, .meet: .absences
    }
  }

  func isAllowed(by allowed: TestOptions.Faults) -> Bool {
    faults.isEmpty || !faults.isDisjoint(with: allowed)
  }

  var needsTwo: Bool { self == .exchange || self == .send || self == .cut || self == .leave }

  var needsMessage: Bool { self == .deliver || self == .duplicate || self == .lose }
}

extension World {
  /// Draws the next step, or reads it from a sequence; nil for one that the options exclude.
  func nextStep(_ choices: inout Choices, plan: StepPlan) -> Step<Subject.Operation>? {
    let weights = plan.weights(
      replicaCount: replicas.count, absentCount: network.absent.count,
      isSomethingUnderWay: !network.underWay.isEmpty, operationCount: events.count)
    let kind = StepKind.allCases[choices.index(weights: weights, role: .step)]
    guard plan.allows(kind) else { return nil }
    switch kind {
    case .operate:
      let replica = anybodyPresent(&choices)
      return .operate(replica: replica, replicas[replica].operation(&choices))
    case .exchange:
      let (from, to) = anyLink(&choices, plan)
      // What is under way comes first where messages do not overtake each other.
      let underWay = plan.mayReorder ? nil : network.oldest(from: from, to: to)
      return underWay.map { .deliver(message: $0) } ?? .exchange(from: from, to: to)
    case .send:
      let (from, to) = anyLink(&choices, plan)
      return .send(from: from, to: to)
    case .deliver: return .deliver(message: anyArrival(&choices, plan))
    case .duplicate: return .duplicate(message: anyArrival(&choices, plan))
    case .lose: return .lose(message: choices.message(below: network.underWay.count, where: { _ in true }))
    case .cut:
      let (from, to) = anyLink(&choices, plan)
      return .cut(from: from, to: to)
    case .mend: return .mend
    case .save: return .save(replica: anybodyPresent(&choices))
    case .crash: return .crash(replica: anybodyPresent(&choices))
    case .wait: return .wait(milliseconds: choices.element(of: [1, 10, 1_000]))
    case .setClock:
      let replica = anybodyPresent(&choices)
      let amount = choices.element(of: plan.clockSteps)
      return .setClock(
        replica: replica,
        byMilliseconds: plan.limitsOffsets ? amount - clocks.offset(of: replica) : amount)
    case .stopClock: return .stopClock(replica: anybodyPresent(&choices))
    case .coarsenClock:
      let replica = anybodyPresent(&choices)
      return .coarsenClock(replica: replica, milliseconds: choices.element(of: [10, 1_000]))
    case .leave: return .leave(replica: anybodyPresent(&choices))
    case .comeBack:
      return .comeBack(replica: choices.replica(below: replicas.count, where: network.absent.contains))
    case .meet: return .meet
    }
  }

  private func anybodyPresent(_ choices: inout Choices) -> Int {
    choices.replica(below: replicas.count, where: { !network.absent.contains($0) })
  }

  /// A message that may arrive now: unless messages overtake each other, the oldest one on its link.
  private func anyArrival(_ choices: inout Choices, _ plan: StepPlan) -> Int {
    let message = choices.message(below: network.underWay.count) { index in
      plan.reorders || network.oldest(onLinkOf: index) == index
    }
    return plan.mayReorder ? message : network.oldest(onLinkOf: message)
  }

  /// A sender and a receiver that the topology connects.
  private func anyLink(_ choices: inout Choices, _ plan: StepPlan) -> (from: Int, to: Int) {
    let sender = anybodyPresent(&choices)
    let receiver = choices.replica(below: replicas.count, from: sender + 1) { receiver in
      plan.topology.connects(sender, receiver, of: replicas.count)
    }
    return (sender, receiver)
  }
}
