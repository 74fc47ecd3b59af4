import RejoinCore

/// Tests a replicated type with random histories, and shrinks those in which it breaks a promise.
///
/// ```swift
/// @Test(arguments: TestSeeds.seeds(3))
/// func `my counter keeps its promises`(seed: UInt64) throws {
///   try PropertyTest(MyCounter.self).check(seed: seed)
/// }
/// ```
public struct PropertyTest<Subject: ReplicatedType>: Sendable {
  /// What histories may contain.
  public var options: TestOptions

  /// Makes a test of a type.
  public init(_ type: Subject.Type = Subject.self, options: TestOptions = TestOptions()) {
    self.options = options
  }

  /// Tests some histories, and throws the smallest one that breaks a promise, if there is any.
  ///
  /// - Complexity: time grows with the number of histories, and of steps in each; shrinking comes once.
  public func check(seed: UInt64, cases: Int = TestSeeds.caseCount) throws(Counterexample) {
    if let counterexample = run(seed: seed, cases: cases).counterexample { throw counterexample }
  }

  /// Tests some histories until one breaks a promise, and tells what was done.
  public func run(seed: UInt64, cases: Int = TestSeeds.caseCount) -> TestReport {
    var report = TestReport()
    var seeds = SplitMix64(seed: seed)
    for number in 0..<max(cases, 1) {
      let history = History<Subject>(seed: seeds.next(), options: options)
      report.add(history)
      if history.violation != nil {
        report.counterexample = shrunk(history, seed: seed, caseNumber: number)
        break
      }
    }
    return report
  }

  /// Replays one history from its replay string; throws what is wrong with it, or that the string is none.
  public func replay(_ replayString: String) throws {
    guard let sequence = ChoiceSequence(replayString) else { throw ReplayError.malformed }
    let history = History<Subject>(replaying: sequence, options: options)
    guard history.isWhole, history.isFaithful else { throw ReplayError.unfit }
    guard let violation = history.violation else { return }
    throw Counterexample(
      history, violation, options: options, origin: Counterexample.Origin(), isMinimal: nil)
  }

  /// The history made small; nil when it keeps all promises.
  func shrunk(_ history: History<Subject>, seed: UInt64, caseNumber: Int) -> Counterexample? {
    guard var shrinker = Shrinker(history, options: options) else { return nil }
    shrinker.run()
    guard let violation = shrinker.best.violation else { return nil }
    let origin = Counterexample.Origin(
      seed: seed, caseNumber: caseNumber, stepCount: history.steps.count,
      shrinkingAttempts: shrinker.attempts)
    let isReproducible = (0..<10).allSatisfy { _ in
      let again = History<Subject>(replaying: shrinker.best.sequence, options: options).violation
      return again?.oracle == violation.oracle && again?.replica == violation.replica
    }
    return Counterexample(
      shrinker.best, violation, options: options, origin: origin,
      isMinimal: isReproducible && shrinker.isMinimal(), isReproducible: isReproducible)
  }
}

/// Why a replay string could not be replayed.
public enum ReplayError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is not one that a ``Counterexample`` printed.
  case malformed
  /// The type, its generator of operations or the options have changed since: the sequence stands for no history.
  case unfit

  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .malformed: "this is no replay string: copy all of what the failure printed"
    case .unfit:
      "the replay string stands for no history: the type draws other choices than when it was printed, or the"
        + " options allow less"
    }
  }
}
