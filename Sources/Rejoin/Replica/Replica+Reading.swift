public import RejoinCore

extension Replica {
  /// The fields that a record shows; nil when it is not visible.
  ///
  /// - Complexity: O(1) in the number of records, O(n) in the number of parents, their parents and so on.
  public func fields(of id: RecordID, in collection: Collection) throws -> [FieldName: Value]? {
    try reading { engine in
      let key = RecordKey(collection, id)
      guard let record = try engine.store.record(key) else { return nil }
      let shown = try engine.visibility().visible(record, at: key)
      return shown.isEmpty ? nil : record.fields(shown)
    }
  }

  /// The records of a collection with the fields that they show: all, or those that a condition holds for, in order of
  /// their ids or of a field.
  ///
  /// Where deleted records are included, they come with what lies beneath the deletion, and so do those that a
  /// parent hides. Records that the store cannot read are left out; see ``unreadable(in:)``.
  ///
  /// - Complexity: O(n) in the number of records of the collection, unless an index serves: see ``Index`` and
  ///   ``plan(in:includingDeleted:where:sort:limit:)``. Sorting by a field with an index, with a limit, reads the
  ///   records that are returned and those before them that the condition leaves out.
  /// - Throws: `ReplicaError.invalidName`, `ReplicaError.invalidLimit` for a limit below zero,
  ///   `ReplicaError.invalidCondition` for a value that does not encode, and what the store
  ///   throws, but for single records that it cannot read.
  public func records(
    in collection: Collection, includingDeleted: Bool = false, where condition: Condition? = nil,
    sort: Sort? = nil, limit: Int? = nil
  ) throws -> [UntypedRecord] {
    let query = try Query(
      in: collection, includingDeleted: includingDeleted, where: condition, sort: sort, limit: limit)
    var records: [UntypedRecord] = []
    _ = try find(query) { record in
      records.append(record)
      return true
    }
    return records
  }

  /// The records of a collection that the store cannot read, because somebody edited or damaged its file.
  ///
  /// - Complexity: O(n) in the number of records of the collection.
  /// - Throws: what the store throws, but for single records that it cannot read.
  public func unreadable(in collection: Collection) throws -> [UnreadableRecord] {
    try find(Query(everythingIn: collection)) { _ in true }
  }

  /// Finds what a query looks for, over one state of the store; see `Engine.find`.
  func find(_ query: Query, _ take: (UntypedRecord) throws -> Bool) throws -> [UnreadableRecord] {
    try reading { engine in
      let unreadable = try engine.find(query, take)
      if !unreadable.isEmpty {
        engine.diagnosticObservers.tell(
          .unreadable(collection: query.collection, count: unreadable.count))
      }
      return unreadable
    }
  }

  /// The collections that were declared or hold a record, deleted ones included; not the library's own.
  public func collections() throws -> [Collection] {
    try reading { try $0.store.collections().filter { !$0.isReserved } }
  }

  /// The entries of a log, in timestamp order.
  public func log(_ log: LogName) throws -> [(id: EntryID, entry: LogEntry)] {
    try reading { engine in
      var entries: [(id: EntryID, entry: LogEntry)] = []
      try engine.store.forEachEntry(in: log) { entries.append(($0, $1)) }
      return entries
    }
  }

  /// The logs that hold an entry, but for those that the library keeps for itself, such as the ledger.
  public func logs() throws -> [LogName] {
    try reading { try $0.store.logs().filter { !$0.isReserved } }
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

extension Visibility {
  /// A record as it is listed; nil when there is nothing to list.
  func listed(_ record: PackedRecord, at key: RecordKey) throws -> UntypedRecord? {
    let shown = try shown(record)
    if !shown.isEmpty {
      let parent = try hidingParent(of: record, shown, at: key)
      return UntypedRecord(
        id: key.id, fields: record.fields(shown), presence: parent.map { .orphaned(by: $0) } ?? .visible)
    }
    guard let life = record.life, !life.isAlive else { return nil }
    return UntypedRecord(
      id: key.id, fields: record.fields(record.best(fromLife: life.count - 1)), presence: .deleted)
  }
}
