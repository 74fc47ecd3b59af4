import RejoinCore

/// What an edit of a record does to its fields.
struct FieldEdits {
  /// The plain values to show.
  var plain: [FieldName: Value] = [:]

  /// The fields of which all counts and elements that are seen are taken back, before anything is written to them.
  var startingAfresh: Set<FieldName> = []

  /// The counters that are reset, before anything is added to them.
  var resets: Set<FieldName> = []

  /// How much is added to counters.
  var increments: [FieldName: Int64] = [:]

  /// The elements that are added to sets.
  var inserted: [FieldName: [Value]] = [:]

  /// The elements that are removed from sets.
  var removed: [FieldName: [Value]] = [:]

  /// Edits of plain values alone.
  init(plain: [FieldName: Value] = [:]) {
    self.plain = plain
  }

  /// Whether counters and sets stay as they are.
  var isPlain: Bool {
    startingAfresh.isEmpty && resets.isEmpty && increments.isEmpty && inserted.isEmpty && removed.isEmpty
  }

  /// Whether nothing is edited.
  var isEmpty: Bool { isPlain && plain.isEmpty }

  /// The fields that are edited.
  var names: [FieldName] {
    Array(plain.keys) + Array(startingAfresh) + Array(resets) + Array(increments.keys) + Array(inserted.keys)
      + Array(removed.keys)
  }

  /// The same edits with values as they will be read back; what could not be is refused.
  func validated() throws(CodingError) -> FieldEdits {
    var edits = self
    for (name, value) in plain { edits.plain[name] = try value.validated() }
    for (name, values) in inserted { edits.inserted[name] = try FieldEdits.validated(values) }
    for (name, values) in removed { edits.removed[name] = try FieldEdits.validated(values) }
    return edits
  }

  private static func validated(_ values: [Value]) throws(CodingError) -> [Value] {
    var valid: [Value] = []
    for value in values { valid.append(try value.validated()) }
    return valid
  }

  /// The registers that the edits write, those of plain values in a life.
  ///
  /// Where a deleted record is inserted anew, they take back whatever it counted.
  func writes(
    to record: PackedRecord?, shown: [PackedRegister], life: UInt64, anew: Bool, session: EngineSession,
    timestamp: Timestamp
  ) throws(CountedEditError) -> [RegisterWrite] {
    func write(_ address: RegisterAddress, _ value: Value) -> RegisterWrite {
      RegisterWrite(
        address: address, value: value, precedence: Precedence(life: life, timestamp: timestamp))
    }
    guard !isPlain || !(record?.holdsOnlyPlain ?? true) else {
      return plain.map { write(RegisterAddress($0.key), $0.value) }
    }
    var edits = CountedEdits(of: record, shown: shown, session: { session.id }, timestamp: timestamp)
    if anew { try edits.startAfresh() }
    for name in startingAfresh { try edits.startAfresh(name) }
    for (name, value) in plain { try edits.show(value, in: name) }
    for name in resets { edits.reset(name) }
    for (name, amount) in increments { try edits.increment(name, by: amount) }
    for (name, values) in removed { for value in values { try edits.remove(value, from: name) } }
    for (name, values) in inserted { for value in values { try edits.insert(value, into: name) } }
    return edits.plainWrites.map { write(RegisterAddress($0.key), $0.value) } + edits.writes
  }
}

extension CountedEditError {
  /// As whoever edits a record is told.
  func replicaError(at key: RecordKey) -> ReplicaError {
    switch self {
    case .overflow(let field): .counterOverflow(key, field: field)
    case .otherKind(let field): .fieldOfOtherKind(key, field: field)
    case .elementTooLong(let field): .elementTooLong(key, field: field)
    }
  }
}
