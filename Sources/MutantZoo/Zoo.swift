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

    /// The fewest steps in which it breaks a promise, which ``tryAll`` confirms; the replicas' meeting at the end of
    /// every history is not counted.
    public let minimum: Int

    /// Tests the mutant.
    public let testMutant: @Sendable (_ seed: UInt64, _ cases: Int) -> TestReport

    /// Tests its right twin.
    public let testTwin: @Sendable (_ seed: UInt64, _ cases: Int) -> TestReport

    /// Tries all histories of the mutant that have no more steps than the minimum, with whatever steps there are.
    public let tryAll: @Sendable () -> ExhaustiveReport

    init<Wrong: ReplicatedType & Hashable, Sound: ReplicatedType>(
      _ name: String, _ fault: String, _ mutant: Wrong.Type, _ twin: Sound.Type, minimum: Int,
      readsClock: Bool = false
    ) where Wrong.Operation: Hashable, Wrong.Message: Hashable {
      self.name = name
      self.fault = fault
      self.minimum = minimum
      testMutant = { seed, cases in PropertyTest(mutant).run(seed: seed, cases: cases) }
      testTwin = { seed, cases in PropertyTest(twin).run(seed: seed, cases: cases) }
      // Clocks only make a difference to those that read them.
      let bounds = ExhaustiveBounds(
        operations: minimum, deliveries: minimum, incidents: minimum,
        faults: readsClock ? .all : .all.subtracting(.clocks), steps: minimum)
      tryAll = { ExhaustiveTest(mutant, bounds: bounds).run() }
    }
  }

  /// All exhibits.
  public static let exhibits: [Exhibit] = firstHalf + secondHalf
}

extension Zoo.Exhibit: CustomStringConvertible {
  /// The name and the fault.
  public var description: String { "\(name), \(fault)" }
}
