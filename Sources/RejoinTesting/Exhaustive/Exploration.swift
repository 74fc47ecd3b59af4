/// A walk through all histories within some bounds, shortest first, that goes on from equal worlds only once.
///
/// Worlds are the nodes of a graph, and steps its edges. A world is judged when it is first reached, and its steps are
/// tried when the bounds first allow for them; from then on it only matters how many histories lead there.
struct Exploration {
  typealias World = RejoinTesting.World<NumberedReplica>

  /// A history that breaks a promise.
  struct Failure: Error {
    var sequence: ChoiceSequence
    var violation: Violation
  }

  private struct Node {
    /// Nil when no other step of it will be tried.
    var world: World?
    var operationCount: Int
    /// The world before the step that first led here.
    var parent: Int?
    /// The choices of that step.
    var choices: [UInt64]
    /// Where the steps of each class lead, once they were tried.
    var successors: [[Int]?] = Array(repeating: nil, count: StepClass.allCases.count)
  }

  private let bounds: ExhaustiveBounds
  private let plans: [StepPlan]
  private var nodes: [Node] = []
  private var numbers: [WorldKey: Int] = [:]

  /// How many histories were tried.
  private(set) var scheduleCount: UInt128 = 0

  /// How many worlds they led to.
  var stateCount: Int { nodes.count }

  init(bounds: ExhaustiveBounds, savesAtOnce: Bool) {
    self.bounds = bounds
    let options = bounds.options
    plans = StepClass.allCases.map { stepClass in
      StepPlan(options: options, savesAtOnce: savesAtOnce) { $0.stepClass == stepClass }
    }
  }

  /// Tries all histories until one breaks a promise: none that is shorter does.
  mutating func run(from beginnings: [World]) throws(Failure) {
    var layer = Layer()
    for world in beginnings {
      let start = try reach(world, from: nil, by: [UInt64(world.replicas.count - 1)])
      layer.add(1, at: start * (bounds.incidents + 1))
    }
    scheduleCount = layer.total
    var length = 0
    while length < bounds.steps, !layer.places.isEmpty {
      layer = try next(after: layer, length: length)
      scheduleCount += layer.total
      length += 1
    }
  }

  private mutating func next(after layer: Layer, length: Int) throws(Failure) -> Layer {
    var next = Layer()
    for place in layer.places {
      let (node, incidents) = place.quotientAndRemainder(dividingBy: bounds.incidents + 1)
      let operations = nodes[node].operationCount
      let deliveries = length - operations - incidents
      for stepClass in StepClass.allCases {
        let isWithinBounds =
          switch stepClass {
          case .operation: operations < bounds.operations
          case .delivery: deliveries < bounds.deliveries
          case .incident: incidents < bounds.incidents
          }
        guard isWithinBounds else { continue }
        let spent = stepClass == .incident ? incidents + 1 : incidents
        for successor in try successors(of: node, by: stepClass) {
          next.add(layer.counts[place], at: successor * (bounds.incidents + 1) + spent)
        }
      }
      // Longer histories lead here with more deliveries: what the bounds do not allow for now, they never will.
      if bounds.incidents == 0 { nodes[node].world = nil }
    }
    return next
  }

  private mutating func successors(of node: Int, by stepClass: StepClass) throws(Failure) -> [Int] {
    if let known = nodes[node].successors[stepClass.rawValue] { return known }
    guard let world = nodes[node].world else { return [] }
    let plan = plans[stepClass.rawValue]
    var successors: [Int] = []
    let steps = Choices.all(values: bounds.values) { world.nextStep(&$0, plan: plan) }
    for (step, choices) in steps {
      guard let step else { continue }
      var after = world
      do throws(Violation) {
        try after.perform(step)
      } catch {
        throw failure(error, after: node, by: choices)
      }
      successors.append(try reach(after, from: node, by: choices))
    }
    nodes[node].successors[stepClass.rawValue] = successors
    return successors
  }

  /// The number of a world; judges it when it is a new one.
  private mutating func reach(
    _ world: World, from parent: Int?, by choices: [UInt64]
  ) throws(Failure) -> Int {
    let key = WorldKey(world)
    if let known = numbers[key] { return known }
    var end = world
    do throws(Violation) {
      try end.settle()
    } catch {
      throw failure(error, after: parent, by: choices)
    }
    numbers[key] = nodes.count
    nodes.append(
      Node(world: world, operationCount: world.events.count, parent: parent, choices: choices))
    return nodes.count - 1
  }

  private func failure(_ violation: Violation, after last: Int?, by choices: [UInt64]) -> Failure {
    var steps = [choices]
    var next = last
    while let number = next {
      steps.append(nodes[number].choices)
      next = nodes[number].parent
    }
    return Failure(sequence: ChoiceSequence(steps.reversed().flatMap(\.self)), violation: violation)
  }
}

/// The histories of one length.
///
/// A place is a world together with how many incidents led there.
private struct Layer {
  /// The places that they lead to, in the order in which they were first reached.
  private(set) var places: [Int] = []

  /// How many of them lead to each place.
  private(set) var counts: [UInt128] = []

  /// How many there are.
  var total: UInt128 { places.reduce(0) { $0 + counts[$1] } }

  mutating func add(_ count: UInt128, at place: Int) {
    while counts.count <= place { counts.append(0) }
    if counts[place] == 0 { places.append(place) }
    counts[place] += count
  }
}

/// What a step counts as.
enum StepClass: Int, CaseIterable {
  case operation, delivery, incident
}

extension StepKind {
  var stepClass: StepClass {
    switch self {
    case .operate: .operation
    case .exchange, .deliver, .duplicate: .delivery
    case .send, .lose, .cut, .mend, .save, .crash, .wait, .setClock, .stopClock, .coarsenClock: .incident
    }
  }
}
