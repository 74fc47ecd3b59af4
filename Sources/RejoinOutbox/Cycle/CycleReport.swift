/// What one exchange with a server did.
public struct CycleReport: Hashable, Sendable {
  /// What was sent.
  public internal(set) var push = DrainReport()
  /// What was fetched.
  public internal(set) var pull = PullReport()

  /// Nothing was done.
  public init() {}
}

/// What a pull did.
public struct PullReport: Hashable, Sendable {
  /// How many requests were made.
  public internal(set) var requests = 0
  /// How many pages came.
  public internal(set) var pages = 0
  /// How many rows they held.
  public internal(set) var rows = 0
  /// How many of them could not be understood, and are kept as they came.
  public internal(set) var quarantined = 0
  /// Whether everything had to be fetched again from the beginning.
  public internal(set) var hasStartedAgain = false
  /// Why it stopped early; nil when everything was fetched.
  public internal(set) var stopped: StopReason?

  /// Nothing was done.
  public init() {}
}
