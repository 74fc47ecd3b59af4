/// Two writes of one address, made without knowing of each other, of which one had to give way.
public struct Conflict: Hashable, Sendable {
  /// One of the two writes.
  public enum Side: Hashable, Sendable {
    /// A register.
    case register(LWWRegister)
    /// An entry of the tombstone set: a deletion, or the beginning of a later life.
    case life(Life)

    /// When and by whom it was written.
    public var timestamp: Timestamp {
      switch self {
      case .register(let register): register.precedence.timestamp
      case .life(let life): life.timestamp
      }
    }
  }

  /// The record.
  public var record: RecordKey

  /// The register; nil when both sides are entries of the tombstone set.
  public var address: RegisterAddress?

  /// The write that is kept.
  public var winner: Side

  /// The write that gave way.
  public var loser: Side

  /// The record to which the winner belongs, where that is the deletion of a parent of the loser's; else nil.
  public var parent: RecordKey?

  /// Makes a conflict.
  public init(
    record: RecordKey, address: RegisterAddress?, winner: Side, loser: Side, parent: RecordKey? = nil
  ) {
    self.record = record
    self.address = address
    self.winner = winner
    self.loser = loser
    self.parent = parent
  }
}

/// What a merge must know besides the two states.
package struct MergeRules {
  /// Registers stamped later than this wait in the future slot.
  package var latestAcceptable: HybridTime

  /// What the receiver covered before.
  package var own: VersionVector

  /// What the sender covered.
  package var through: VersionVector

  /// Whether an equal timestamp overwrites: true only for the writes of one local transaction.
  package var overwritesTies = false

  /// Rules for taking in a delta.
  package init(latestAcceptable: HybridTime, own: VersionVector, through: VersionVector) {
    self.latestAcceptable = latestAcceptable
    self.own = own
    self.through = through
  }

  /// Rules for a local transaction: it has seen all that is stored, and what it writes never waits.
  package init(localWritesOver own: VersionVector) {
    self.init(latestAcceptable: .distantFuture, own: own, through: own)
    overwritesTies = true
  }
}
