extension Trace {
  /// Makes a history that somebody else wrote down, such as what the devices of an application did in a test of their
  /// own, to be read or drawn; nothing in it was wrong.
  ///
  /// - Parameters:
  ///   - replicaCount: how many replicas there are; a server counts as one. They are called A, B, C and so on.
  ///   - rows: the steps, in order, of replicas below that number.
  ///   - outcome: what each replica shows in the end.
  /// - Precondition: there is an outcome for each replica, and no step is of another one.
  public init(replicaCount: Int, rows: [Row], outcome: [String]) {
    let replicas = 0..<replicaCount
    precondition(outcome.count == replicaCount, "an outcome for each replica")
    precondition(
      rows.allSatisfy { row in
        row.event.replicas.allSatisfy(replicas.contains)
          && row.shown.map { replicas.contains($0.replica) } ?? true
      }, "steps of these replicas only")
    self.init(
      replicaCount: replicaCount, rows: rows, outcome: outcome, violation: nil, failsWithinSteps: false)
  }
}

extension Trace.Row {
  /// Makes a step.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - text: the step in words.
  ///   - shown: what the replica concerned showed afterwards; nil where none was.
  public init(_ event: Trace.Event, text: String, shown: Trace.Shown? = nil) {
    self.event = event
    self.text = text
    self.shown = shown
  }
}

extension Trace.Shown {
  /// Says what a replica shows.
  public init(_ observation: String, on replica: Int) {
    self.replica = replica
    self.observation = observation
  }
}

extension Trace.Event {
  /// The replicas that it is about.
  fileprivate var replicas: [Int] {
    switch self {
    case .operation(let replica, _), .incident(let replica, _): [replica]
    case .exchange(let from, let to, _), .send(_, let from, let to, _), .arrival(_, let from, let to, _, _),
      .loss(_, let from, let to):
      [from, to]
    case .note: []
    }
  }
}
