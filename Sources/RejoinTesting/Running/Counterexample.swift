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

  /// Whether the history broke the same promise each time; if not, the type asks somebody else for randomness, keeps
  /// something between histories, or depends on the order of a set.
  public let isReproducible: Bool

  private let optionsCode: String

  init<Subject>(
    _ history: History<Subject>, _ violation: Violation, options: TestOptions, origin: Origin,
    isMinimal: Bool?, isReproducible: Bool = true
  ) {
    typeName = Self.name(of: Subject.self)
    self.isReproducible = isReproducible
    self.violation = violation
    trace = Trace(history, violation)
    replayString = history.sequence.description
    self.origin = origin
    self.isMinimal = isMinimal
    optionsCode =
      if options.narrowPercent > 0 {
        ", options: Simulation.soak"
      } else if options.replicas != TestOptions().replicas {
        ", options: TestOptions(replicas: \(options.replicas))"
      } else {
        ""
      }
  }

  /// The name of a type as it is written within its module.
  private static func name(of type: Any.Type) -> String {
    var name = ""
    var word = ""
    func end() {
      // The module comes first; what is private stands in a context that cannot be named.
      var parts = word.split(separator: ".")
      if parts.count > 1 { parts.removeFirst() }
      name += parts.joined(separator: ".")
      word = ""
    }
    var depth = 0
    for character in String(reflecting: type) {
      if character == "(" { depth += 1 }
      if depth == 0 {
        if character.isLetter || character.isNumber || character == "_" || character == "." {
          word.append(character)
        } else {
          end()
          name.append(character)
        }
      }
      if character == ")" { depth -= 1 }
    }
    end()
    return name
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
    if !isReproducible {
      lines.append(
        "The same history does not break the same promise each time: the type asks somebody else for randomness,"
          + " keeps something between histories, or depends on the order of a set.")
    }
    lines.append("replay: \(replayString)")
    return (lines + [testCode]).joined(separator: "\n")
  }
}
