/// Tests a replicated type with all histories within some bounds, and finds one with the fewest steps in which it
/// breaks a promise.
///
/// ```swift
/// @Test func `all short histories of my counter keep its promises`() throws {
///   try ExhaustiveTest(MyCounter.self, bounds: ExhaustiveBounds(operations: 3, deliveries: 4)).check()
/// }
/// ```
public struct ExhaustiveTest<Subject: ReplicatedType & Hashable>: Sendable
where Subject.Operation: Hashable, Subject.Message: Hashable {
  /// What histories may contain.
  public var bounds: ExhaustiveBounds

  /// Makes a test of a type.
  public init(_ type: Subject.Type = Subject.self, bounds: ExhaustiveBounds = ExhaustiveBounds()) {
    self.bounds = bounds
  }

  /// Tries all histories, and throws a shortest one that breaks a promise, if there is any.
  ///
  /// - Complexity: a few dozen microseconds and about a kilobyte for each world that the histories lead to.
  public func check() throws(Counterexample) {
    if let counterexample = run().counterexample { throw counterexample }
  }

  /// Tries all histories until one breaks a promise, shortest first, and tells what was done.
  public func run() -> ExhaustiveReport {
    precondition(
      Subject.hasValueSemantics, "an exhaustive test needs copies of replicas that stay as they are")
    let memory = Memory(of: Subject.self)
    var exploration = Exploration(bounds: bounds, savesAtOnce: Subject.savesAtOnce)
    var report = ExhaustiveReport(bounds: bounds)
    do throws(Exploration.Failure) {
      try exploration.run(from: (1...bounds.replicas).map(memory.world))
    } catch {
      report.counterexample = counterexample(error)
    }
    report.alphabet = memory.alphabet
    report.scheduleCount = exploration.scheduleCount
    report.stateCount = exploration.stateCount
    return report
  }

  /// Replays the history without any memory, which tells what was wrong in the type's own words.
  private func counterexample(_ failure: Exploration.Failure) -> Counterexample {
    let history = History<Subject>(replaying: failure.sequence, options: bounds.options)
    let violation =
      history.violation
      ?? Violation(
        oracle: failure.violation.oracle, replica: failure.violation.replica,
        reason: "but not when it is replayed: the type does not do the same in equal states")
    return Counterexample(
      history, violation, options: bounds.options, origin: Counterexample.Origin(),
      isMinimal: Shrinker(history, options: bounds.options)?.isMinimal() ?? false)
  }
}
