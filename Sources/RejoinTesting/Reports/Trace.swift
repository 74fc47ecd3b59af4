/// A history as something to be read or drawn, whatever the type under test.
public struct Trace: Sendable {
  /// What happened in one step.
  public enum Event: Sendable, Equatable {
    /// A user did something.
    case operation(replica: Int, String)
    /// A message was made and arrived at once; not when the link is cut, or when the receiver refused it.
    case exchange(from: Int, to: Int, hasArrived: Bool)
    /// A message was made, and is under way unless the link is cut.
    case send(message: Int, from: Int, to: Int, isUnderWay: Bool)
    /// A message arrived; it stays under way when it is to arrive once more.
    case arrival(message: Int, from: Int, to: Int, isLast: Bool)
    /// A message is lost.
    case loss(message: Int, from: Int, to: Int)
    /// Something else happened to a replica: it saved or crashed, or its clock went wrong.
    case incident(replica: Int, String)
    /// Something happened to all: time passed, links were cut or mended.
    case note(String)
  }

  /// A step.
  public struct Row: Sendable, Equatable {
    /// What happened.
    public var event: Event

    /// The step in words.
    public var text: String

    /// The replica that it happened to, and what it showed afterwards; nil when nobody's state was concerned.
    public var shown: Shown?
  }

  /// What a replica shows.
  public struct Shown: Sendable, Equatable {
    /// The replica.
    public var replica: Int

    /// What it shows.
    public var observation: String
  }

  /// How many replicas there are.
  public let replicaCount: Int

  /// The steps, in order.
  public private(set) var rows: [Row] = []

  /// What each replica shows in the end, after everybody met everybody; as far as that got.
  public private(set) var outcome: [String] = []

  /// What was wrong.
  public let violation: Violation?

  /// Whether it was wrong during the last step, and not only after everybody met everybody.
  public private(set) var failsWithinSteps = false
}

extension Trace {
  /// Performs the steps of a history once more and writes down what happens.
  init<Subject>(_ history: History<Subject>, _ violation: Violation?) {
    replicaCount = history.replicaCount
    self.violation = violation
    var world = World<Subject>(replicaCount: history.replicaCount)
    do throws(Violation) {
      for drawn in history.steps {
        let before = world
        var failure: Violation?
        do throws(Violation) { try world.perform(drawn.step) } catch { failure = error }
        rows.append(Row(drawn.step, before, world))
        if let failure {
          failsWithinSteps = true
          throw failure
        }
      }
      try world.settle()
    } catch {}
    outcome = world.replicas.map { "\($0.observation)" }
  }
}

extension Trace.Row {
  fileprivate init<Subject>(
    _ step: Step<Subject.Operation>, _ before: World<Subject>, _ after: World<Subject>
  ) {
    text = step.description
    shown = nil
    switch step {
    case .operate(let replica, let operation):
      event = .operation(replica: replica, "\(operation)")
      show(replica, after)
    case .exchange(let from, let to):
      event = .exchange(from: from, to: to, hasArrived: from != to && !before.network.isCut(from, to))
      show(to, after)
    case .send(let from, let to):
      let isUnderWay = after.network.underWay.count > before.network.underWay.count
      event = .send(message: after.messageCount, from: from, to: to, isUnderWay: isUnderWay)
    case .deliver(let index), .duplicate(let index), .lose(let index):
      guard before.network.underWay.indices.contains(index) else {
        event = .note(text)
        return
      }
      let message = before.network.underWay[index]
      let route = (message.number, message.sender, message.receiver)
      let link = "\(before.name(route.1)) -> \(before.name(route.2))"
      if case .lose = step {
        event = .loss(message: route.0, from: route.1, to: route.2)
        text = "message \(route.0), \(link), is lost"
        return
      }
      let isLast = after.network.underWay.count < before.network.underWay.count
      event = .arrival(message: route.0, from: route.1, to: route.2, isLast: isLast)
      text = "message \(route.0), \(link), arrives\(isLast ? "" : ", and will once more")"
      show(route.2, after)
    case .save(let replica), .crash(let replica), .setClock(let replica, _), .stopClock(let replica),
      .coarsenClock(let replica, _):
      event = .incident(replica: replica, text)
      if case .crash = step { show(replica, after) }
    case .cut, .mend, .wait: event = .note(text)
    }
  }

  private mutating func show<Subject>(_ replica: Int, _ world: World<Subject>) {
    shown = Trace.Shown(replica: replica, observation: "\(world.replicas[replica].observation)")
  }
}

extension Trace {
  /// The history in words, a step a line, with what the replica concerned showed afterwards.
  public var text: String {
    var lines = rows.enumerated().map { index, row in
      let number = String(repeating: " ", count: max(3 - "\(index + 1)".count, 0)) + "\(index + 1)"
      let shown = row.shown.map { "   \(Step<Never>.name($0.replica)) shows \($0.observation)" } ?? ""
      return "\(number)  \(row.text)\(shown)"
    }
    if !failsWithinSteps {
      lines.append(
        "     everybody meets everybody   "
          + outcome.enumerated().map { "\(Step<Never>.name($0.offset)) shows \($0.element)" }
          .joined(separator: ", "))
    }
    return lines.joined(separator: "\n")
  }
}
