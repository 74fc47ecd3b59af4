/// What the histories of an exhaustive test contain: all that keep within these bounds are tried.
public struct ExhaustiveBounds: Sendable {
  /// How many replicas a history has at most; at least one.
  public var replicas: Int

  /// How many operations it has at most: whichever the type's own generator can draw there and then.
  public var operations: Int

  /// How many messages arrive in it at most.
  public var deliveries: Int

  /// How many other steps it has at most: messages that are sent to arrive later, or are lost, links that are cut,
  /// replicas that save or crash, clocks that go wrong.
  public var incidents: Int

  /// Which incidents there are.
  public var faults: TestOptions.Faults

  /// How many steps it has at most, whatever they are.
  public var steps: Int

  /// How many values of each draw of the type's generator are tried at most, the first ones.
  public var values: Int

  /// Makes bounds, of which each of the first four is at most a thousand; all values are tried, and as many steps as the other bounds allow for, unless fewer are stated.
  public init(
    replicas: Int = 3, operations: Int = 4, deliveries: Int = 6, incidents: Int = 0,
    faults: TestOptions.Faults = [], steps: Int = .max, values: Int = .max
  ) {
    self.replicas = min(max(replicas, 1), 1_000)
    self.operations = min(max(operations, 0), 1_000)
    self.deliveries = min(max(deliveries, 0), 1_000)
    self.incidents = min(max(incidents, 0), 1_000)
    self.faults = faults
    self.steps = max(steps, 0)
    self.values = max(values, 1)
  }
}

extension ExhaustiveBounds {
  /// With these, a history within the bounds is replayed.
  var options: TestOptions { TestOptions(replicas: replicas, steps: .max, faults: faults) }
}
