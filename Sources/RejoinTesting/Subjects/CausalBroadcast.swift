/// A data type whose operations are made at one replica and performed at all of them, each once and after those that
/// it depends on.
///
/// ``CausalBroadcast`` makes a ``ReplicatedType`` of it that stands a network which loses, repeats and reorders.
/// Source: Shapiro et al., *A comprehensive study of Convergent and Commutative Replicated Data Types* (2011).
public protocol OperationBased: Sendable {
  /// What users do.
  associatedtype Operation: Sendable

  /// What all replicas then perform.
  associatedtype Effect: Sendable

  /// What a replica shows.
  associatedtype Observation: Equatable & Sendable

  /// An empty replica: the one of this number, counted from 0, out of a few.
  init(replica number: Int, of count: Int)

  /// Some operation that makes sense here and now.
  func operation(_ choices: inout Choices) -> Operation

  /// What an operation comes to, judged at the replica where it happens.
  func prepare(_ operation: Operation, clockMilliseconds: Int64) -> Effect

  /// Performs an operation of this or another replica.
  mutating func perform(_ effect: Effect)

  /// What this replica shows.
  var observation: Observation { get }

  /// As for ``ReplicatedType``.
  static func expected(after operations: [Operation]) -> Observation?

  /// As for ``ReplicatedType``.
  static var hasValueSemantics: Bool { get }

  /// As for ``ReplicatedType``.
  static func objection(to observation: Observation, after past: Past<Operation>) -> String?
}

extension OperationBased {
  /// It is.
  public static var hasValueSemantics: Bool { true }

  /// No telling.
  public static func expected(after operations: [Operation]) -> Observation? { nil }

  /// No objection.
  public static func objection(to observation: Observation, after past: Past<Operation>) -> String? { nil }
}

/// Carries the operations of a type to all replicas, each once and in causal order, whatever the network does.
///
/// A message holds all effects that the sender knows, in the order in which it performed them.
public struct CausalBroadcast<Base: OperationBased>: ReplicatedType {
  /// An effect, and which it is: the `count`-th of its replica.
  public struct Delivery: Sendable {
    let replica: Int
    let count: Int
    let effect: Base.Effect
  }

  private var base: Base
  private let number: Int
  private var performed: [Delivery] = []
  private var counts: [Int]

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    base = Base(replica: number, of: count)
    self.number = number
    counts = Array(repeating: 0, count: count)
  }

  /// Some operation of the type.
  public func operation(_ choices: inout Choices) -> Base.Operation { base.operation(&choices) }

  /// Performs an operation here, and remembers it for the others.
  public mutating func apply(_ operation: Base.Operation, clockMilliseconds: Int64) {
    let effect = base.prepare(operation, clockMilliseconds: clockMilliseconds)
    perform(Delivery(replica: number, count: counts[number] + 1, effect: effect))
  }

  /// All effects, in an order that respects causality.
  public mutating func message(to receiver: Int) -> [Delivery]? { performed }

  /// Performs those that are new.
  public mutating func merge(_ message: [Delivery], from sender: Int, clockMilliseconds: Int64) -> Bool {
    for delivery in message where delivery.count > counts[delivery.replica] { perform(delivery) }
    return true
  }

  private mutating func perform(_ delivery: Delivery) {
    base.perform(delivery.effect)
    counts[delivery.replica] = delivery.count
    performed.append(delivery)
  }

  /// As the type says.
  public static var hasValueSemantics: Bool { Base.hasValueSemantics }

  /// What the type shows.
  public var observation: Base.Observation { base.observation }

  /// As the type says.
  public static func expected(after operations: [Base.Operation]) -> Base.Observation? {
    Base.expected(after: operations)
  }

  /// As the type says.
  public static func objection(to observation: Base.Observation, after past: Past<Base.Operation>) -> String?
  {
    Base.objection(to: observation, after: past)
  }
}

// Equal replicas performed the same effects in the same order, and their types came to equal states by it.
extension CausalBroadcast: Equatable where Base: Equatable, Base.Effect: Equatable {}
extension CausalBroadcast: Hashable where Base: Hashable, Base.Effect: Hashable {}
extension CausalBroadcast.Delivery: Equatable where Base.Effect: Equatable {}
extension CausalBroadcast.Delivery: Hashable where Base.Effect: Hashable {}
