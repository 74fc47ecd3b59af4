import Synchronization

/// What is known about the states of a type, by their numbers; what is not known yet is found out from the type.
///
/// It holds for types whose replicas are values and depend on nothing but what they are given.
final class Memory: Sendable {
  private struct Known {
    var answers: [Question: Answer] = [:]
    var observations: [Int: Int] = [:]
    var faults: [Shown: Violation?] = [:]
  }

  private struct Shown: Hashable {
    var observation: Int
    var past: Past<Int>
  }

  private let known = Mutex(Known())
  private let states: any StateNumbering

  init<Subject: ReplicatedType & Hashable>(of type: Subject.Type)
  where Subject.Operation: Hashable, Subject.Message: Hashable {
    states = NumberedStates<Subject>()
  }

  /// A world in which nothing has happened yet.
  func world(replicaCount: Int) -> World<NumberedReplica> {
    World(
      replicas: (0..<replicaCount).map {
        NumberedReplica(state: states.empty(replica: $0, of: replicaCount), in: self)
      },
      promises: Promises(
        savesAtOnce: states.savesAtOnce, messagesCarryEverything: states.messagesCarryEverything
      ) { [self] observation, past in fault(in: observation, past) })
  }

  /// All operations that were drawn so far.
  var alphabet: [String] { states.alphabet }

  func operation(in state: Int, _ choices: inout Choices) -> Int { states.operation(in: state, &choices) }

  func answer(_ question: Question) -> Answer {
    if let answer = known.withLock({ $0.answers[question] }) { return answer }
    let answer = states.answer(question)
    known.withLock { $0.answers[question] = answer }
    return answer
  }

  func observation(in state: Int) -> Int {
    if let observation = known.withLock({ $0.observations[state] }) { return observation }
    let observation = states.observation(in: state)
    known.withLock { $0.observations[state] = observation }
    return observation
  }

  private func fault(in observation: Int, _ past: Past<Int>) -> Violation? {
    let shown = Shown(observation: observation, past: past)
    if let fault = known.withLock({ $0.faults[shown] }) { return fault }
    let fault = states.fault(in: observation, past)
    known.withLock { $0.faults[shown] = fault }
    return fault
  }
}
