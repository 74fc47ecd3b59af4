import Rejoin
import RejoinCore

/// What every merge promises.
extension SimulatedReplica {
  /// Gives the replica a delta that starts further than it has come.
  mutating func refuse(_ delta: Delta) throws {
    let before = try snapshot()
    do {
      try replica.merge(delta)
      note("a delta with a gap before it was merged")
    } catch ReplicaError.gap {
      if try snapshotAnew() != before { note("a delta that was refused left a trace") }
    }
  }

  /// Takes in that a sender had nothing to tell, as far as it knew what this replica had said.
  mutating func takeNothing(of message: Message) throws -> Bool {
    if !replica.version.covers(message.version) { note("a vector went back behind what it had said") }
    if !truth.covers(message.truth) { note("a sender had more to tell than it believed") }
    try checkEquality(with: message)
    return true
  }

  /// Merges a delta and checks what every merge promises; says whether it was merged, which only a misfortune may
  /// prevent.
  mutating func merge(
    _ delta: Delta, of message: Message, suffering: (Misfortune, after: Int)?
  ) throws -> Bool {
    let (version, lastTime, commits) = (replica.version, replica.lastTime, storage.commitCount)
    let before = try reading().held
    if let suffering {
      let hasHappened = try suffer(suffering.0, after: suffering.after) { try $0.merge(delta) }
      if !hasHappened { return false }
    } else {
      try replica.merge(delta)
    }
    let hasCommitted = commits == nil || storage.commitCount != commits
    let now = try reading(like: message.held)
    let known = truth
    truth.merge(message.truth)
    let join = Join(
      of: before, with: message.held, after: version, is: now.held,
      touched: hasCommitted ? now.touched?.entries : [])
    learnStamps(of: join.additions, with: message, after: version)
    let touched = chronicle.merge(message.chronicle, notCoveredBy: known)
    if replica.version != truth { note("the vector is not that of all that was seen") }
    try checkEquality(with: message)
    if !hasCommitted, version.covers(delta.through) { return true }
    checkClock(delta, lastTime)
    // The sender's whole state, not what travelled: the vector must not cover anything that is missing.
    if !join.isKept { note("the state is not the join of those of receiver and sender") }
    try checkLedger(of: touched.union(now.held.records(changedSince: before)), now.held)
    checkKinds(of: join.entries, now.held)
    try checkClock()
    checkCausality(of: join.entries, now.held)
    mergeCount += 1
    // After as many merges as there are things to look at: so it adds little to each of them.
    if mergeCount >= max(8, now.held.entries.count + 4 * now.held.records.count) { try inspectAll() }
    return true
  }

  /// Replicas of one vector hold the same.
  private mutating func checkEquality(with message: Message) throws {
    guard replica.version == message.version else { return }
    let held = try reading().held
    guard held == message.held, held.digest == message.held.digest else {
      return note("two replicas of one version hold different things")
    }
    // Comparing them once more then costs next to nothing.
    memo.adopt(message.held)
  }

  private mutating func checkClock(_ delta: Delta, _ lastTime: HybridTime) {
    let latestAcceptable = HybridClock.latestAcceptable(
      wallMilliseconds: environment.wallMilliseconds, maxDriftMilliseconds: maxDriftMilliseconds)
    let times = delta.through.entries.map(\.time).filter { $0 <= latestAcceptable }
    if times.contains(where: { $0 > replica.lastTime }) || replica.lastTime < lastTime {
      note("the clock is behind what was merged")
    }
  }

  /// Log entries say what their writers had seen.
  private mutating func checkCausality(of entries: Set<EntryKey>, _ held: Held) {
    for key in entries where key.log == Self.log {
      guard case .map(let seen)? = held.entries[key]?.values["seen"] else { continue }
      let writer = VersionVector(
        seen.entries.compactMap { replica, time in
          guard case .string(let time) = time else { return nil }
          return ReplicaID(replica).flatMap { id in HybridTime(time).map { (id, $0) } }
        })
      if !replica.version.covers(writer) {
        note("the vector covers an entry, but not what its writer had seen")
      }
    }
  }

  /// A process that starts now has a clock that is no earlier, also where what moved it has been overwritten.
  ///
  /// Only where opening a store costs little; otherwise ``inspectAll()`` looks now and then.
  mutating func checkClock() throws {
    guard storage.commitCount != nil else { return }
    if try reopened().lastTime < replica.lastTime { note("a process that starts again has an earlier clock") }
  }

  /// Reads everything that is stored, holds it against the rules of a sound replica and against what was read of it
  /// part by part, and lets another process look.
  mutating func inspectAll() throws {
    mergeCount = 0
    try inspectStore()
    let held = try reading().held
    try checkLedger(of: Set(held.records.keys), held)
    checkKinds(of: held.entries.keys, held)
  }

  /// The same without what depends on what has really been seen, which is not known in the middle of a merge.
  mutating func inspectStore() throws {
    for finding in try replica.inspect().findings { note(finding.description) }
    if try !readsAgree() { note("one way of reading shows something else than another") }
    let held = try reading().held
    let anew = try snapshotAnew().held
    if held != anew || held.ledgerFingerprint != anew.ledgerFingerprint {
      note("something changed without a commit")
    }
    if try replica.digest() != held.digest { note("the digest is not that of what is held") }
    try checkListing()
    let here = try Remembrance(of: replica)
    if try !here.isKept(by: reopened()) { note("another process sees something else") }
  }
}

/// Whether what is held after a merge is the join of what both sides held, and what was added by itself.
private struct Join {
  private(set) var isKept = true

  /// The entries that came, changed or went.
  private(set) var entries: Set<EntryKey>

  /// The entries that neither side held: those that the receiver put into the ledger, being the first to see them.
  private(set) var additions: [(key: EntryKey, entry: LogEntry)] = []

  /// Compares, of records and entries, those that may differ; without `touched`, all entries may.
  init(
    of before: Held, with theirs: Held, after version: VersionVector, is now: Held, touched: Set<EntryKey>?
  ) {
    entries =
      touched?.union(theirs.entries(notCoveredBy: version))
      ?? Set(before.entries.keys).union(theirs.entries.keys).union(now.entries.keys)
    for key in Set(before.records.keys).union(theirs.records.keys).union(now.records.keys) {
      isKept = isKept && Self.isJoin(now.records[key], before.records[key], theirs.records[key])
    }
    for key in entries {
      let (mine, other) = (before.entries[key], theirs.entries[key])
      let joined = mine.map { mine in other.map { mine.merging($0) } ?? mine } ?? other
      let entry = now.entries[key]
      if joined == nil, let entry, key.log == .conflicts {
        additions.append((key, entry))
      } else if entry != joined {
        isKept = false
      }
    }
  }

  private static func isJoin(_ now: HeldRecord?, _ mine: HeldRecord?, _ theirs: HeldRecord?) -> Bool {
    guard let mine, let theirs, mine !== theirs else { return now == mine ?? theirs }
    return now?.isJoin(of: mine, and: theirs) ?? false
  }
}
