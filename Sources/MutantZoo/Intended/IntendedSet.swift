public import RejoinTesting

/// What users do with a set.
public enum SetOperation: Hashable, Sendable {
  /// Adds an element, whether or not it is there.
  case add(Int)
  /// Removes an element, if it is there.
  case remove(Int)
  /// Forgets what is no longer needed, in sets that collect garbage; nobody sees a difference.
  case collect
}

/// A set as it is meant to be: a removal takes back the additions that it knew of, and no others.
public protocol IntendedSet: ReplicatedType where Operation == SetOperation, Observation == [Int] {}

extension IntendedSet {
  /// Adds or removes one of two elements.
  public func operation(_ choices: inout Choices) -> SetOperation {
    choices.element(of: [.add(1), .remove(1), .add(2), .remove(2)])
  }

  /// What a set would hold.
  public static func expected(after operations: [SetOperation]) -> [Int]? {
    var elements: Set<Int> = []
    for operation in operations {
      switch operation {
      case .add(let element): elements.insert(element)
      case .remove(let element): elements.remove(element)
      case .collect: break
      }
    }
    return elements.sorted()
  }

  /// An element is there exactly if one of its additions was removed by nobody who knew of it.
  public static func objection(to observation: [Int], after past: Past<SetOperation>) -> String? {
    var standing: Set<Int> = []
    for event in past.events {
      guard case .add(let element) = event.operation else { continue }
      let isRemoved = past.events.contains { $0.operation == .remove(element) && past.precedes(event, $0) }
      if !isRemoved { standing.insert(element) }
    }
    return observation == standing.sorted()
      ? nil : "the additions that still stand are of \(standing.sorted())"
  }
}
