/// A history in which a type breaks a promise, as small as it could be made.
public struct Counterexample: Error, Sendable {
  /// Where it came from.
  public struct Origin: Sendable {
    /// The seed of the run; nil for a history that was replayed.
    public var seed: UInt64?

    /// Which history of the run it was, counted from 0.
    public var caseNumber = 0

    /// How many steps it had before it was shrunk.
    public var stepCount = 0

    /// How many histories were tried to shrink it.
    public var shrinkingAttempts = 0
  }

  /// The type, as it is written in Swift.
  public let typeName: String

  /// What was wrong.
  public let violation: Violation

  /// Everything that happened.
  public let trace: Trace

  /// Replays the history: `try PropertyTest(MyType.self).replay("…")`.
  public let replayString: String

  /// Where it came from.
  public let origin: Origin

  /// Whether every history with one step, replica or choice less keeps all promises; nil for one that was replayed,
  /// false when the shrinker ran out of attempts or the type does not behave the same each time.
  public let isMinimal: Bool?

  private let optionsCode: String

  init<Subject>(
    _ history: History<Subject>, _ violation: Violation, options: TestOptions, origin: Origin,
    isMinimal: Bool?
  ) {
    typeName = "\(Subject.self)"
    self.violation = violation
    trace = Trace(history, violation)
    replayString = history.sequence.description
    self.origin = origin
    self.isMinimal = isMinimal
    optionsCode =
      options.replicas == TestOptions().replicas
      ? "" : ", options: TestOptions(replicas: \(options.replicas))"
  }

  /// A test that replays the history, ready to be pasted.
  public var testCode: String {
    let count = trace.rows.count
    let name = "\(typeName), \(violation.oracle.rawValue): \(count) step\(count == 1 ? "" : "s")"
    return """
      @Test func `\(name)`() throws {
        try PropertyTest(\(typeName).self\(optionsCode)).replay("\(replayString)")
      }
      """
  }
}

extension Counterexample: CustomStringConvertible {
  /// What was wrong, the history, and how to replay it.
  public var description: String {
    var lines = ["\(typeName) breaks a promise: \(violation)", trace.text]
    if let seed = origin.seed {
      lines.append(
        "seed \(seed), history \(origin.caseNumber): \(origin.stepCount) steps,"
          + " \(trace.rows.count) after \(origin.shrinkingAttempts) attempts to shrink it"
          + (isMinimal == true ? "; nothing can be left out" : "; perhaps not the smallest"))
    }
    lines.append("replay: \(replayString)")
    return (lines + [testCode]).joined(separator: "\n")
  }
}
