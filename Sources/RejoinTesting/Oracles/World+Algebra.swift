/// The laws of merging, on the very states and messages that a history has brought about.
extension World {
  /// A copy shows what it showed before: the other laws are tried on copies.
  func checkCopy(_ copy: Subject, of replica: Int, shown before: Subject.Observation) throws(Violation) {
    guard Subject.hasValueSemantics else { return }
    let now = copy.observation
    guard now != before, before == before else { return }
    throw Violation(
      oracle: .valueSemantics, replica: replica,
      reason: "a copy of \(name(replica)) that showed \(before) shows \(now) after an operation at"
        + " \(name(replica)): say that the type has no value semantics, or give it some")
  }

  /// An operation only ever raises the state: what was before adds nothing to what came after.
  func checkInflation(of replica: Int, since before: Subject) throws(Violation) {
    guard Subject.hasValueSemantics else { return }
    let after = replicas[replica]
    guard let raised = before.merging(stateOf: after), let kept = after.merging(stateOf: before) else {
      return
    }
    try expect(.inflation, raised, after, "merging the state after an operation into the one before it")
    try expect(.inflation, kept, after, "merging the state before an operation into the one after it")
  }

  /// Idempotence, commutativity, associativity, and that the message is worth the whole state.
  func checkAlgebra(of message: Message, isFresh: Bool, at before: Subject) throws(Violation) {
    guard Subject.hasValueSemantics else { return }
    let after = replicas[message.receiver]
    var twice = after
    _ = twice.take(message, clocks)
    try expect(
      .idempotence, twice, after,
      "taking in a message from \(name(message.sender)) twice at \(name(message.receiver))")

    if isFresh, promises.messagesCarryEverything,
      let whole = before.merging(stateOf: replicas[message.sender])
    {
      try expect(
        .deltaEqualsState, after, whole,
        "taking in a message instead of the whole state of \(name(message.sender)) at \(name(message.receiver))"
      )
    }
    guard let other = replicas.indices.first(where: { $0 != message.sender && $0 != message.receiver }) else {
      return
    }
    try checkOrder(of: message, and: other, at: before, after)
    try checkGrouping(before, replicas[message.sender], replicas[other])
  }

  private func checkOrder(
    of message: Message, and other: Int, at before: Subject, _ after: Subject
  ) throws(Violation) {
    // The message of a copy: what the check asks for must not change the sender.
    var sender = replicas[other]
    guard let content = sender.message(to: message.receiver) else { return }
    var second = message
    second.sender = other
    second.content = content
    var firstFirst = after
    var secondFirst = before
    // Whoever refuses a message for now may well take it in after another one.
    guard firstFirst.take(second, clocks), secondFirst.take(second, clocks), secondFirst.take(message, clocks)
    else { return }
    try expect(
      .commutativity, secondFirst, firstFirst,
      "taking in messages from \(name(other)) and \(name(message.sender)) in the other order at"
        + " \(name(message.receiver)), which showed \(before.observation),")
  }

  /// Associativity of the states as they are after an operation: the next message may already hide what is wrong.
  ///
  /// Which of them is in the middle matters; two of the three are tried.
  func checkGrouping(around replica: Int) throws(Violation) {
    let others = replicas.indices.filter { $0 != replica }
    guard Subject.hasValueSemantics, others.count > 1 else { return }
    let (one, two, three) = (replicas[replica], replicas[others[0]], replicas[others[1]])
    try checkGrouping(one, two, three)
    try checkGrouping(two, one, three)
  }

  private func checkGrouping(_ one: Subject, _ two: Subject, _ three: Subject) throws(Violation) {
    guard let left = one.merging(stateOf: two)?.merging(stateOf: three),
      let right = two.merging(stateOf: three),
      let whole = one.merging(stateOf: right)
    else { return }
    try expect(
      .associativity, left, whole,
      "grouping to the left the merges of states that show \(one.observation), \(two.observation) and"
        + " \(three.observation)")
  }

  private func expect(
    _ oracle: Violation.Oracle, _ actual: Subject, _ expected: Subject, _ what: @autoclosure () -> String
  ) throws(Violation) {
    let (shown, right) = (actual.observation, expected.observation)
    guard shown != right else { return }
    throw Violation(oracle: oracle, replica: nil, reason: "\(what()) shows \(shown) instead of \(right)")
  }

  func name(_ replica: Int) -> String { Step<Subject.Operation>.name(replica) }
}
