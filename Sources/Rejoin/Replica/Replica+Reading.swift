public import RejoinCore

extension Replica {
  /// The fields that a record shows; nil when it is not visible.
  ///
  /// - Complexity: O(1) in the number of records.
  public func fields(of id: RecordID, in collection: Collection) throws -> [FieldName: Value]? {
    try reading { engine in
      guard let record = try engine.store.record(RecordKey(collection, id)) else { return nil }
      let shown = try engine.visibility().shown(record)
      return shown.isEmpty ? nil : record.fields(shown)
    }
  }

  /// The records of a collection by id, with the fields that they show.
  ///
  /// Where deleted records are included, they come with what lies beneath the deletion.
  public func records(
    in collection: Collection, includingDeleted: Bool = false
  ) throws -> [(id: RecordID, fields: [FieldName: Value], isDeleted: Bool)] {
    try reading { engine in
      let visibility = engine.visibility()
      var records: [(id: RecordID, fields: [FieldName: Value], isDeleted: Bool)] = []
      try engine.store.forEachRecord(in: collection) { id, record in
        let shown = try visibility.shown(record)
        if !shown.isEmpty {
          records.append((id, record.fields(shown), false))
        } else if includingDeleted, let life = record.life, !life.isAlive {
          records.append((id, record.fields(record.best(fromLife: life.count - 1)), true))
        }
      }
      return records
    }
  }

  /// The collections that were declared or hold a record, deleted ones included.
  public func collections() throws -> [Collection] {
    try reading { try $0.store.collections() }
  }

  /// The entries of a log, in timestamp order.
  public func log(_ log: LogName) throws -> [(id: EntryID, entry: LogEntry)] {
    try reading { engine in
      var entries: [(id: EntryID, entry: LogEntry)] = []
      try engine.store.forEachEntry(in: log) { entries.append(($0, $1)) }
      return entries
    }
  }

  /// The logs that hold an entry.
  public func logs() throws -> [LogName] {
    try reading { try $0.store.logs() }
  }

  /// The label that an own transaction was given.
  public func label(at time: HybridTime) throws -> String? {
    try reading { try $0.store.label(at: time) }
  }

  /// Makes fields of a collection readable as columns, where the store has such.
  ///
  /// Typed records are declared by their first use.
  public func declare(_ fields: [FieldName], in collection: Collection) throws {
    try withEngine { try $0.store.declare(fields, in: collection) }
  }

  /// The fields of a collection that were declared, in order.
  public func declaredFields(of collection: Collection) throws -> [FieldName] {
    try reading { try $0.store.declaredFields(of: collection) }
  }

  /// The fingerprint of the whole state, computed anew; compare it with that of a replica of equal version.
  ///
  /// - Complexity: O(n) in the number of registers.
  public func digest() throws -> Digest {
    try reading { engine in
      var digest = Digest(dataset: engine.header.dataset)
      for collection in try engine.store.collections() {
        try engine.store.forEachRecord(in: collection) { id, record in
          digest.add(record, at: RecordKey(collection, id))
        }
      }
      for log in try engine.store.logs() {
        try engine.store.forEachEntry(in: log) { digest.add($1, at: EntryKey(log, $0)) }
      }
      return digest
    }
  }

  /// The whole state as a lattice value: of each address the larger slot, lives and log entries.
  ///
  /// - Complexity: O(n) in the number of registers; meant for tests and tools.
  public func state() throws -> ReplicaState {
    try ReplicaState(delta())
  }

  /// The registers that wait for their time, earliest first.
  public func waiting() throws -> [(record: RecordKey, timestamp: Timestamp)] {
    try reading { engine in
      try engine.store.waiting(notAfter: .distantFuture).map { ($0.record, $0.timestamp) }
    }
  }
}
