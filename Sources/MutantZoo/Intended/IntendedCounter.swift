public import RejoinTesting

/// What users do with a counter, such as that of unread messages.
public enum CounterOperation: Hashable, Sendable {
  /// Counts one more.
  case increment
  /// Takes back all that was counted, as far as it is known here.
  case reset
}

/// A counter as it is meant to be: a reset takes back the increments that it knew of, and no others.
public protocol IntendedCounter: ReplicatedType where Operation == CounterOperation, Observation == Int {}

extension IntendedCounter {
  /// Counts or resets.
  public func operation(_ choices: inout Choices) -> CounterOperation {
    choices.element(of: [.increment, .reset])
  }

  /// The increments since the last reset.
  public static func expected(after operations: [CounterOperation]) -> Int? {
    operations.reduce(0) { count, operation in operation == .reset ? 0 : count + 1 }
  }

  /// Each increment counts exactly if no reset knew of it.
  public static func objection(to observation: Int, after past: Past<CounterOperation>) -> String? {
    let standing = past.events.count { event in
      event.operation == .increment
        && !past.events.contains { $0.operation == .reset && past.precedes(event, $0) }
    }
    return observation == standing
      ? nil : "the increments that still stand are \(standing)"
  }
}
