public import RejoinCore

extension WriteTransaction {
  /// Adds to a counter of a visible record; a negative amount takes away.
  ///
  /// Increments that were made apart from each other add up, and those made while the record was deleted elsewhere
  /// count when it is restored. The counter shows as a whole number, the sum of all increments; beyond 64 bits it
  /// stays at the largest or smallest number, and comes back from there. A plain whole number in the field counts too.
  ///
  /// - Throws: `ReplicaError.recordNotVisible`, `ReplicaError.parentNotVisible`, and
  ///   `ReplicaError.counterOverflow` when what this opening of the replica has added would leave 64 bits.
  public mutating func increment(
    _ field: FieldName, by amount: Int64 = 1, id: RecordID, in collection: Collection
  ) throws {
    var edits = FieldEdits()
    edits.increments[field] = amount
    try edit(edits, at: RecordKey(collection, id))
  }

  /// Takes back all increments of a counter that are known here, so that it shows 0.
  ///
  /// Increments that others make meanwhile stand, and two resets at once take back nothing twice; setting the counter
  /// to 0 would, since that takes away what it showed.
  ///
  /// - Throws: `ReplicaError.recordNotVisible`, `ReplicaError.parentNotVisible`.
  public mutating func reset(_ field: FieldName, id: RecordID, in collection: Collection) throws {
    var edits = FieldEdits()
    edits.resets = [field]
    try edit(edits, at: RecordKey(collection, id))
  }

  /// Adds an element to a set of a visible record.
  ///
  /// An addition wins over every removal by somebody who did not know of it, also that of an element which is there:
  /// so that is written again. The set shows as a list, in order of the elements' canonical bytes.
  ///
  /// - Throws: `ReplicaError.recordNotVisible`, `ReplicaError.parentNotVisible`, and `ReplicaError.elementTooLong`.
  public mutating func insert(
    _ element: Value, into field: FieldName, id: RecordID, in collection: Collection
  ) throws {
    var edits = FieldEdits()
    edits.inserted[field] = [element]
    try edit(edits, at: RecordKey(collection, id))
  }

  /// Removes an element from a set of a visible record; one that is not there is no error, and nothing is written.
  ///
  /// - Throws: `ReplicaError.recordNotVisible`, `ReplicaError.parentNotVisible`.
  public mutating func remove(
    _ element: Value, from field: FieldName, id: RecordID, in collection: Collection
  ) throws {
    var edits = FieldEdits()
    edits.removed[field] = [element]
    try edit(edits, at: RecordKey(collection, id))
  }

  /// Whether a record was deleted, so that an insert under its id begins a new life.
  package func isDeleted(_ id: RecordID, in collection: Collection) throws -> Bool {
    try record(RecordKey(collection, id))?.life.map { !$0.isAlive } ?? false
  }

  // MARK: Edits of several fields

  /// Inserts a record; when it was deleted before, what is seen of its counters and sets is taken back.
  mutating func insert(_ edits: FieldEdits, at key: RecordKey) throws {
    try check(key.collection)
    let stored = try record(key)
    guard try !isShown(stored) else { throw ReplicaError.recordExists(key) }
    var life = stored?.life
    let anew = life.map { !$0.isAlive } ?? false
    if let ended = life, anew { life = try next(after: ended.count, at: key) }
    let count = life?.count ?? 1
    let edits = try checked(edits, key: key)
    // Of a living record that shows nothing yet, what waits counts like what shows.
    let beneath = anew ? nil : stored?.best(fromLife: count)
    var writes = try writes(of: edits, to: stored, shown: beneath ?? [], life: count, anew: anew, at: key)
    let isBare = !writes.contains { !$0.precedence.outlivesLives }
    if isBare { writes.append(write(.bool(true), at: .existence, life: count)) }
    let fragment = RecordPacker.fragment(life: life, writes: writes)
    // What is taken back grows with what the record had counted, which must not keep it from coming again.
    if anew {
      let brought = writes.filter { !$0.takesBack }
      try engine.checkSize(of: RecordPacker.fragment(life: life, writes: brought), over: nil, at: key)
    }
    try put(fragment, at: key, over: stored, whateverItsSize: anew)
  }

  /// Edits a visible record.
  mutating func edit(_ edits: FieldEdits, at key: RecordKey) throws {
    try check(key.collection)
    guard let stored = try record(key), try isShown(stored) else { throw ReplicaError.recordNotVisible(key) }
    guard try hidingParent(of: stored, at: key) != nil else {
      return try editWhateverHides(edits, of: stored, at: key)
    }
    let before = (order, pending)
    do {
      try editWhateverHides(edits, of: stored, at: key)
      if let changed = try record(key), let parent = try hidingParent(of: changed, at: key) {
        throw ReplicaError.parentNotVisible(key, parent: parent)
      }
    } catch {
      (order, pending) = before
      throw error
    }
  }

  /// Edits a record that shows something itself, also one that a parent hides.
  mutating func editWhateverHides(_ edits: FieldEdits, of stored: PackedRecord, at key: RecordKey) throws {
    guard !edits.isEmpty else { return }
    let edits = try checked(edits, key: key)
    // Counters and sets stand beside nothing that waits.
    if !edits.plain.isEmpty || !edits.removed.isEmpty || !edits.resets.isEmpty {
      try adoptWhatShowsEarly(in: stored)
    }
    let shown = try edits.isPlain && stored.holdsOnlyPlain ? [] : visibility().shown(stored)
    let life = stored.life?.count ?? 1
    let writes = try writes(of: edits, to: stored, shown: shown, life: life, anew: false, at: key)
    guard !writes.isEmpty else { return }
    try put(RecordPacker.fragment(life: stored.life, writes: writes), at: key, over: record(key))
  }

  private func write(_ value: Value, at address: RegisterAddress, life: UInt64) -> RegisterWrite {
    RegisterWrite(
      address: address, value: value, precedence: Precedence(life: life, timestamp: timestamp))
  }

  private mutating func writes(
    of edits: FieldEdits, to stored: PackedRecord?, shown: [PackedRegister], life: UInt64,
    anew: Bool, at key: RecordKey
  ) throws -> [RegisterWrite] {
    let ranks = try ranks(of: edits.names, at: key)
    try checkAppending(edits, to: stored, at: key)
    var writes: [RegisterWrite]
    do {
      writes = try edits.writes(
        to: stored, shown: shown, life: life, anew: anew, session: engine.session, timestamp: timestamp)
    } catch {
      throw error.replicaError(at: key)
    }
    guard !ranks.isEmpty else { return writes }
    for index in writes.indices where writes[index].address.kind == RegisterKind.plain {
      writes[index].precedence.rank = ranks[writes[index].address.field] ?? 0
    }
    return writes
  }
}

extension RegisterWrite {
  /// Whether it takes back an increment or removes an element.
  fileprivate var takesBack: Bool {
    address.kind == RegisterKind.reset || address.kind == RegisterKind.element && value == .null
  }
}

extension Replica {
  /// Adds to a counter; see ``WriteTransaction/increment(_:by:id:in:)``.
  public func increment(
    _ field: FieldName, by amount: Int64 = 1, id: RecordID, in collection: Collection
  ) throws {
    try write { try $0.increment(field, by: amount, id: id, in: collection) }
  }

  /// Takes back all increments of a counter that are known; see ``WriteTransaction/reset(_:id:in:)``.
  public func reset(_ field: FieldName, id: RecordID, in collection: Collection) throws {
    try write { try $0.reset(field, id: id, in: collection) }
  }

  /// Adds an element to a set; see ``WriteTransaction/insert(_:into:id:in:)``.
  public func insert(
    _ element: Value, into field: FieldName, id: RecordID, in collection: Collection
  ) throws {
    try write { try $0.insert(element, into: field, id: id, in: collection) }
  }

  /// Removes an element from a set; see ``WriteTransaction/remove(_:from:id:in:)``.
  public func remove(
    _ element: Value, from field: FieldName, id: RecordID, in collection: Collection
  ) throws {
    try write { try $0.remove(element, from: field, id: id, in: collection) }
  }
}
