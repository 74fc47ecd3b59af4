@testable import RejoinTesting

/// All histories within some bounds, each by itself: what the exhaustive mode must agree with.
struct AllHistories<Subject: ReplicatedType> {
  private struct Beginning {
    var world: World<Subject>
    var operations = 0
    var deliveries = 0
    var incidents = 0
  }

  /// How many there are that are shorter than those that break a promise.
  private(set) var count = 0

  /// The fewest steps in which a promise is broken, if one is.
  private(set) var shortestFailure: Int?

  init(bounds: ExhaustiveBounds) {
    let plan = StepPlan(options: bounds.options, savesAtOnce: Subject.savesAtOnce) { _ in true }
    var beginnings = (1...bounds.replicas).map { Beginning(world: World(replicaCount: $0)) }
    var length = 0
    do throws(Violation) {
      while !beginnings.isEmpty {
        for beginning in beginnings {
          var end = beginning.world
          try end.settle()
        }
        count += beginnings.count
        guard length < bounds.steps else { return }
        length += 1
        var longer: [Beginning] = []
        for beginning in beginnings { longer += try Self.continuations(of: beginning, plan, bounds) }
        beginnings = longer
      }
    } catch {
      shortestFailure = length
    }
  }

  private static func continuations(
    of beginning: Beginning, _ plan: StepPlan, _ bounds: ExhaustiveBounds
  ) throws(Violation) -> [Beginning] {
    var continuations: [Beginning] = []
    for (step, _) in Choices.all(values: bounds.values, { beginning.world.nextStep(&$0, plan: plan) }) {
      guard let step else { continue }
      var next = beginning
      switch step {
      case .operate: next.operations += 1
      case .exchange, .deliver, .duplicate: next.deliveries += 1
      default: next.incidents += 1
      }
      guard next.operations <= bounds.operations, next.deliveries <= bounds.deliveries,
        next.incidents <= bounds.incidents
      else { continue }
      try next.world.perform(step)
      continuations.append(next)
    }
    return continuations
  }
}
