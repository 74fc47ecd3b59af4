import RejoinCore

/// That everything of a log, or of a collection's part of the ledger, was erased up to a vector: a fact that travels.
///
/// Whoever takes it in lets go of what the vector covers. As that is covered by whoever covers the erasure, it never
/// comes back, and replicas of one vector hold the same.
struct Erasure {
  /// What was erased.
  enum Target: Hashable {
    case log(LogName)
    case conflicts(Collection)

    var name: String {
      switch self {
      case .log(let log): log.text
      case .conflicts(let collection): collection.text
      }
    }
  }

  var target: Target
  var through: VersionVector

  /// The fact as the log of erasures keeps it.
  var values: ValueMap {
    let vector = ValueMap(
      through.entries.map { ($0.replica.description, .string($0.time.description)) })
    return switch target {
    case .log(let log): ["log": .string(log.text), "through": .map(vector)]
    case .conflicts(let collection): ["collection": .string(collection.text), "through": .map(vector)]
    }
  }

  init(_ target: Target, through: VersionVector) {
    self.target = target
    self.through = through
  }

  /// Reads a fact; nil when it is not one that this version knows.
  init?(_ values: ValueMap) {
    guard case .map(let vector)? = values["through"] else { return nil }
    var through = VersionVector()
    for (replica, time) in vector.entries {
      guard let replica = ReplicaID(replica), case .string(let text) = time, let time = HybridTime(text)
      else { return nil }
      through.advance(replica, to: time)
    }
    self.through = through
    if case .string(let name)? = values["log"], !LogName(name).isReserved {
      target = .log(LogName(name))
    } else if case .string(let name)? = values["collection"] {
      target = .conflicts(Collection(name))
    } else {
      return nil
    }
  }

  /// The logs that hold what is erased.
  var logs: [LogName] {
    switch target {
    case .log(let log): [log]
    case .conflicts: [.conflicts, .resolutions]
    }
  }

  /// Whether an entry of one of these logs is erased.
  func erases(_ entry: LogEntry, in log: LogName) -> Bool {
    guard through.covers(entry.timestamp) else { return false }
    return switch target {
    case .log: true
    case .conflicts(let collection): entry.collection(in: log) == collection
    }
  }
}

extension Engine {
  /// Whether an entry of a log was erased here.
  func isErased(_ key: EntryKey, _ entry: LogEntry) throws -> Bool {
    var isErased = false
    try store.forEachEntry(in: .erasures) { _, fact in
      guard let erasure = Erasure(fact.values), erasure.logs.contains(key.log) else { return }
      isErased = isErased || erasure.erases(entry, in: key.log)
    }
    return isErased
  }

  /// Lets go of what the erasures erase that a commit brings.
  ///
  /// - Complexity: O(n) in the logs that are erased; nothing without an erasure.
  func erase(whatWasErasedIn commit: inout StoreCommit) throws {
    let facts = commit.entries.filter { $0.key.log == .erasures && $0.old == nil }
    for erasure in facts.compactMap({ $0.new.flatMap { Erasure($0.values) } }) {
      var gone: [(key: EntryKey, stored: LogEntry?)] = []
      for write in commit.entries where erasure.logs.contains(write.key.log) {
        guard let entry = write.new, erasure.erases(entry, in: write.key.log) else { continue }
        gone.append((write.key, write.old))
      }
      let written = Set(commit.entries.map(\.key))
      for log in erasure.logs {
        try store.forEachEntry(in: log) { id, entry in
          let key = EntryKey(log, id)
          if !written.contains(key), erasure.erases(entry, in: log) { gone.append((key, entry)) }
        }
      }
      commit.remove(gone)
    }
  }
}

extension Replica {
  /// Erases what this replica knows of a log, here and, as deltas reach them, on all other replicas.
  ///
  /// Entries that others append without knowing of it stay. Observers are told of nothing: no entry is new.
  ///
  /// - Complexity: O(n) in the number of entries of the log, here and on every replica that learns of it.
  /// - Throws: `ReplicaError.reservedName`, `ReplicaError.invalidName`, and what the store throws.
  public func eraseHistory(of log: LogName) throws {
    guard !log.isReserved else { throw ReplicaError.reservedName(log.text) }
    try erase(.log(log))
  }

  /// Erases what the conflict ledger holds of a collection, here and, as deltas reach them, on all other replicas.
  ///
  /// What others noticed without knowing of it stays.
  ///
  /// - Complexity: O(n) in the number of entries of the ledger, here and on every replica that learns of it.
  /// - Throws: `ReplicaError.invalidName`, and what the store throws.
  public func eraseHistory(of collection: Collection) throws {
    try erase(.conflicts(collection))
  }

  private func erase(_ target: Erasure.Target) throws {
    try withEngine { engine in
      try engine.writing { engine, due in
        var transaction = try WriteTransaction(engine, after: due)
        try transaction.check(target.name)
        try transaction.append(Erasure(target, through: engine.vector))
        var vector = engine.vector
        vector.advance(transaction.timestamp.replica, to: transaction.timestamp.time)
        var commit = transaction.commit(label: nil)
        try engine.erase(whatWasErasedIn: &commit)
        try engine.commit(
          commit, clock: transaction.clock, vector: vector, cause: .write(label: nil), due: due)
      }
    }
  }
}

extension WriteTransaction {
  fileprivate mutating func append(_ erasure: Erasure) throws {
    try put(erasure.values, at: EntryKey(.erasures, makeEntryID()))
  }
}
