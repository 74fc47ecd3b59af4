public import RejoinCore

extension Replica {
  /// The conflicts that somebody should look at: writes that gave way to others and are not what shows now, in the
  /// order in which they were noticed.
  ///
  /// Where settled ones are included, so are those that were resolved, and those of which nothing is lost, since what
  /// gave way is what shows; each says which it is.
  ///
  /// - Complexity: O(n log n) in the number of entries of the ledger.
  /// - Throws: what the store throws.
  public func conflicts(includingSettled: Bool = false) throws -> [LedgerEntry] {
    try conflicts(includingSettled) { _ in true }
  }

  /// As above, of the records of a collection.
  public func conflicts(
    in collection: Collection, includingSettled: Bool = false
  ) throws -> [LedgerEntry] {
    try conflicts(includingSettled) { $0.collection == collection }
  }

  /// As above, of one record.
  public func conflicts(
    of id: RecordID, in collection: Collection, includingSettled: Bool = false
  ) throws -> [LedgerEntry] {
    try conflicts(includingSettled) { $0 == RecordKey(collection, id) }
  }

  private func conflicts(
    _ includingSettled: Bool, _ isMeant: (RecordKey) -> Bool
  ) throws -> [LedgerEntry] {
    try reading { engine in
      let entries = try engine.conflicts(isMeant)
      return includingSettled ? entries : entries.filter(\.isOpen)
    }
  }

  /// The records of a collection of which a conflict is open, each with the fields that it concerns: a badge for those
  /// who should look at them.
  ///
  /// Given some fields, such as those that are declared for review, it looks at conflicts of these alone. Otherwise a
  /// record stands here also for a conflict about its life, for which there is no field.
  ///
  /// - Complexity: O(n log n) in the number of entries of the ledger.
  /// - Throws: what the store throws.
  public func recordsInReview(
    in collection: Collection, fields: Set<FieldName>? = nil
  ) throws -> [RecordID: Set<FieldName>] {
    var records: [RecordID: Set<FieldName>] = [:]
    for entry in try conflicts(in: collection) {
      let id = entry.record.id
      if let field = entry.field, !field.text.isEmpty {
        if fields?.contains(field) ?? true { records[id, default: []].insert(field) }
      } else if fields == nil, records[id] == nil {
        records[id] = []
      }
    }
    return records
  }

  /// The records of a type of which a field that is declared for review is in conflict, each with those fields.
  ///
  /// - Complexity: O(n log n) in the number of entries of the ledger.
  /// - Throws: what the store throws.
  public func recordsInReview<R: Record>(_ type: R.Type) throws -> [RecordID: Set<FieldName>] {
    let fields = R.policies.filter { $0.merging == .review }.map(\.field)
    return try recordsInReview(in: R.collection, fields: Set(fields))
  }

  /// Whether a conflict of a record is open, as in ``recordsInReview(in:fields:)``.
  ///
  /// - Complexity: O(n log n) in the number of entries of the ledger.
  /// - Throws: what the store throws.
  public func isInReview(
    _ id: RecordID, in collection: Collection, fields: Set<FieldName>? = nil
  ) throws -> Bool {
    try conflicts(of: id, in: collection).contains { entry in
      guard let fields else { return true }
      return entry.field.map(fields.contains) ?? false
    }
  }
}

extension Engine {
  /// The entries of the ledger about some records, in the order in which they were noticed: of each collection the
  /// newest, as many as are kept.
  func conflicts(_ isMeant: (RecordKey) -> Bool) throws -> [LedgerEntry] {
    var entries: [LedgerEntry] = []
    var counts: [Collection: Int] = [:]
    try store.forEachEntry(in: .conflicts) { id, entry in
      guard let entry = LedgerEntry(entry, id: id) else { return }
      counts[entry.record.collection, default: 0] += 1
      entries.append(entry)
    }
    var surplus = counts.mapValues { max($0 - conflictsPerCollection, 0) }
    var listing = try LedgerListing(self)
    return try entries.compactMap { entry in
      if let left = surplus[entry.record.collection], left > 0 {
        surplus[entry.record.collection] = left - 1
        return nil
      }
      return isMeant(entry.record) ? try listing.complete(entry) : nil
    }
  }
}

/// Finds out what became of the entries of the ledger.
private struct LedgerListing {
  private let store: any Store
  private let visibility: Visibility
  private var views: [RecordKey: View] = [:]

  /// What a record holds: what shows of it or, of a deleted one, what would if it were restored.
  private struct View {
    var record: PackedRecord
    var shown: [PackedRegister]
    var isAlive: Bool
    var isVisible: Bool
  }

  init(_ engine: Engine) throws {
    store = engine.store
    visibility = try engine.visibility()
  }

  mutating func complete(_ entry: LedgerEntry) throws -> LedgerEntry {
    var entry = entry
    if let resolution = try store.entry(EntryKey(.resolutions, entry.id)),
      case .string(let kept)? = resolution.values["kept"]
    {
      entry.resolution = LedgerEntry.Resolution(timestamp: resolution.timestamp, kept: kept)
    }
    guard let view = try view(of: entry.record) else { return entry }
    entry.isShown = isShown(entry, in: view)
    if case .register(let register) = entry.loser, let field = entry.field {
      let value = view.record.shownValue(register.value, in: field, amongShown: view.shown)
      entry.loser = .register(LWWRegister(value, precedence: register.precedence))
    }
    return entry
  }

  private func isShown(_ entry: LedgerEntry, in view: View) -> Bool {
    switch entry.loser {
    case .life(let life): return life.isAlive == view.isAlive
    case .register(let register):
      switch entry.winner {
      case .register: break
      case .life: guard view.isAlive else { return false }
      case .parent: guard view.isVisible else { return false }
      }
      if let field = entry.field, view.record.hides(register.value, in: field, amongShown: view.shown) {
        return false
      }
      return view.shown.contains { shown in
        view.record.address(of: shown) == entry.address && view.record.value(of: shown) == register.value
      }
    }
  }

  private mutating func view(of key: RecordKey) throws -> View? {
    if let known = views[key] { return known }
    guard let record = try store.record(key) else { return nil }
    let isAlive = record.life?.isAlive ?? true
    let shown = isAlive ? try visibility.shown(record) : record.best(fromLife: record.life?.latest ?? 1)
    let isVisible = try isAlive && !visibility.visible(record, at: key).isEmpty
    let view = View(record: record, shown: shown, isAlive: isAlive, isVisible: isVisible)
    views[key] = view
    return view
  }
}
