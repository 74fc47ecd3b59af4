import RejoinCore

/// Whole replicas of this library in a world of lost messages, wrong clocks and crashes: one thread, one seed.
///
/// The replicas are real ones, on stores in memory; time, randomness, network and people are simulated. After every
/// step what each replica holds and shows is held against what really happened:
///
/// - A vector covers nothing that is missing: after a merge the receiver holds the join of both whole states.
/// - A vector is closed under causality: whoever covers a write covers all that its writer had seen.
/// - Replicas of one vector hold the same, by content and by digest.
/// - Nothing that was acknowledged is lost, nothing that was deleted comes back by itself, and of concurrent writes one
///   that nobody had overwritten knowingly is shown.
/// - What fails leaves no trace, and a process that starts again finds what the last one left.
///
/// ```swift
/// let report = Simulation(replicas: 5, steps: 500).run(seed: 7)
/// if let counterexample = report.counterexample { throw counterexample }
/// ```
public struct Simulation: Sendable {
  /// What may happen, and how often.
  var options: TestOptions

  /// How far clocks may be off: two that are further apart than the drift bound let writes wait for their time, and
  /// what shows then is not what the specification says.
  public static let greatestSkewMilliseconds = Limits.maxDriftMilliseconds / 2

  /// Makes a simulation of a number of replicas, from 1 to 100, and of steps, from 1 to 1,000,000.
  ///
  /// Each history has one of the topologies. Clocks are off by `skewMilliseconds` at most; no more than
  /// ``greatestSkewMilliseconds``. Each replica sends about one message a minute.
  public init(
    replicas: Int = 3, steps: Int = 200, topologies: [Topology] = Topology.allCases,
    rates: TestOptions.Rates = TestOptions.Rates(), skewMilliseconds: Int64 = 0
  ) {
    options = TestOptions(
      replicas: min(max(replicas, 1), 100), steps: min(max(steps, 1), 1_000_000),
      faults: .all.union(.absences))
    options.fewestReplicas = options.replicas
    options.topologies = topologies
    options.clockStepMilliseconds = min(max(skewMilliseconds, 0), Self.greatestSkewMilliseconds)
    options.rates = rates
    let stepsPerMinute = options.replicas * rates.stepsPerHundredMessages / 100
    options.millisecondsPerStep = Int64(60_000 / max(stepsPerMinute, 1))
  }

  /// Histories as a soak runs them: from two to six replicas, each with other misfortunes, some of them very often, and
  /// some of them about one record and few times.
  package static var soak: TestOptions {
    var options = TestOptions(replicas: 6, steps: 60, faults: .all.union(.absences))
    options.fewestReplicas = 2
    options.topologies = Topology.allCases
    options.millisecondsPerStep = 10
    options.narrowPercent = 40
    return options
  }

  /// Runs one history; one that breaks a promise is made small.
  ///
  /// - Complexity: some microseconds a step where nothing new arrives, some dozens where something does.
  public func run(seed: UInt64) -> SimulationReport {
    let history = History<SimulatedReplica<MemoryStorage>>(seed: seed, options: options)
    let counterexample = PropertyTest(options: options).shrunk(history, seed: seed, caseNumber: 0)
    return SimulationReport(history, seed: seed, options: options, counterexample: counterexample)
  }
}
