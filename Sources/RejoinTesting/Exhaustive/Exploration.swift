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
    var operationCount: Int
    /// Where the steps of each class lead, once they were tried.
    var edges: [[Edge]?] = Array(repeating: nil, count: StepClass.allCases.count)
  }

  private struct Edge {
    var node: Int
    /// The number of the choices that make the step.
    var choices: Int
  }

  /// How a place was first reached; from nowhere at the beginning.
  private struct Origin {
    var place: Int?
    var choices: Int
  }

  private let bounds: ExhaustiveBounds
  private let plans: [StepPlan]
  private var nodes: [Node] = []
  private var numbers: [WorldKey: Int] = [:]

  /// The worlds of those nodes of which more steps may have to be tried.
  private var worlds: [Int: World] = [:]

  /// By places: a place is a node together with how many incidents led there, so that it can be told from the length of
  /// a history how many deliveries it contains.
  private var origins: [Origin?] = []

  /// The choices of single steps: there are many steps, but few different ones.
  private var choices = Catalogue<[UInt64]>()

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
      let origin = Origin(place: nil, choices: choices.number(of: [UInt64(world.replicas.count - 1)]))
      layer.add(1, at: arrive(at: try reach(world, origin), incidents: 0, origin))
    }
    scheduleCount = layer.total
    var length = 0
    while length < bounds.steps, !layer.places.isEmpty {
      layer = try next(after: layer, length: length)
      scheduleCount = scheduleCount.plus(layer.total)
      length += 1
    }
  }

  /// All histories that are longer by one step.
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
        for edge in try edges(of: node, stepClass, at: place) {
          let origin = Origin(place: place, choices: edge.choices)
          next.add(layer.counts[place], at: arrive(at: edge.node, incidents: spent, origin))
        }
      }
      // Longer histories lead here with more deliveries: what the bounds do not allow for now, they never will.
      if bounds.incidents == 0 { worlds[node] = nil }
    }
    return next
  }

  private mutating func edges(
    of node: Int, _ stepClass: StepClass, at place: Int
  ) throws(Failure) -> [Edge] {
    if let known = nodes[node].edges[stepClass.rawValue] { return known }
    guard let world = worlds[node] else { return [] }
    let plan = plans[stepClass.rawValue]
    var edges: [Edge] = []
    for (step, drawn) in Choices.all(values: bounds.values, { world.nextStep(&$0, plan: plan) }) {
      guard let step else { continue }
      let origin = Origin(place: place, choices: choices.number(of: drawn))
      var after = world
      do throws(Violation) {
        try after.perform(step)
      } catch {
        throw Failure(sequence: sequence(to: origin), violation: error)
      }
      edges.append(Edge(node: try reach(after, origin), choices: origin.choices))
    }
    nodes[node].edges[stepClass.rawValue] = edges
    return edges
  }

  /// The number of a world; judges it when it is a new one.
  private mutating func reach(_ world: World, _ origin: Origin) throws(Failure) -> Int {
    let key = WorldKey(world)
    if let known = numbers[key] { return known }
    var end = world
    do throws(Violation) {
      try end.settle()
    } catch {
      throw Failure(sequence: sequence(to: origin), violation: error)
    }
    numbers[key] = nodes.count
    worlds[nodes.count] = world
    nodes.append(Node(operationCount: world.events.count))
    return nodes.count - 1
  }

  /// The place of a node and of so many incidents; remembers how it was reached if this is the first time.
  private mutating func arrive(at node: Int, incidents: Int, _ origin: Origin) -> Int {
    let place = node * (bounds.incidents + 1) + incidents
    while origins.count <= place { origins.append(nil) }
    if origins[place] == nil { origins[place] = origin }
    return place
  }

  /// A shortest history that ends with a step.
  private func sequence(to last: Origin) -> ChoiceSequence {
    var steps = [choices[last.choices]]
    var next = last.place
    while let place = next, let origin = origins[place] {
      steps.append(choices[origin.choices])
      next = origin.place
    }
    return ChoiceSequence(steps.reversed().flatMap(\.self))
  }
}

/// The histories of one length.
private struct Layer {
  /// The places that they lead to, in the order in which they were first reached.
  private(set) var places: [Int] = []

  /// How many of them lead to each place.
  private(set) var counts: [UInt128] = []

  /// How many there are.
  var total: UInt128 { places.reduce(0) { $0.plus(counts[$1]) } }

  mutating func add(_ count: UInt128, at place: Int) {
    while counts.count <= place { counts.append(0) }
    if counts[place] == 0 { places.append(place) }
    counts[place] = counts[place].plus(count)
  }
}

extension UInt128 {
  /// The sum, or the greatest number if it is greater than that.
  fileprivate func plus(_ other: UInt128) -> UInt128 {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? .max : sum
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
    case .send, .lose, .cut, .mend, .save, .crash, .wait, .setClock, .stopClock, .coarsenClock, .leave,
      .comeBack, .meet:
      .incident
    }
  }
}
