extension Trace {
  /// Performs the steps of a history once more and writes down what happens.
  init<Subject>(_ history: History<Subject>, _ violation: Violation?) {
    self = Self.record(history, violation).trace
  }

  /// As above, with the world as it was in the end.
  static func record<Subject>(
    _ history: History<Subject>, _ violation: Violation?
  ) -> (trace: Trace, end: World<Subject>) {
    var world = World<Subject>(
      replicaCount: history.replicaCount, millisecondsPerStep: history.millisecondsPerStep)
    var rows: [Row] = []
    var failsWithinSteps = false
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
    let trace = Trace(
      replicaCount: history.replicaCount, rows: rows, outcome: world.replicas.map { "\($0.observation)" },
      violation: violation, failsWithinSteps: failsWithinSteps)
    return (trace, world)
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
      let fate = Trace.Fate(from, to, before, after)
      event = .exchange(from: from, to: to, fate)
      switch fate {
      case .taken, .underWay: show(to, after)
      case .refused:
        text += " is refused"
        show(to, after)
      case .cut: text += ", but the link is cut"
      case .unsaid: text += ", but there is nothing to say"
      }
    case .send(let from, let to):
      let fate = Trace.Fate(from, to, before, after)
      event = .send(message: after.messageCount, from: from, to: to, fate)
      if fate == .unsaid {
        text += ", but there is nothing to say"
      } else {
        text = "\(after.name(from)) sends message \(after.messageCount) to \(after.name(to))"
        if fate == .cut { text += ", but the link is cut" }
      }
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
      if before.network.absent.contains(message.receiver) {
        text = "message \(route.0), \(link), finds nobody there"
        let isGone = after.network.underWay.count < before.network.underWay.count
        event = isGone ? .loss(message: route.0, from: route.1, to: route.2) : .note(text)
        return
      }
      let isLast = after.network.underWay.count < before.network.underWay.count
      let isRefused = after.refusalCount > before.refusalCount
      event = .arrival(
        message: route.0, from: route.1, to: route.2, isRefused ? .refused : .taken, isLast: isLast)
      text = "message \(route.0), \(link), \(isRefused ? "is refused" : "arrives")"
      if !isLast { text += ", and comes once more" }
      show(route.2, after)
    case .save(let replica): event = .incident(replica: replica, .save)
    case .crash(let replica):
      event = .incident(replica: replica, .crash)
      show(replica, after)
    case .setClock(let replica, _), .stopClock(let replica), .coarsenClock(let replica, _):
      event = .incident(replica: replica, .clock)
    case .cut, .mend, .wait, .leave, .comeBack, .meet: event = .note(text)
    }
  }

  private mutating func show<Subject>(_ replica: Int, _ world: World<Subject>) {
    shown = Trace.Shown(replica: replica, observation: "\(world.replicas[replica].observation)")
  }
}

extension Trace.Fate {
  /// What became of the message that one replica was to make for another, judged by what is different now.
  fileprivate init<Subject>(_ from: Int, _ to: Int, _ before: World<Subject>, _ after: World<Subject>) {
    if after.messageCount == before.messageCount {
      self = .unsaid
    } else if before.network.isCut(from, to) {
      self = .cut
    } else if after.network.underWay.count > before.network.underWay.count {
      self = .underWay
    } else {
      self = after.refusalCount > before.refusalCount ? .refused : .taken
    }
  }
}
