@testable import RejoinTesting

/// Traces to be drawn.
enum PictureTraces {
  /// The whole history that a seed makes.
  ///
  /// It hardly ever fails; two of three are told as if they had, one of them during its last step.
  static func random(seed: UInt64) -> Trace {
    let options = TestOptions(replicas: 1 + Int(seed % 6))
    let history = History<Diary>(seed: seed, options: options)
    let trace = Trace(history, history.violation)
    if seed % 3 == 0 || trace.violation != nil { return trace }
    let isLate = seed % 3 == 1
    let violation = Violation(
      oracle: isLate ? .convergence : .causal, replica: isLate ? nil : Int(seed) % trace.replicaCount,
      reason: "nobody knows why; \(Diary.awkwardNote)")
    let outcome = isLate ? ["[]"] + trace.outcome.dropFirst() : trace.outcome
    return make(
      replicas: trace.replicaCount, trace.rows, outcome: outcome, violation, failsWithinSteps: !isLate)
  }

  /// The history of whole replicas, and the end of it alone, with messages that were sent before.
  static func simulated(replicas: Int) -> [Trace] {
    let rates = TestOptions.Rates(lossPercent: 20, duplicationPercent: 10, crashPercent: 5)
    let simulation = Simulation(replicas: replicas, steps: 120, rates: rates, skewMilliseconds: 1_000)
    let trace = simulation.run(seed: UInt64(replicas)).page().trace
    return [trace, trace.suffix(50)]
  }

  /// Everything that can be drawn, once each.
  static let complete = make(
    replicas: 3,
    [
      row(.operation(replica: 0, "write(\"milk\")"), "A: write(\"milk\")", shows(0, "[milk]")),
      row(.exchange(from: 0, to: 1, .taken), "A -> B", shows(1, "[milk]")),
      row(.exchange(from: 2, to: 0, .unsaid), "C -> A, but there is nothing to say"),
      row(.send(message: 2, from: 0, to: 2, .underWay), "A sends message 2 to C"),
      row(.incident(replica: 1, .clock), "B's clock is set back by 1000 ms"),
      row(
        .arrival(message: 2, from: 0, to: 2, .taken, isLast: false), "message 2 arrives", shows(2, "[milk]")),
      row(.note("the link B -> C is cut"), "the link B -> C is cut"),
      row(.exchange(from: 1, to: 2, .cut), "B -> C, but the link is cut"),
      row(.send(message: 4, from: 1, to: 2, .cut), "B sends message 4 to C, but the link is cut"),
      row(.incident(replica: 0, .save), "A saves"),
      row(.send(message: 5, from: 1, to: 0, .underWay), "B sends message 5 to A"),
      row(
        .arrival(message: 2, from: 0, to: 2, .refused, isLast: true), "message 2 is refused", shows(2, "[]")),
      row(.loss(message: 5, from: 1, to: 0), "message 5 is lost"),
      row(.exchange(from: 0, to: 2, .refused), "A -> C is refused", shows(2, "[]")),
      row(.send(message: 7, from: 2, to: 1, .underWay), "C sends message 7 to B"),
      row(.incident(replica: 2, .crash), "C crashes", shows(2, "[]")),
    ],
    outcome: ["[milk]", "[milk]", "[]"],
    Violation(oracle: .causal, replica: 2, reason: "C shows []: it forgot the milk"), failsWithinSteps: true)

  /// Two messages, the later one arrives first.
  static let overtaking = make(
    replicas: 2,
    [
      row(.send(message: 1, from: 0, to: 1, .underWay), "A sends message 1 to B"),
      row(.send(message: 2, from: 1, to: 0, .underWay), "B sends message 2 to A"),
      row(.arrival(message: 2, from: 1, to: 0, .taken, isLast: true), "message 2 arrives", shows(0, "0")),
      row(.arrival(message: 1, from: 0, to: 1, .taken, isLast: true), "message 1 arrives", shows(1, "0")),
    ],
    outcome: ["0", "0"])

  /// One operation, which goes wrong at once.
  static func failure(of operation: String) -> Trace {
    make(
      replicas: 2, [row(.operation(replica: 0, operation), "A: \(operation)", shows(0, operation))],
      outcome: [operation, "0"],
      Violation(oracle: .causal, replica: 0, reason: "A shows \(operation)"), failsWithinSteps: true)
  }

  /// So many messages under way at the same time, between the same two of four replicas.
  static func crowded(messages: Int) -> Trace {
    let sent = (1...messages).map { number in
      row(.send(message: number, from: 1, to: 2, .underWay), "B sends message \(number) to C")
    }
    let arrived = (1...messages).map { number in
      row(.arrival(message: number, from: 1, to: 2, .taken, isLast: true), "message \(number) arrives")
    }
    return make(replicas: 4, sent + arrived, outcome: ["0", "0", "0", "0"])
  }

  static func make(
    replicas: Int, _ rows: [Trace.Row], outcome: [String], _ violation: Violation? = nil,
    failsWithinSteps: Bool = false
  ) -> Trace {
    Trace(
      replicaCount: replicas, rows: rows, outcome: outcome, violation: violation,
      failsWithinSteps: failsWithinSteps)
  }

  static func row(_ event: Trace.Event, _ text: String, _ shown: Trace.Shown? = nil) -> Trace.Row {
    Trace.Row(event: event, text: text, shown: shown)
  }

  static func shows(_ replica: Int, _ observation: String) -> Trace.Shown {
    Trace.Shown(replica: replica, observation: observation)
  }
}
