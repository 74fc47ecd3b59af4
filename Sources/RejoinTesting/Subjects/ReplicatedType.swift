/// A replicated data type under test: replicas of it take in operations, exchange messages, and show something.
///
/// What a message is decides the kind of type: the whole state (``StateBased`` does the rest), a delta, or
/// operations (``CausalBroadcast`` carries them over a network that loses and repeats). Replicas are values: a copy
/// is another replica in the same state. For a class, set ``hasValueSemantics`` to false; the laws of merging are
/// then not checked, since they need copies.
public protocol ReplicatedType: Sendable {
  /// What users do.
  associatedtype Operation: Sendable

  /// What replicas send each other.
  associatedtype Message: Sendable

  /// What a replica shows: two replicas that took in the same operations must show the same.
  associatedtype Observation: Equatable & Sendable

  /// An empty replica: the one of this number, counted from 0, out of a few.
  init(replica number: Int, of count: Int)

  /// Some operation that makes sense here and now; everything random about it is drawn from `choices`.
  func operation(_ choices: inout Choices) -> Operation

  /// Does what a user asked for, at a reading of this replica's own clock.
  mutating func apply(_ operation: Operation, clockMilliseconds: Int64)

  /// What an operation turned out to be, asked at once after it: for one that fails on purpose, and may have taken
  /// effect all the same.
  func outcome(of operation: Operation) -> Operation

  /// What this replica would send to another one now; nil when it has nothing to say.
  mutating func message(to receiver: Int) -> Message?

  /// Takes in a message; false when this replica refuses it for now, such as a delta with a gap before it.
  mutating func merge(_ message: Message, from sender: Int, clockMilliseconds: Int64) -> Bool

  /// What this replica shows.
  var observation: Observation { get }

  /// What must be shown after these operations, one after the other, each at a replica that knew those before it;
  /// nil when there is no telling.
  static func expected(after operations: [Operation]) -> Observation?

  /// What is wrong with showing something after these operations, some of which did not know of each other; nil
  /// when nothing is.
  ///
  /// Which of two such operations happened first must not matter.
  static func objection(to observation: Observation, after past: Past<Operation>) -> String?

  /// An operation that stands for all that happened, where everybody has seen all of it and shows the same; nil when
  /// there is none. Long histories can then forget what was before.
  static func summary(of observation: Observation) -> Operation?

  /// Looks at all that is kept, at the end of a history, where that would cost too much after each step; what is wrong
  /// should show in ``observation``.
  mutating func inspect()

  /// This replica after it has merged the whole state of another; nil when the type has no such merge.
  func merging(stateOf other: Self) -> Self?

  /// The process ends and starts again: whatever was only in memory is gone.
  mutating func crash()

  /// Whether operations and merges survive a crash at once; if not, exactly what ``save()`` kept does, and a type must
  /// not save by itself.
  static var savesAtOnce: Bool { get }

  /// Keeps what happened so far, so that a crash does not lose it.
  mutating func save()

  /// Whether whoever took in a message knows all that its sender knew.
  static var messagesCarryEverything: Bool { get }

  /// Whether a copy of a replica is another replica.
  static var hasValueSemantics: Bool { get }
}

extension ReplicatedType {
  /// What was asked for.
  public func outcome(of operation: Operation) -> Operation { operation }

  /// No telling.
  public static func expected(after operations: [Operation]) -> Observation? { nil }

  /// No objection.
  public static func objection(to observation: Observation, after past: Past<Operation>) -> String? { nil }

  /// None.
  public static func summary(of observation: Observation) -> Operation? { nil }

  /// Everything is looked at in each step.
  public mutating func inspect() {}

  /// No such merge.
  public func merging(stateOf other: Self) -> Self? { nil }

  /// Nothing is only in memory.
  public mutating func crash() {}

  /// They do.
  public static var savesAtOnce: Bool { true }

  /// Everything is kept at once.
  public mutating func save() {}

  /// They do.
  public static var messagesCarryEverything: Bool { true }

  /// It is.
  public static var hasValueSemantics: Bool { true }
}

/// A replicated type that merges whole states, and sends them.
public protocol StateBased: ReplicatedType where Message == Self {
  /// Raises this state to the least upper bound of both.
  mutating func merge(_ other: Self)
}

extension StateBased {
  /// The whole state.
  public mutating func message(to receiver: Int) -> Self? { self }

  /// Merges the whole state.
  public mutating func merge(_ message: Self, from sender: Int, clockMilliseconds: Int64) -> Bool {
    merge(message)
    return true
  }

  /// Merges the whole state.
  public func merging(stateOf other: Self) -> Self? {
    var merged = self
    merged.merge(other)
    return merged
  }
}
