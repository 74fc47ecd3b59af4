public import RejoinTesting

/// A state with a digest, which tells it from all others.
public protocol Digestible: StateBased {
  /// Equal digests must mean equal states.
  var digest: UInt64 { get }
}

/// A protocol that saves traffic: replicas send each other digests, and states only where those differ.
public struct DigestExchange<State: Digestible>: ReplicatedType {
  /// A digest, and the state if the sender thinks that the receiver has another one.
  public struct Message: Sendable {
    let digest: UInt64
    let state: State?
  }

  private var state: State

  /// The digest that was last heard from each replica.
  private var heard: [UInt64]

  /// An empty replica.
  public init(replica number: Int, of count: Int) {
    state = State(replica: number, of: count)
    heard = Array(repeating: state.digest, count: count)
  }

  /// Some operation of the type.
  public func operation(_ choices: inout Choices) -> State.Operation { state.operation(&choices) }

  /// Does it.
  public mutating func apply(_ operation: State.Operation, clockMilliseconds: Int64) {
    state.apply(operation, clockMilliseconds: clockMilliseconds)
  }

  /// The digest, and the state where the receiver's was another one.
  public mutating func message(to receiver: Int) -> Message? {
    Message(digest: state.digest, state: heard[receiver] == state.digest ? nil : state)
  }

  /// Merges the state if there is one; a digest alone brings nothing.
  public mutating func merge(_ message: Message, from sender: Int, clockMilliseconds: Int64) -> Bool {
    heard[sender] = message.digest
    guard let theirs = message.state else { return false }
    state.merge(theirs)
    return true
  }

  /// Merges the states.
  public func merging(stateOf other: DigestExchange) -> DigestExchange? {
    var merged = self
    merged.state.merge(other.state)
    return merged
  }

  /// What the type shows.
  public var observation: State.Observation { state.observation }

  /// As the type says.
  public static func expected(after operations: [State.Operation]) -> State.Observation? {
    State.expected(after: operations)
  }

  /// As the type says.
  public static func objection(to observation: State.Observation, after past: Past<State.Operation>)
    -> String?
  {
    State.objection(to: observation, after: past)
  }
}

extension DigestExchange.Message: Equatable where State: Equatable {}
extension DigestExchange.Message: Hashable where State: Hashable {}
extension DigestExchange: Equatable where State: Equatable {}
extension DigestExchange: Hashable where State: Hashable {}
