/// A replica of any type, known by the number of its state: equal states have one number.
///
/// What becomes of a state is found out once and then remembered, and so is what it shows. Operations, messages and
/// observations are known by numbers too, so that a world of such replicas is small and quick to compare.
struct NumberedReplica: ReplicatedType, Hashable {
  private(set) var state: Int
  private let memory: Memory

  /// The replica in a state that this memory knows.
  init(state: Int, in memory: Memory) {
    self.state = state
    self.memory = memory
  }

  /// Replicas come from a memory, never from nothing.
  init(replica number: Int, of count: Int) {
    preconditionFailure("a numbered replica was made without a memory")
  }

  func operation(_ choices: inout Choices) -> Int { memory.operation(in: state, &choices) }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) {
    state = memory.answer(.apply(operation, in: state, clockMilliseconds)).state
  }

  mutating func message(to receiver: Int) -> Int? {
    let answer = memory.answer(.message(in: state, to: receiver))
    state = answer.state
    return answer.message
  }

  mutating func merge(_ message: Int, from sender: Int, clockMilliseconds: Int64) -> Bool {
    let answer = memory.answer(.merge(message, in: state, from: sender, clockMilliseconds))
    state = answer.state
    return answer.isDone
  }

  func merging(stateOf other: NumberedReplica) -> NumberedReplica? {
    let answer = memory.answer(.join(state, with: other.state))
    return answer.isDone ? NumberedReplica(state: answer.state, in: memory) : nil
  }

  mutating func crash() { state = memory.answer(.crash(in: state)).state }

  mutating func save() { state = memory.answer(.save(in: state)).state }

  var observation: Int { memory.observation(in: state) }

  static func == (one: NumberedReplica, other: NumberedReplica) -> Bool { one.state == other.state }

  func hash(into hasher: inout Hasher) { hasher.combine(state) }
}

/// What may be asked about states, by their numbers.
enum Question: Hashable, Sendable {
  case apply(Int, in: Int, Int64)
  case message(in: Int, to: Int)
  case merge(Int, in: Int, from: Int, Int64)
  case join(Int, with: Int)
  case crash(in: Int)
  case save(in: Int)
}

/// What becomes of a state.
struct Answer: Sendable {
  /// The state afterwards.
  var state: Int

  /// The message that it sends.
  var message: Int?

  /// Whether it took in what it got; whether there is such a merge.
  var isDone = true
}
