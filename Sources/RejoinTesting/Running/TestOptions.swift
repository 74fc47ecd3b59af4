/// What the histories of a test may contain.
public struct TestOptions: Sendable {
  /// Kinds of misfortune.
  public struct Faults: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Messages are lost.
    public static let loss = Faults(rawValue: 1)
    /// Messages arrive more than once.
    public static let duplication = Faults(rawValue: 2)
    /// Messages take their time and overtake each other.
    public static let reordering = Faults(rawValue: 4)
    /// Links are cut, also in one direction.
    public static let partitions = Faults(rawValue: 8)
    /// Processes end and start again.
    public static let crashes = Faults(rawValue: 16)
    /// Clocks differ, jump, stop and tick coarsely.
    public static let clocks = Faults(rawValue: 32)

    /// Everything.
    public static let all: Faults = [.loss, .duplication, .reordering, .partitions, .crashes, .clocks]
  }

  /// How many replicas a history has at most; at least one.
  public var replicas: Int

  /// How many steps a history has at most; at least one.
  public var steps: Int

  /// What may go wrong.
  public var faults: Faults

  /// How many histories the shrinker may try.
  public var shrinkingAttempts: Int

  /// Makes options.
  public init(replicas: Int = 3, steps: Int = 40, faults: Faults = .all, shrinkingAttempts: Int = 20_000) {
    self.replicas = max(replicas, 1)
    self.steps = max(steps, 1)
    self.faults = faults
    self.shrinkingAttempts = shrinkingAttempts
  }
}
