import Rejoin
import RejoinCore

/// What happened in a simulation.
public struct SimulationReport: Sendable {
  /// The seed.
  public let seed: UInt64

  /// How many replicas there were.
  public let replicaCount: Int

  /// How many steps there were: all of them, unless a promise was broken on the way.
  public let stepCount: Int

  /// How many messages were sent, besides those with which everybody met everybody.
  public let messageCount: Int

  /// How many messages were sent where everybody met everybody.
  public let meetingMessageCount: Int

  /// How much time passed for the replicas, in milliseconds.
  public let simulatedMilliseconds: Int64

  /// A fingerprint of all choices, and of what all replicas held and showed in the end: the same for one seed on every
  /// machine and in every build.
  public let hash: String

  /// The smallest history that breaks a promise, if one was broken.
  public let counterexample: Counterexample?

  private let history: History<SimulatedReplica<MemoryStorage>>
  private let options: TestOptions

  init(
    _ history: History<SimulatedReplica<MemoryStorage>>, seed: UInt64, options: TestOptions,
    counterexample: Counterexample?
  ) {
    self.history = history
    self.seed = seed
    self.options = options
    self.counterexample = counterexample
    replicaCount = history.replicaCount
    stepCount = history.steps.count
    messageCount = history.messageCount - history.meetingMessageCount
    meetingMessageCount = history.meetingMessageCount
    simulatedMilliseconds = history.elapsedMilliseconds
    var summary = TestReport()
    summary.add(history)
    for observation in history.outcome { summary.absorb("\(observation)") }
    hash = summary.traceHash
  }
}

extension SimulationReport {
  /// A page about the history, or about the smallest one that breaks a promise: who won each register and why, what each
  /// replica showed as time went by, and the history as a picture.
  ///
  /// Runs the history once more. Of a long one, the page shows the last thousand steps.
  ///
  /// - Complexity: grows with the number of steps, and of replicas.
  public func page() -> HistoryReport {
    let trace: Trace
    let winners: [HistoryReport.Winner]
    if let counterexample {
      (trace, winners) = (counterexample.trace, [])
    } else {
      let (whole, world) = Trace.record(history, history.violation)
      trace = whole.suffix(1_000)
      winners =
        world.replicas.first?.winners(among: world.replicas.map(\.replica.id), steps: stepsOfWrites()) ?? []
    }
    return HistoryReport(
      title: "\(replicaCount) replicas, \(stepCount) steps, seed \(seed)", facts: facts, trace: trace,
      winners: winners)
  }

  /// The step in which each replica made the write of a time, by performing the history once more.
  private func stepsOfWrites() -> [Timestamp: Int] {
    var world = World<SimulatedReplica<MemoryStorage>>(
      replicaCount: history.replicaCount, millisecondsPerStep: history.millisecondsPerStep)
    var steps: [Timestamp: Int] = [:]
    for (number, drawn) in zip(1..., history.steps) {
      guard (try? world.perform(drawn.step)) != nil else { break }
      guard case .operate(let replica, _) = drawn.step else { continue }
      let writer = world.replicas[replica].replica
      let timestamp = Timestamp(time: writer.version[writer.id], replica: writer.id)
      if steps[timestamp] == nil { steps[timestamp] = number }
    }
    return steps
  }

  private var facts: [HistoryReport.Fact] {
    let rates = options.rates ?? TestOptions.Rates()
    let (hours, minutes) = (simulatedMilliseconds / 60_000).quotientAndRemainder(dividingBy: 60)
    return [
      HistoryReport.Fact("steps", "\(stepCount)"), HistoryReport.Fact("messages", "\(messageCount)"),
      HistoryReport.Fact("messages at meetings of all", "\(meetingMessageCount)"),
      HistoryReport.Fact("time passed", "\(hours) h \(minutes) min"),
      HistoryReport.Fact("lost", "\(rates.lossPercent) % of the messages"),
      HistoryReport.Fact("repeated", "\(rates.duplicationPercent) % of the arrivals"),
      HistoryReport.Fact("crashes", "\(rates.crashPercent) % of the steps"),
      HistoryReport.Fact("clocks are off by", "\(options.clockStepMilliseconds) ms at most"),
      HistoryReport.Fact("hash", hash),
    ]
  }
}

extension SimulatedReplica {
  /// What shows in the end, who wrote it and why it won.
  func winners(among ids: [ReplicaID], steps: [Timestamp: Int]) -> [HistoryReport.Winner] {
    observation.records.sorted { $0.key < $1.key }.flatMap { number, record in
      record.fields.keys.sorted().compactMap { name -> HistoryReport.Winner? in
        let key = Self.key(number)
        let explanation = try? replica.explain(FieldName(name), of: key.id, in: key.collection)
        guard let explanation, let winner = explanation.winner ?? explanation.slots.first else { return nil }
        let timestamps =
          explanation.slots.map(\.register.precedence.timestamp) + [explanation.life?.timestamp]
        let reason = timestamps.compactMap(\.self).reduce("\(explanation)") { reason, timestamp in
          reason.replacing("\(timestamp)", with: Self.name(of: timestamp, among: ids, steps))
        }
        let writer = winner.register.precedence.timestamp
        return HistoryReport.Winner(
          place: "record \(number), \(name)", value: Content.text(winner.register.value),
          writer: Self.name(of: writer.replica, among: ids), reason: reason)
      }
    }
  }

  private static func name(of replica: ReplicaID, among ids: [ReplicaID]) -> String {
    ids.firstIndex(of: replica).map { Step<Never>.name($0) } ?? "a later version"
  }

  /// Who, and in which step.
  private static func name(
    of timestamp: Timestamp, among ids: [ReplicaID], _ steps: [Timestamp: Int]
  ) -> String {
    let writer = name(of: timestamp.replica, among: ids)
    return steps[timestamp].map { "\(writer) in step \($0)" } ?? writer
  }
}
