public import RejoinCore

extension WriteTransaction {
  /// Resolves a conflict: writes what shall show, and notes with it that the conflict is resolved, on all replicas.
  ///
  /// Keeping the winner writes what shows now once more, so that whoever resolves the conflict in another way at the
  /// same time is in conflict with this; where nothing shows, and where another replica alone writes the field, it
  /// writes nothing but the note. Keeping the loser of a
  /// conflict about a record's life deletes or restores the record, unless that is how it is already; keeping a value
  /// that a counter or set hides takes back what that holds.
  ///
  /// - Throws: `ReplicaError.conflictNotFound`, `ReplicaError.conflictWithoutField` for a value where the conflict is
  ///   about a record's life, and what writing, deleting and restoring throw: a field of a record that is not visible
  ///   cannot be written; restore the record first.
  public mutating func resolve(_ id: EntryID, keeping choice: LedgerEntry.Choice) throws {
    guard let stored = try engine.store.entry(EntryKey(.conflicts, id)),
      let entry = LedgerEntry(stored, id: id)
    else { throw ReplicaError.conflictNotFound(id) }
    try write(choice, of: entry)
    try put(
      ["collection": .string(entry.record.collection.text), "kept": .string(choice.name)],
      at: EntryKey(.resolutions, id))
  }

  private mutating func write(_ choice: LedgerEntry.Choice, of entry: LedgerEntry) throws {
    let (collection, id) = (entry.record.collection, entry.record.id)
    switch (choice, entry.loser) {
    case (.winner, .life): break
    case (.loser, .life(let life)): try turn(entry.record, isAlive: life.isAlive)
    case (.value, .life): throw ReplicaError.conflictWithoutField(entry.id)
    case (_, .register(let register)):
      guard let field = entry.field, !field.text.isEmpty else {
        if case .value = choice { throw ReplicaError.conflictWithoutField(entry.id) }
        return
      }
      switch choice {
      case .value(let value): try set([field: value], id: id, in: collection)
      case .loser:
        try show(register.value, in: field, of: entry.record)
      case .winner:
        guard let shown = try fields(of: id, in: collection)?[field],
          try mayWrite(field, in: collection)
        else { return }
        try set([field: shown], id: id, in: collection)
      }
    }
  }

  /// Brings a value back that gave way; a counter or set that hides it gives up what it holds.
  private mutating func show(_ value: Value, in field: FieldName, of key: RecordKey) throws {
    var edits = FieldEdits(plain: [field: value])
    if let stored = try record(key) {
      let shown = try visibility().shown(stored)
      edits.plain[field] = stored.shownValue(value, in: field, amongShown: shown)
      if stored.hides(value, in: field, amongShown: shown) { edits.startingAfresh = [field] }
    }
    try edit(edits, at: key)
  }

  /// Deletes or restores a record, unless that is how it is.
  private mutating func turn(_ key: RecordKey, isAlive: Bool) throws {
    let isAliveNow = try record(key).map { $0.life?.isAlive ?? true }
    guard isAliveNow != isAlive else { return }
    if isAlive {
      try restore(key.id, in: key.collection)
    } else {
      try delete(key.id, in: key.collection)
    }
  }
}

extension LedgerEntry.Choice {
  fileprivate var name: String {
    switch self {
    case .winner: "winner"
    case .loser: "loser"
    case .value: "value"
    }
  }
}

extension Replica {
  /// Resolves a conflict; see ``WriteTransaction/resolve(_:keeping:)``.
  public func resolve(_ id: EntryID, keeping choice: LedgerEntry.Choice) throws {
    try write { try $0.resolve(id, keeping: choice) }
  }

  /// Resolves a conflict; see ``WriteTransaction/resolve(_:keeping:)``.
  public func resolve(_ entry: LedgerEntry, keeping choice: LedgerEntry.Choice) throws {
    try resolve(entry.id, keeping: choice)
  }
}
