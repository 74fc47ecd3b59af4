/// What an oracle found to be wrong.
public struct Violation: Error, Sendable, Equatable {
  /// The promise that was broken.
  public enum Oracle: String, Sendable, CaseIterable {
    /// After everybody has met everybody, all show the same.
    case convergence
    /// Taking in a message twice is like taking it in once.
    case idempotence
    /// Of two messages it does not matter which comes first.
    case commutativity
    /// It does not matter how merges of states are grouped.
    case associativity
    /// Taking in a message is like taking in the sender's whole state.
    case deltaEqualsState = "delta = state"
    /// An operation only ever raises the state.
    case inflation
    /// Where no two operations were concurrent, the type is like one that is not replicated.
    case sequential = "sequential specification"
    /// A copy of a replica stays as it was when the replica goes on.
    case valueSemantics = "value semantics"
    /// What is shown can be explained by the operations that were seen: none vanished, none won wrongly.
    case causal = "causality and preservation"
  }

  /// The promise that was broken.
  public let oracle: Oracle

  /// The replica at which it showed; nil when several are concerned.
  public let replica: Int?

  /// What was expected, and what was there instead.
  public let reason: String
}

extension Violation: CustomStringConvertible {
  /// The promise and the reason.
  public var description: String { "\(oracle.rawValue): \(reason)" }
}
