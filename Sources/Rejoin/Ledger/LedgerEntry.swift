public import RejoinCore

/// A write that gave way to another one, as the conflict ledger keeps it.
public struct LedgerEntry: Hashable, Sendable, Identifiable {
  /// What the write gave way to.
  public enum Winner: Hashable, Sendable {
    /// Another write of the same field.
    case register(Timestamp)
    /// A deletion of the record, or the beginning of a later life of it.
    case life(Life)
    /// The deletion of a record that this one refers to, which hides it.
    case parent(RecordKey, Life)

    /// When and by whom it was written.
    public var timestamp: Timestamp {
      switch self {
      case .register(let timestamp): timestamp
      case .life(let life), .parent(_, let life): life.timestamp
      }
    }
  }

  /// What a resolution keeps.
  public enum Choice: Hashable, Sendable {
    /// What shows now.
    case winner
    /// The write that gave way.
    case loser
    /// Something else.
    case value(Value)
  }

  /// That somebody resolved the conflict.
  public struct Resolution: Hashable, Sendable {
    /// When and by whom.
    public var timestamp: Timestamp
    /// What was kept: "winner", "loser" or "value".
    public var kept: String
  }

  /// Derived from the place and the timestamp of the loser, so that everybody who notices a conflict names it alike.
  public var id: EntryID

  /// The record.
  public var record: RecordKey

  /// Where the losing register stood; nil where the loser is a deletion or the beginning of a life.
  public var address: RegisterAddress?

  /// The write that gave way.
  public var loser: Conflict.Side

  /// What it gave way to when that was noticed.
  public var winner: Winner

  /// When and by whom the conflict was noticed.
  public var observed: Timestamp

  /// How it was resolved; nil while it is not.
  public internal(set) var resolution: Resolution?

  /// Whether what the loser wrote is what shows now, so that nothing is lost.
  public internal(set) var isShown = false

  /// Whether somebody should look at it: it is not resolved, and something else shows.
  public var isOpen: Bool { resolution == nil && !isShown }

  /// The field of the losing register, empty for the one that says only that the record exists; nil where the loser is
  /// a deletion or the beginning of a life.
  public var field: FieldName? { address?.field }

  /// The value that gave way; nil where the loser is a deletion or the beginning of a life.
  public var losingValue: Value? {
    if case .register(let register) = loser { register.value } else { nil }
  }

  init(_ conflict: Conflict, observed: Timestamp, dataset: DatasetID) {
    id = EntryID(
      losing: conflict.loser.timestamp, at: conflict.address, of: conflict.record, in: dataset)
    record = conflict.record
    address = conflict.address
    loser = conflict.loser
    winner =
      switch (conflict.winner, conflict.parent) {
      case (.register(let register), _): .register(register.precedence.timestamp)
      case (.life(let life), let parent?): .parent(parent, life)
      case (.life(let life), nil): .life(life)
      }
    self.observed = observed
  }
}

extension EntryID {
  /// The name of a conflict: the same at everybody who notices it, whoever had won by then.
  ///
  /// Entries of one record have ids of one upper half.
  package init(
    losing timestamp: Timestamp, at address: RegisterAddress?, of record: RecordKey, in dataset: DatasetID
  ) {
    var hash = SipHash128(key0: dataset.high, key1: dataset.low)
    hash.combine(counted: record.collection.text.utf8)
    hash.combine(record.id.high)
    hash.combine(record.id.low)
    let upper = hash
    hash.combine(counted: address?.packed ?? [])
    hash.combine(timestamp.time.rawValue)
    hash.combine(timestamp.replica.rawValue)
    self.init(high: upper.finalize().0, low: hash.finalize().0)
  }
}
