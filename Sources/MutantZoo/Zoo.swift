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

    /// The fewest steps in which it breaks a promise, found by trying all shorter histories; the replicas' meeting
    /// at the end of every history is not counted.
    public let minimum: Int

    /// Tests the mutant.
    public let testMutant: @Sendable (_ seed: UInt64, _ cases: Int) -> TestReport

    /// Tests its right twin.
    public let testTwin: @Sendable (_ seed: UInt64, _ cases: Int) -> TestReport

    init<Wrong: ReplicatedType, Sound: ReplicatedType>(
      _ name: String, _ fault: String, _ mutant: Wrong.Type, _ twin: Sound.Type, minimum: Int
    ) {
      self.name = name
      self.fault = fault
      self.minimum = minimum
      testMutant = { seed, cases in PropertyTest(mutant).run(seed: seed, cases: cases) }
      testTwin = { seed, cases in PropertyTest(twin).run(seed: seed, cases: cases) }
    }
  }

  /// All exhibits.
  public static let exhibits: [Exhibit] = firstHalf + secondHalf
}

extension Zoo.Exhibit: CustomStringConvertible {
  /// The name and the fault.
  public var description: String { "\(name), \(fault)" }
}
