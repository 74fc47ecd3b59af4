import Synchronization

/// A type whose states, messages, operations and observations have numbers.
protocol StateNumbering: Sendable {
  var savesAtOnce: Bool { get }
  var messagesCarryEverything: Bool { get }
  var alphabet: [String] { get }

  func empty(replica: Int, of count: Int) -> Int
  func operation(in state: Int, _ choices: inout Choices) -> Int
  func observation(in state: Int) -> Int
  func answer(_ question: Question) -> Answer
  func fault(in observation: Int, _ past: Past<Int>) -> Violation?
}

/// The numbers of one type, given in the order in which its states and so on turn up.
final class NumberedStates<Subject: ReplicatedType & Hashable>: StateNumbering
where Subject.Operation: Hashable, Subject.Message: Hashable {
  private struct Numbers: Sendable {
    var states = Catalogue<Subject>()
    var operations = Catalogue<Subject.Operation>()
    var messages = Catalogue<Subject.Message>()
    var observations: [Subject.Observation] = []
  }

  private let numbers = Mutex(Numbers())
  private let promises = Promises<Subject>()

  var savesAtOnce: Bool { promises.savesAtOnce }
  var messagesCarryEverything: Bool { promises.messagesCarryEverything }
  var alphabet: [String] { numbers.withLock { $0.operations.things.map { "\($0)" } } }

  func empty(replica: Int, of count: Int) -> Int {
    numbers.withLock { $0.states.number(of: Subject(replica: replica, of: count)) }
  }

  func operation(in state: Int, _ choices: inout Choices) -> Int {
    let replica = numbers.withLock { $0.states[state] }
    let operation = replica.operation(&choices)
    return numbers.withLock { $0.operations.number(of: operation) }
  }

  func observation(in state: Int) -> Int {
    numbers.withLock { numbers in
      let observation = numbers.states[state].observation
      if let known = numbers.observations.firstIndex(of: observation) { return known }
      numbers.observations.append(observation)
      return numbers.observations.count - 1
    }
  }

  func answer(_ question: Question) -> Answer {
    numbers.withLock { numbers in
      switch question {
      case .apply(let operation, let state, let clock):
        var replica = numbers.states[state]
        replica.apply(numbers.operations[operation], clockMilliseconds: clock)
        return Answer(state: numbers.states.number(of: replica))
      case .message(let state, let receiver):
        var replica = numbers.states[state]
        let message = replica.message(to: receiver)
        return Answer(
          state: numbers.states.number(of: replica), message: message.map { numbers.messages.number(of: $0) })
      case .merge(let message, let state, let sender, let clock):
        var replica = numbers.states[state]
        let isDone = replica.merge(numbers.messages[message], from: sender, clockMilliseconds: clock)
        return Answer(state: numbers.states.number(of: replica), isDone: isDone)
      case .join(let state, let other):
        let merged = numbers.states[state].merging(stateOf: numbers.states[other])
        return Answer(state: merged.map { numbers.states.number(of: $0) } ?? state, isDone: merged != nil)
      case .crash(let state):
        var replica = numbers.states[state]
        replica.crash()
        return Answer(state: numbers.states.number(of: replica))
      case .save(let state):
        var replica = numbers.states[state]
        replica.save()
        return Answer(state: numbers.states.number(of: replica))
      }
    }
  }

  func fault(in observation: Int, _ past: Past<Int>) -> Violation? {
    let (shown, events) = numbers.withLock { numbers in
      (
        numbers.observations[observation],
        past.events.map { event in
          Past<Subject.Operation>.Event(
            number: event.number, replica: event.replica, operation: numbers.operations[event.operation],
            past: event.past)
        }
      )
    }
    return promises.fault(shown, Past(events: events))
  }
}
