public import RejoinTesting

/// The classic faults of replicated data types, each as a small type with its right twin: a benchmark for whoever
/// claims to find such faults.
public enum Zoo {
  /// A mutant, its twin, and what is known about it.
  public struct Exhibit: Sendable {
    /// M1 and so on.
    public let name: String

    /// What is wrong with it, in a few words.
    public let fault: String

    /// The fewest steps in which it breaks a promise: no shorter history does.
    ///
    /// The replicas' meeting at the end of every history is not counted.
    public let minimum: Int

    /// Tests the mutant.
    public let testMutant: @Sendable (_ seed: UInt64, _ cases: Int) -> TestReport

    /// Tests its right twin.
    public let testTwin: @Sendable (_ seed: UInt64, _ cases: Int) -> TestReport

    /// Tries all histories of the mutant within some bounds: ``minimum`` was found in this way.
    public let tryMutant: @Sendable (_ bounds: ExhaustiveBounds) -> ExhaustiveReport

    /// Tries all histories of its right twin within some bounds.
    public let tryTwin: @Sendable (_ bounds: ExhaustiveBounds) -> ExhaustiveReport

    /// All histories that have no more steps than ``minimum``, with whatever steps there are.
    public let shortest: ExhaustiveBounds

    init<Wrong: ReplicatedType & Hashable, Sound: ReplicatedType & Hashable>(
      _ name: String, _ fault: String, _ mutant: Wrong.Type, _ twin: Sound.Type, minimum: Int,
      readsClock: Bool = false
    )
    where
      Wrong.Operation: Hashable, Wrong.Message: Hashable,
      Sound.Operation: Hashable, Sound.Message: Hashable
    {
      self.name = name
      self.fault = fault
      self.minimum = minimum
      testMutant = { seed, cases in PropertyTest(mutant).run(seed: seed, cases: cases) }
      testTwin = { seed, cases in PropertyTest(twin).run(seed: seed, cases: cases) }
      tryMutant = { bounds in ExhaustiveTest(mutant, bounds: bounds).run() }
      tryTwin = { bounds in ExhaustiveTest(twin, bounds: bounds).run() }
      // Clocks only make a difference to those that read them.
      shortest = ExhaustiveBounds(
        operations: minimum, deliveries: minimum, incidents: minimum,
        faults: readsClock ? .all : .all.subtracting(.clocks), steps: minimum)
    }
  }

  /// All exhibits.
  public static let exhibits: [Exhibit] = firstHalf + secondHalf
}

extension Zoo.Exhibit: CustomStringConvertible {
  /// The name and the fault.
  public var description: String { "\(name), \(fault)" }
}
