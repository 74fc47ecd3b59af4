/// What the histories of a test may contain.
public struct TestOptions: Sendable {
  /// Kinds of misfortune.
  public struct Faults: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Messages are lost; unless they are also reordered, the others arrive in the order in which they were sent.
    public static let loss = Faults(rawValue: 1)
    /// Messages arrive more than once; unless they are also reordered, at once.
    public static let duplication = Faults(rawValue: 2)
    /// Messages take their time and overtake each other.
    public static let reordering = Faults(rawValue: 4)
    /// Links are cut, also in one direction.
    public static let partitions = Faults(rawValue: 8)
    /// Processes end and start again.
    public static let crashes = Faults(rawValue: 16)
    /// Clocks differ, jump, stop and tick coarsely.
    public static let clocks = Faults(rawValue: 32)
    /// Replicas leave, with nobody at them and no message getting through, and come back, some of them late; and now
    /// and then everybody meets everybody.
    public static let absences = Faults(rawValue: 64)

    /// All of them but ``absences``, which to most types are no more than links that are cut.
    public static let all: Faults = [.loss, .duplication, .reordering, .partitions, .crashes, .clocks]
  }

  /// How often something goes wrong, for histories that should be like a network one knows.
  public struct Rates: Hashable, Sendable {
    /// How many messages of a hundred are lost.
    public var lossPercent: Int

    /// How many arrivals of a hundred are not the message's last one.
    public var duplicationPercent: Int

    /// In how many steps of a hundred a process ends and starts again.
    public var crashPercent: Int

    /// How many operations there are for a hundred messages.
    public var operationsPerHundredMessages: Int

    /// Makes rates from percentages, which are brought into the range from 0 to 90, loss and duplication together; and
    /// from 1 to 1,000 operations.
    public init(
      lossPercent: Int = 0, duplicationPercent: Int = 0, crashPercent: Int = 0,
      operationsPerHundredMessages: Int = 50
    ) {
      self.operationsPerHundredMessages = min(max(operationsPerHundredMessages, 1), 1_000)
      self.lossPercent = min(max(lossPercent, 0), 90)
      self.duplicationPercent = min(max(duplicationPercent, 0), 90 - self.lossPercent)
      self.crashPercent = min(max(crashPercent, 0), 90)
    }
  }

  /// How many replicas a history has at most; from one to a thousand.
  public var replicas: Int

  /// How many replicas a history has at least when it is drawn; the shrinker may leave out some of them.
  public var fewestReplicas = 1

  /// Who exchanges messages with whom: each history has one of these; without any, everybody with everybody.
  public var topologies: [Topology] = [.mesh]

  /// How far a clock is set forward or back at most, in milliseconds; with ``rates`` also how far it is off at most.
  public var clockStepMilliseconds: Int64 = 1_000

  /// How many histories of a hundred are narrow: about one place most of the time, with clocks that stand still unless
  /// a step moves them, so that edits meet at one place and at one time.
  package var narrowPercent = 0

  /// How much time passes in each step, in milliseconds, besides what waiting takes.
  public var millisecondsPerStep: Int64 = 0

  /// How often something goes wrong, where every message takes its time.
  ///
  /// When nil, each history has faults of its own, some of them very often.
  public var rates: Rates?

  /// How many steps a history has at most; at least one.
  public var steps: Int

  /// What may go wrong.
  public var faults: Faults

  /// How many histories the shrinker may try.
  public var shrinkingAttempts: Int

  /// Makes options; the rarer ones can be set afterwards.
  public init(replicas: Int = 3, steps: Int = 40, faults: Faults = .all, shrinkingAttempts: Int = 20_000) {
    self.replicas = min(max(replicas, 1), 1_000)
    self.steps = max(steps, 1)
    self.faults = faults
    self.shrinkingAttempts = shrinkingAttempts
  }
}
