/// The state of a replica as a mathematical object: three lattices side by side, merged at once.
///
/// This is the specification in executable form. A replica keeps the same state packed and indexed; tests hold
/// one against the other.
public struct ReplicaState: Lattice {
  /// Where a register lives.
  public struct Key: Hashable, Sendable {
    /// The record.
    public var record: RecordKey

    /// The register within the record.
    public var address: RegisterAddress

    /// Makes a key.
    public init(record: RecordKey, address: RegisterAddress) {
      self.record = record
      self.address = address
    }
  }

  /// The records: maps of last-writer-wins registers.
  public private(set) var registers = LWWMap<Key>()

  /// The deletions.
  public private(set) var tombstones = TombstoneSet()

  /// The logs.
  public private(set) var logs = GrowOnlySet<EntryKey>()

  /// Makes an empty state.
  public init() {}

  /// Adds a register.
  public mutating func insert(_ register: LWWRegister, for key: Key) {
    registers.insert(register, for: key)
    dropEndedLives()
  }

  /// Adds an entry of the tombstone set.
  public mutating func insert(_ life: Life, for key: RecordKey) {
    tombstones.insert(life, for: key)
    dropEndedLives()
  }

  /// Adds an entry of a log.
  public mutating func insert(_ entry: LogEntry, for key: EntryKey) {
    logs.insert(entry, for: key)
  }

  /// Merges all three.
  public mutating func merge(_ other: ReplicaState) {
    registers.merge(other.registers)
    tombstones.merge(other.tombstones)
    logs.merge(other.logs)
    dropEndedLives()
  }

  /// Registers of an earlier life can never show again once a later odd count is known; those of life 0 outlive all.
  private mutating func dropEndedLives() {
    let tombstones = tombstones
    registers.filter { key, register in
      guard let life = tombstones[key.record] else { return true }
      return register.precedence.isKept(fromLife: life.latest)
    }
  }
}

extension ReplicaState {
  /// The state that a delta brings to an empty replica.
  public init(_ delta: Delta) {
    for (key, life) in delta.lives { tombstones.insert(life, for: key) }
    for winner in delta.winners {
      registers.insert(winner.register, for: Key(record: winner.record, address: winner.address))
    }
    for (key, entry) in delta.logEntries { logs.insert(entry, for: key) }
    dropEndedLives()
  }
}
