import Rejoin
import RejoinCore

/// The cut: which records and log entries hold writes of this device that no lane knows of.
extension ServerTransaction {
  /// Begins a lane for every subject that was written since the last cut, and wakes those that had been stopped.
  ///
  /// Only this device's own writes count, under every id that it ever had: what came from other replicas is theirs to
  /// send, unless this device is a gateway, and what came from a server is nobody's. Costs what was written since.
  ///
  /// - Returns: how far what was written is known to the lanes now.
  @discardableResult
  mutating func cut(_ configuration: OutboxConfiguration) throws -> Frontier {
    try widen(to: configuration)
    try writeHiddenAgain(configuration)
    let before = try frontier(configuration)
    let subjects = try written(after: before, configuration)
    var frontier = before
    for origin in before.origins { frontier[origin] = max(before[origin], time(of: origin)) }
    for subject in subjects { try begin(subject, acknowledged: before) }
    try keep(frontier: frontier)
    // What was written just now has its lane by now.
    try learnHeardNames(configuration)
    try endTwins(configuration)
    return frontier
  }

  /// What was written after a frontier, under any of its ids, and travels: each subject once.
  ///
  /// - Complexity: O(n) in what was written after it.
  func written(after frontier: Frontier, _ configuration: OutboxConfiguration) throws -> [Subject] {
    let scope = TravelScope(configuration)
    var subjects: [Subject] = []
    var seen: Set<Subject> = []
    for origin in frontier.origins where time(of: origin) > frontier[origin] {
      let changes = try changes(by: origin, after: frontier[origin])
      let found = changes.records.map(Subject.record) + changes.entries.map(Subject.entry)
      for subject in found where scope.includes(subject) && seen.insert(subject).inserted {
        subjects.append(subject)
      }
    }
    return subjects
  }

  /// Begins a lane, or wakes the one that is there.
  ///
  /// A write to a record whose entry was refused is somebody's answer to the refusal: it goes out with what was
  /// refused, under a new key.
  mutating func begin(_ subject: Subject, acknowledged: Frontier) throws {
    if var lane = try lane(of: subject) {
      let known = lane
      for origin in acknowledged.origins where !lane.acknowledged.origins.contains(origin) {
        lane.acknowledged[origin] = acknowledged[origin]
      }
      if lane.stop == .conflict, lane.isUndecided {
        // What the server may hold already goes out under its key once more, before what was written since.
        lane.retry()
      } else if lane.stop != nil {
        lane.thaw()
        lane.rounds = 0
      }
      if lane != known { try keep(lane) }
      return
    }
    try keep(
      Lane(subject, sequence: nextSequence(), since: wallMilliseconds, acknowledged: acknowledged))
  }

  /// The place at the end of the queue.
  mutating func nextSequence() throws -> UInt64 {
    let sequence = try number("sequence") + 1
    try keep(number: sequence, as: "sequence")
    return UInt64(sequence)
  }
}

extension Frontier {
  /// The ids under which this device ever wrote, and those for which it is a gateway.
  var origins: [ReplicaID] { times.keys.sorted() }

  /// Makes an id one of those under which this device writes, or whose writes it sends.
  mutating func know(_ origin: ReplicaID) { self[origin] = self[origin] }

  /// How far this device's writes go now.
  init(now origins: [ReplicaID], in transaction: borrowing ServerTransaction) {
    self.init()
    for origin in origins { self[origin] = transaction.time(of: origin) }
  }
}
