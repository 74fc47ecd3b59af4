import Rejoin
import RejoinCore

/// A whole replica on a store, exchanging deltas as they go over a wire.
///
/// A sender knows of its receiver's vector only what the receiver's messages said, so that deltas overlap; now and
/// then it takes one receiver for another, so that they have gaps. With every message travels, past the wire, what its
/// sender held: the truth against which the receiver is checked.
package struct SimulatedReplica<Storage: SimulatedStorage>: ReplicatedType {
  /// What travels.
  package struct Message: Sendable {
    /// What goes over the wire, as bytes where it arrives; nil where its sender had nothing to tell.
    let delta: Delta?
    /// How far the sender had come.
    let version: VersionVector
    /// How far the sender must have come, by what it had really seen.
    let truth: VersionVector
    /// All that the sender held.
    let held: Held
    /// What really happened, as far as the sender had seen it.
    let chronicle: Chronicle
  }

  let number: Int
  let storage = Storage()
  let environment: SimulatedEnvironment
  let maxDriftMilliseconds: Int64
  private(set) var replica: Replica
  private var known: [VersionVector]
  private var nextMergeSuffers: (Misfortune, after: Int)?
  private var mixesUpReceivers = false
  private var silenceCount = 0
  private var coveredCount = 0
  /// How many merges brought something since everything was last looked at.
  var mergeCount = 0
  private(set) var fault: String?

  /// How far this replica must have come, by what it has really seen and not by what it says.
  var truth = VersionVector()

  /// The writes that it has really seen, with what their writers had seen.
  var chronicle = Chronicle()
  let memo = Memo()

  /// What the last edit turned out to be, where that is not what was asked for.
  private var lastOutcome: Edit?

  package init(replica number: Int, of count: Int) {
    self.init(replica: number, of: count, maxDriftMilliseconds: Limits.maxDriftMilliseconds)
  }

  init(replica number: Int, of count: Int, maxDriftMilliseconds: Int64) {
    self.number = number
    self.maxDriftMilliseconds = maxDriftMilliseconds
    environment = SimulatedEnvironment(seed: UInt64(number))
    known = Array(repeating: VersionVector(), count: count)
    do {
      replica = try storage.make(environment.configuration(maxDriftMilliseconds: maxDriftMilliseconds))
      if number.isMultiple(of: 2) {
        for record in 0..<2 {
          try replica.declare([Index(Self.indexedField)], in: Self.key(record).collection)
        }
      }
    } catch {
      preconditionFailure("an empty store can be opened: \(error)")
    }
  }

  package func operation(_ choices: inout Choices) -> Edit {
    Edit.draw(&choices, over: observation, writer: number, .replica(Storage.misfortunes))
  }

  package mutating func apply(_ edit: Edit, clockMilliseconds: Int64) {
    environment.wallMilliseconds = clockMilliseconds
    lastOutcome = nil
    watch { subject throws in
      let before = subject.replica.version
      let held = try subject.reading().held
      switch edit {
      case .commit(let writes): subject.lastOutcome = .commit(try subject.commit(writes))
      case .commitUnknown(let record, let value): try subject.commitUnknown(value, of: record)
      case .append(let text): try subject.append(text)
      case .abandon(let writes): try subject.abandon(writes)
      case .suffer(let misfortune, let place, let writes):
        var performed = writes
        let hasHappened = try subject.suffer(misfortune, after: place) { replica in
          try replica.write { performed = try Self.perform(writes, in: &$0) }
        }
        if hasHappened { subject.lastOutcome = .commit(performed) }
      case .sufferNextMerge(let misfortune, let place): subject.nextMergeSuffers = (misfortune, place)
      case .given: subject.note("what is given was done by others")
      case .mixUpReceivers: subject.mixesUpReceivers = true
      case .resolve(let number, let resolution):
        if let write = try subject.resolve(number, by: resolution) { subject.lastOutcome = .commit([write]) }
      }
      subject.learnOwnTime()
      if subject.replica.version != before { try subject.learnOwnWrites(after: before, held) }
    }
  }

  package func outcome(of edit: Edit) -> Edit { lastOutcome ?? edit }

  package mutating func message(to receiver: Int) -> Message? {
    watch { subject throws in
      let other = subject.mixesUpReceivers ? (receiver + 1) % subject.known.count : receiver
      let version = subject.replica.version
      // An empty delta says no more than the vectors.
      let hasNothing = !subject.mixesUpReceivers && subject.known[receiver].covers(version)
      subject.mixesUpReceivers = false
      if hasNothing { subject.silenceCount += 1 }
      let since = other == subject.number ? version : subject.known[other]
      let isLeftOut = hasNothing && Self.isLeftOut(subject.silenceCount)
      return Message(
        delta: isLeftOut ? nil : try subject.replica.delta(since: since), version: version,
        truth: subject.truth, held: try subject.reading().held,
        chronicle: subject.chronicle)
    }
  }

  package mutating func merge(_ message: Message, from sender: Int, clockMilliseconds: Int64) -> Bool {
    environment.wallMilliseconds = clockMilliseconds
    known[sender].merge(message.version)
    return watch { subject throws in
      guard let sent = message.delta, !subject.isLeftOut(message) else {
        return try subject.takeNothing(of: message)
      }
      let delta = try Delta(decoding: sent.encoded())
      guard subject.replica.version.covers(delta.from) else {
        try subject.refuse(delta)
        return false
      }
      let suffering = subject.nextMergeSuffers
      subject.nextMergeSuffers = nil
      return try subject.merge(delta, of: message, suffering: suffering)
    } ?? false
  }

  /// Whether a message brings nothing new and is not among those that are merged all the same.
  private mutating func isLeftOut(_ message: Message) -> Bool {
    guard replica.version.covers(message.version), nextMergeSuffers == nil else { return false }
    coveredCount += 1
    return Self.isLeftOut(coveredCount)
  }

  /// Of what brings nothing new, the first few and then some go all the way: short histories leave out nothing.
  private static func isLeftOut(_ count: Int) -> Bool { count > 8 && count % 8 != 0 }

  package mutating func crash() {
    watch { subject throws in
      let before = try Remembrance(of: subject.replica)
      subject.storage.crash()
      subject.replica = try subject.reopened()
      if try !before.isKept(by: subject.replica) { subject.note("a crash took something") }
      if subject.replica.version != subject.truth { subject.note("a crash took something from the vector") }
      try subject.inspectAll()
    }
  }

  package mutating func inspect() {
    watch { try $0.inspectAll() }
  }

  package static func summary(of content: Content) -> Edit? { content.fault == nil ? .given(content) : nil }

  package static var hasValueSemantics: Bool { false }

  package static func expected(after edits: [Edit]) -> Content? { Notebook.content(after: edits) }

  package static func objection(to content: Content, after past: Past<Edit>) -> String? {
    Causality.objection(to: content, after: past)
  }

  // MARK: Faults

  /// Remembers the first rule that was seen to be broken.
  mutating func note(_ fault: String) {
    if self.fault == nil { self.fault = fault }
  }

  /// The replica as a process that starts now finds it.
  func reopened() throws -> Replica {
    try storage.open(replica, environment.configuration(maxDriftMilliseconds: maxDriftMilliseconds))
  }

  /// Runs `body` while something goes wrong in the storage: all of it has happened then, or nothing; says which.
  mutating func suffer(
    _ misfortune: Misfortune, after operations: Int, _ body: (Replica) throws -> Void
  ) throws -> Bool {
    let (replica, before) = (replica, try snapshot())
    var isAcknowledged = false
    let hasEnded = storage.suffer(misfortune, after: operations) {
      do {
        try body(replica)
        isAcknowledged = true
      } catch {}
    }
    if hasEnded {
      self.replica = try reopened()
      try inspectStore()
    }
    let after = try snapshotAnew()
    if !before.held.isBelow(after.held) { note("a misfortune took something") }
    if misfortune == .refusal, !isAcknowledged, after != before {
      note("what was not committed left a trace")
    }
    return isAcknowledged || !after.hasSameContent(as: before)
  }

  /// An edit moves the entries of the vector for this replica and its later version, and no others.
  private mutating func learnOwnTime() {
    var expected = truth
    for id in [replica.id, Self.laterVersion(number)] { expected.advance(id, to: replica.version[id]) }
    if replica.version != expected { note("an edit moved somebody else's entry of the vector") }
    truth = expected
  }

  /// Runs `body`; an error that it does not expect is a fault.
  @discardableResult
  private mutating func watch<Result>(_ body: (inout SimulatedReplica) throws -> Result) -> Result? {
    do {
      return try body(&self)
    } catch {
      note("\(error)")
      return nil
    }
  }

  // MARK: What is held and shown

  /// What shows: read anew where something was committed since, or waits for its time.
  package var observation: Content {
    if let fault { return content(fault: fault) }
    do {
      return try content()
    } catch {
      return content(fault: "\(error)")
    }
  }
}
