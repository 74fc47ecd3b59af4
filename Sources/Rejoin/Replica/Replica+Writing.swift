public import RejoinCore

extension Replica {
  /// Runs a transaction: all its writes share one timestamp and become visible together.
  ///
  /// When the closure throws, or the store does, nothing remains of it: no data, no movement of the clock, no
  /// change told. The label says what the user meant; it is kept beside the transaction.
  ///
  /// - Throws: `ReplicaError.upgradeRequired` where the data set requires a later version of the application, what the
  ///   closure throws, and what the store throws.
  @discardableResult
  public func write<Result>(
    _ label: String? = nil, _ body: (inout WriteTransaction) throws -> Result
  ) throws -> Result {
    try withEngine { engine in
      try engine.writing { engine, due in
        try engine.checkSchemaVersion()
        var transaction = try WriteTransaction(engine, after: due)
        let result = try body(&transaction)
        guard !transaction.isEmpty else {
          engine.store.cancelWriting()
          return result
        }
        var vector = engine.vector
        vector.advance(transaction.timestamp.replica, to: transaction.timestamp.time)
        var commit = transaction.commit(label: label)
        commit.local += try engine.replacedValues(by: commit, at: transaction.timestamp)
        try engine.record(transaction.losersToWaiting, at: transaction.timestamp, in: &commit)
        try engine.retain(&commit)
        try engine.commit(
          commit, clock: transaction.clock, vector: vector,
          cause: .write(label: label), due: due)
        return result
      }
    }
  }

  /// Inserts a record given by fields; see ``WriteTransaction/insert(_:id:in:)``.
  public func insert(_ fields: [FieldName: Value], id: RecordID, in collection: Collection) throws {
    try write { try $0.insert(fields, id: id, in: collection) }
  }

  /// Writes fields of a visible record; see ``WriteTransaction/set(_:id:in:)``.
  public func set(_ fields: [FieldName: Value], id: RecordID, in collection: Collection) throws {
    try write { try $0.set(fields, id: id, in: collection) }
  }

  /// Deletes a visible record; see ``WriteTransaction/delete(_:in:)``.
  public func delete(_ id: RecordID, in collection: Collection) throws {
    try write { try $0.delete(id, in: collection) }
  }

  /// Brings a deleted record back; see ``WriteTransaction/restore(_:in:)``.
  public func restore(_ id: RecordID, in collection: Collection) throws {
    try write { try $0.restore(id, in: collection) }
  }

  /// Appends an entry to a log; see ``WriteTransaction/append(_:to:id:)``.
  @discardableResult
  public func append(_ values: ValueMap, to log: LogName, id: EntryID? = nil) throws -> EntryID {
    try write { try $0.append(values, to: log, id: id) }
  }
}
