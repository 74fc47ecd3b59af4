public import RejoinTesting

/// What users do with a register.
public enum RegisterOperation: Hashable, Sendable {
  /// Sets it to a value.
  case set(Int)
}

/// A register as it is meant to be: the last value wins, and of values set at the same time one.
public protocol IntendedRegister: ReplicatedType
where Operation == RegisterOperation, Observation == Int {}

extension IntendedRegister {
  /// Sets one of two values.
  public func operation(_ choices: inout Choices) -> RegisterOperation { .set(1 + choices.number(below: 2)) }

  /// The last value; 0 before there is any.
  public static func expected(after operations: [RegisterOperation]) -> Int? {
    guard case .set(let value)? = operations.last else { return 0 }
    return value
  }

  /// Only what nobody overwrote knowingly may be shown.
  public static func objection(to observation: Int, after past: Past<RegisterOperation>) -> String? {
    let latest = past.latest { _ in true }.map { event in
      switch event.operation {
      case .set(let value): value
      }
    }
    return latest.isEmpty || latest.contains(observation) ? nil : "the latest values are \(latest)"
  }
}
