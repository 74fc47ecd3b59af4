/// What a replica shows, held against the operations that it has really seen.
extension World {
  /// What was shown after some operations.
  struct Judged: Sendable {
    var observation: Subject.Observation
    var known: NumberSet
  }

  /// Checks what a replica shows against the sequential specification and the causal one, if anything has changed.
  mutating func checkObservation(of replica: Int) throws(Violation) {
    let known = knowledge[replica]
    guard known.isExact else { return }
    let observation = replicas[replica].observation
    if let last = judged[replica], last.known == known.certain, last.observation == observation { return }
    try check(observation, of: replica, after: past(of: known.certain))
    judged[replica] = Judged(observation: observation, known: known.certain)
  }

  func check(
    _ observation: Subject.Observation, of replica: Int, after past: Past<Subject.Operation>
  ) throws(Violation) {
    guard let fault = promises.fault(observation, past) else { return }
    throw Violation(
      oracle: fault.oracle, replica: replica, reason: "\(name(replica)) shows \(fault.reason)")
  }

  func past(of numbers: NumberSet) -> Past<Subject.Operation> {
    Past(events: events.filter { numbers.contains($0.number) }, notes: notes)
  }
}

/// The end of every history: all faults are over, and everybody meets everybody.
extension World {
  /// Lets all replicas exchange until nothing changes, then checks that all show the same, and the right thing.
  mutating func settle(isLast: Bool = true) throws(Violation) {
    network.mend()
    network.comeBackAll()
    clocks.repair()
    let before = messageCount
    defer { meetingMessageCount += messageCount - before }
    while !network.underWay.isEmpty { try take(network.take(0), isFresh: false) }
    var shown = replicas.map(\.observation)
    // What is sent may depend on what was acknowledged before, and a message may bring little at a time. So two quiet
    // rounds are enough where all is well; where it is not, more are waited for; and there is an end to it in any case.
    var quietRounds = 0
    var rounds = 0
    let mostRounds = Self.patience + (3 + events.count) * replicas.count
    while rounds < mostRounds, quietRounds < Self.patience, quietRounds < 2 || !isWell(shown) {
      // All of a round at once: one after the other, replicas that let the last arrival win would agree by luck.
      var messages: [Message] = []
      for sender in replicas.indices {
        for receiver in replicas.indices where receiver != sender {
          if let message = makeMessage(from: sender, to: receiver) { messages.append(message) }
        }
      }
      for message in messages { try take(message, isFresh: false) }
      let now = replicas.map(\.observation)
      quietRounds = now == shown ? quietRounds + 1 : 0
      shown = now
      rounds += 1
    }
    if isLast { for replica in replicas.indices { replicas[replica].inspect() } }
    try checkConvergence(replicas.map(\.observation))
  }

  /// How many rounds in which nothing shows a protocol may take before something does.
  private static var patience: Int { 6 }

  private func isWell(_ shown: [Subject.Observation]) -> Bool {
    do throws(Violation) {
      try checkConvergence(shown)
      return true
    } catch {
      return false
    }
  }

  private func checkConvergence(_ shown: [Subject.Observation]) throws(Violation) {
    guard let first = shown.first else { return }
    if first != first {
      throw Violation(
        oracle: .convergence, replica: 0, reason: "what A shows, \(first), is not even equal to itself")
    }
    for (replica, other) in shown.enumerated() where other != first {
      throw Violation(
        oracle: .convergence, replica: nil,
        reason: "after everybody met everybody, A shows \(first) and \(name(replica)) shows \(other)")
    }
    var known = NumberSet()
    for knowledge in knowledge { known.formUnion(knowledge.possible) }
    let past = past(of: known)
    for replica in shown.indices { try check(shown[replica], of: replica, after: past) }
  }
}
