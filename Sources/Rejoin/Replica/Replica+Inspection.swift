import RejoinCore

/// What reading everything in a replica anew has shown.
package struct Inspection: Sendable {
  /// How many records were read, deleted ones included.
  package fileprivate(set) var recordCount = 0

  /// How many log entries were read, besides those of the library's own logs.
  package fileprivate(set) var entryCount = 0

  /// The digest of what was read.
  package fileprivate(set) var digest: Digest

  /// Rules that what is stored breaks.
  package fileprivate(set) var findings: [Finding] = []

  /// A rule that what is stored breaks.
  @nonexhaustive
  package enum Finding: Hashable, Sendable {
    /// The store cannot read a record, a log entry, or all of a collection or log: `what` names it.
    case unreadable(what: String, reason: String)

    /// The packed form of a record breaks its own rules.
    case malformedRecord(RecordKey, reason: CodingError)

    /// A record's row was edited behind the library's back.
    case editedRecord(RecordKey)

    /// A record names timestamps that none of its registers has, or the other way round.
    case strayTimestamps(RecordKey)

    /// A record holds registers of a life that ended.
    case endedLife(RecordKey)

    /// A record holds a write that the vector does not cover.
    case uncoveredRecord(RecordKey, Timestamp)

    /// A log entry is not covered by the vector.
    case uncoveredEntry(EntryKey, Timestamp)

    /// The change index does not find a record under one of its timestamps, so that deltas would lack it.
    case unindexedRecord(RecordKey)

    /// The change index does not find a log entry.
    case unindexedEntry(EntryKey)

    /// The change index names records or entries that are not there.
    case strayIndex(count: Int)

    /// A register in the future slot is not on the list of those that wait.
    case forgottenWaiting(RecordKey, Timestamp)

    /// The clock is behind something stored that is not from the future.
    case clockBehind(Timestamp)

    /// The index of a field lacks entries, or holds some that no record stands for: queries by it may lack records.
    case wrongIndex(Collection, FieldName, missing: Int, stray: Int)

    /// The list of children by a field lacks some, or holds some that do not refer to the parent: when that is deleted
    /// or restored, children may not be told.
    case wrongChildren(Collection, FieldName, missing: Int, stray: Int)
  }
}

extension Inspection.Finding: CustomStringConvertible {
  /// What is wrong and where.
  package var description: String {
    switch self {
    case .unreadable(let what, let reason): "\(what) cannot be read: \(reason)"
    case .malformedRecord(let key, let reason): "record \(key.collection) \(key.id) cannot be read: \(reason)"
    case .editedRecord(let key):
      "record \(key.collection) \(key.id) was edited behind the library's back; write the field again"
    case .strayTimestamps(let key):
      "record \(key.collection) \(key.id) lists timestamps that are not those of its registers"
    case .endedLife(let key): "record \(key.collection) \(key.id) holds registers of a life that ended"
    case .uncoveredRecord(let key, let timestamp):
      "record \(key.collection) \(key.id) holds the write \(timestamp), which the vector does not cover"
    case .uncoveredEntry(let key, let timestamp):
      "entry \(key.id) of log \(key.log) was written at \(timestamp), which the vector does not cover"
    case .unindexedRecord(let key):
      "record \(key.collection) \(key.id) is missing from the change index, so deltas may lack it"
    case .unindexedEntry(let key):
      "entry \(key.id) of log \(key.log) is missing from the change index, so deltas may lack it"
    case .strayIndex(let count): "the change index names \(count) records or entries that are not there"
    case .forgottenWaiting(let key, let timestamp):
      "record \(key.collection) \(key.id) holds a register that waits until \(timestamp), unlisted"
    case .clockBehind(let timestamp): "the clock is behind the stored write \(timestamp)"
    case .wrongIndex(let collection, let field, let missing, let stray):
      "the index of \(collection) by \(field) lacks \(missing) entries and holds \(stray) too many; remove it and "
        + "declare it again"
    case .wrongChildren(let collection, let field, let missing, let stray):
      "the list of children in \(collection) by \(field) lacks \(missing) and holds \(stray) too many"
    }
  }
}

extension Replica {
  /// Reads every record and log entry anew and holds it against the rules that every sound replica keeps.
  ///
  /// Findings are returned, not thrown, also records that the store cannot read; thrown is what the store throws
  /// before it comes to them.
  ///
  /// - Complexity: O(n log n) in what is stored.
  package func inspect() throws -> Inspection {
    try reading { engine in
      var inspector = try Inspector(engine)
      return try inspector.inspect(engine.store)
    }
  }
}

/// Goes through a store once and gathers findings.
private struct Inspector {
  private var inspection: Inspection
  private let vector: VersionVector
  private let lastTime: HybridTime
  private let moment: Moment
  private let waiting: Set<WaitingRegister>
  private var indexedRecords: Set<RecordKey>
  private var indexedEntries: Set<EntryKey>
  private var seenRecords = Set<RecordKey>()
  private var seenEntries = Set<EntryKey>()
  private var latest: Timestamp?
  private var derived: DerivedTables

  init(_ engine: Engine) throws {
    inspection = Inspection(digest: Digest(dataset: engine.header.dataset))
    vector = engine.vector
    lastTime = engine.clock.last
    moment = engine.moment()
    waiting = Set(try engine.store.waiting(notAfter: .distantFuture))
    let keys = try engine.store.changes(notCoveredBy: VersionVector())
    indexedRecords = Set(keys.records)
    indexedEntries = Set(keys.entries)
    derived = try DerivedTables(engine.store)
  }

  mutating func inspect(_ store: any Store) throws -> Inspection {
    for collection in try store.collections() { inspect(collection, in: store) }
    for log in try store.logs() { inspect(log, in: store) }
    let strays = indexedRecords.count + indexedEntries.count
    if strays > 0 { inspection.findings.append(.strayIndex(count: strays)) }
    if let latest, latest.time > lastTime { inspection.findings.append(.clockBehind(latest)) }
    inspection.findings += derived.findings(in: store)
    return inspection
  }

  /// Reads a collection in one go; where that fails, one record after the other by the change index.
  private mutating func inspect(_ collection: Collection, in store: any Store) {
    do {
      inspection.findings += try store.editedRecords(in: collection).map { .editedRecord($0) }
      try store.forEachRecord(in: collection) { id, record in
        let key = RecordKey(collection, id)
        if seenRecords.insert(key).inserted { inspect(record, at: key) }
      }
    } catch {
      let count = inspection.findings.count
      for key in indexedRecords.filter({ $0.collection == collection }).sorted() {
        do {
          guard let record = try store.record(key) else { continue }
          if seenRecords.insert(key).inserted { inspect(record, at: key) }
        } catch {
          indexedRecords.remove(key)
          addUnreadable("record \(key.collection) \(key.id)", error)
        }
      }
      if inspection.findings.count == count { addUnreadable("collection \(collection)", error) }
    }
  }

  /// Reads a log in one go; where that fails, one entry after the other by the change index.
  private mutating func inspect(_ log: LogName, in store: any Store) {
    do {
      try store.forEachEntry(in: log) { id, entry in
        let key = EntryKey(log, id)
        if seenEntries.insert(key).inserted { inspect(entry, at: key) }
      }
    } catch {
      let count = inspection.findings.count
      for key in indexedEntries.filter({ $0.log == log }).sorted() {
        do {
          guard let entry = try store.entry(key) else { continue }
          if seenEntries.insert(key).inserted { inspect(entry, at: key) }
        } catch {
          indexedEntries.remove(key)
          addUnreadable("entry \(key.id) of log \(key.log)", error)
        }
      }
      if inspection.findings.count == count { addUnreadable("log \(log)", error) }
    }
  }

  private mutating func addUnreadable(_ what: String, _ error: any Error) {
    inspection.findings.append(.unreadable(what: what, reason: "\(error)"))
  }

  private mutating func inspect(_ record: PackedRecord, at key: RecordKey) {
    inspection.recordCount += 1
    do {
      _ = try PackedRecord(validating: record.bytes)
    } catch {
      indexedRecords.remove(key)
      return inspection.findings.append(.malformedRecord(key, reason: error))
    }
    inspection.digest.add(record, at: key)
    derived.add(record, at: key)
    if indexedRecords.remove(key) == nil { inspection.findings.append(.unindexedRecord(key)) }
    let registers = record.registers
    let used = Set(registers.map(\.precedence.timestamp) + [record.life?.timestamp].compactMap(\.self))
    if used != Set(record.timestamps) { inspection.findings.append(.strayTimestamps(key)) }
    if let life = record.life, life.isAlive,
      registers.contains(where: { !$0.precedence.isKept(fromLife: life.count) })
    {
      inspection.findings.append(.endedLife(key))
    }
    for timestamp in used.sorted() {
      if !vector.covers(timestamp) { inspection.findings.append(.uncoveredRecord(key, timestamp)) }
      observe(timestamp)
    }
    for timestamp in record.waitingTimestamps where timestamp.time > moment.latestAcceptable {
      guard !waiting.contains(WaitingRegister(timestamp: timestamp, record: key)) else { continue }
      inspection.findings.append(.forgottenWaiting(key, timestamp))
    }
  }

  private mutating func inspect(_ entry: LogEntry, at key: EntryKey) {
    if !key.log.isReserved { inspection.entryCount += 1 }
    inspection.digest.add(entry, at: key)
    if indexedEntries.remove(key) == nil { inspection.findings.append(.unindexedEntry(key)) }
    if !vector.covers(entry.timestamp) { inspection.findings.append(.uncoveredEntry(key, entry.timestamp)) }
    observe(entry.timestamp)
  }

  /// Keeps the latest timestamp that is not from the future.
  private mutating func observe(_ timestamp: Timestamp) {
    guard timestamp.time <= moment.latestAcceptable else { return }
    latest = max(latest ?? timestamp, timestamp)
  }
}
