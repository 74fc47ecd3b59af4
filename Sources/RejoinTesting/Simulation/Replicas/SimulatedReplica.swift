import Rejoin
import RejoinCore

/// A whole replica on a store, exchanging deltas as they go over a wire.
///
/// A sender knows of its receiver's vector only what the receiver's messages said, so that deltas overlap; now and
/// then it takes one receiver for another, so that they have gaps.
package struct SimulatedReplica<Storage: SimulatedStorage>: ReplicatedType {
  /// What travels.
  package struct Message: Sendable {
    /// A delta.
    let bytes: [UInt8]
    /// How far the sender had come.
    let version: VersionVector
    /// The fingerprint of all that the sender held.
    let digest: Digest
  }

  let number: Int
  let storage = Storage()
  let environment: SimulatedEnvironment
  let maxDriftMilliseconds: Int64
  private(set) var replica: Replica
  private var known: [VersionVector]
  private var failsNextMerge = false
  private var mixesUpReceivers = false
  private var mergeCount = 0
  private(set) var fault: String?

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
    } catch {
      preconditionFailure("an empty store can be opened: \(error)")
    }
  }

  package func operation(_ choices: inout Choices) -> Edit {
    Edit.draw(&choices, over: observation, writer: number, .replica)
  }

  package mutating func apply(_ edit: Edit, clockMilliseconds: Int64) {
    environment.wallMilliseconds = clockMilliseconds
    watch { subject throws in
      switch edit {
      case .commit(let writes): try subject.commit(writes)
      case .commitUnknown(let record, let value): try subject.commitUnknown(value, of: record)
      case .append(let text): try subject.append(text)
      case .abandon(let writes): try subject.abandon(writes)
      case .fail(let writes): try subject.fail(writes)
      case .failNextMerge: subject.failsNextMerge = true
      case .mixUpReceivers: subject.mixesUpReceivers = true
      }
    }
  }

  package mutating func message(to receiver: Int) -> Message? {
    watch { subject throws in
      let other = subject.mixesUpReceivers ? (receiver + 1) % subject.known.count : receiver
      subject.mixesUpReceivers = false
      let version = subject.replica.version
      let delta = try subject.replica.delta(since: other == subject.number ? version : subject.known[other])
      return Message(bytes: delta.encoded(), version: version, digest: try subject.replica.digest())
    }
  }

  package mutating func merge(_ message: Message, from sender: Int, clockMilliseconds: Int64) -> Bool {
    environment.wallMilliseconds = clockMilliseconds
    known[sender].merge(message.version)
    return watch { subject throws in
      let delta = try Delta(decoding: message.bytes)
      if subject.failsNextMerge {
        subject.failsNextMerge = false
        let (replica, storage) = (subject.replica, subject.storage)
        let hasFailed = try subject.leavesNoTrace { try storage.failing { _ = try replica.merge(delta) } }
        if hasFailed { return false }
      }
      guard subject.replica.version.covers(delta.from) else {
        try subject.refuse(delta)
        return false
      }
      try subject.merge(delta, from: message)
      subject.mergeCount += 1
      if subject.mergeCount % 2 == 0 { try subject.inspect() }
      return true
    } ?? false
  }

  package mutating func crash() {
    watch { subject throws in
      let before = try Remembrance(of: subject.replica)
      subject.storage.crash()
      subject.replica = try subject.reopened()
      if try !before.isKept(by: subject.replica) { subject.note("a crash took something") }
      try subject.inspect()
    }
  }

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
}
