/// What a type promises about its messages, and about what its replicas show.
///
/// A world asks this and not the type, so that replicas that stand for those of any type can be held to its promises.
struct Promises<Subject: ReplicatedType>: Sendable {
  /// As for ``ReplicatedType/savesAtOnce``.
  let savesAtOnce: Bool

  /// As for ``ReplicatedType/messagesCarryEverything``.
  let messagesCarryEverything: Bool

  /// What is wrong with showing something after some operations, whichever the replica; nil when nothing is.
  let fault: @Sendable (Subject.Observation, Past<Subject.Operation>) -> Violation?
}

extension Promises {
  /// What the type itself promises.
  init(of type: Subject.Type = Subject.self) {
    self.init(
      savesAtOnce: Subject.savesAtOnce, messagesCarryEverything: Subject.messagesCarryEverything
    ) { observation, past in
      if past.isSequential, let expected = Subject.expected(after: past.operations), observation != expected {
        return Violation(oracle: .sequential, replica: nil, reason: "\(observation) instead of \(expected)")
      }
      return Subject.objection(to: observation, after: past).map { objection in
        Violation(oracle: .causal, replica: nil, reason: "\(observation): \(objection)")
      }
    }
  }
}
