/// An entry of the tombstone set: how often a record came to life and was deleted, and when it last did.
///
/// An odd count means alive, an even one deleted; a record without an entry is in its first life (count 1).
/// The larger count wins, then the *smaller* timestamp: of two devices that delete concurrently, both mean the
/// same deletion. Source: Yu, Rostad, *A Low-Cost Set CRDT Based on Causal Lengths* (PaPoC 2020).
public struct Life: Lattice, Hashable {
  /// The number of births and deletions, from 1.
  public var count: UInt64

  /// When the count was reached.
  public var timestamp: Timestamp

  /// Makes an entry.
  public init(count: UInt64, timestamp: Timestamp) {
    self.count = count
    self.timestamp = timestamp
  }

  /// Whether the record is alive.
  public var isAlive: Bool { count % 2 == 1 }

  /// The life that is running or, of a deleted record, the one that ended last.
  ///
  /// Registers of lives before it can never show again.
  package var latest: UInt64 { isAlive ? count : count - 1 }

  /// Whether this entry wins over `other`.
  package func beats(_ other: Life) -> Bool {
    count == other.count ? timestamp < other.timestamp : count > other.count
  }

  /// Takes the larger count, then the smaller timestamp.
  public mutating func merge(_ other: Life) {
    if other.beats(self) { self = other }
  }
}

/// The deletions of a data set: record → its life.
///
/// A record without an entry is in its first life.
public struct TombstoneSet: Lattice {
  /// The entries.
  public private(set) var lives: [RecordKey: Life] = [:]

  /// Makes an empty set.
  public init() {}

  /// The entry of a record, nil while it is in its first life.
  public subscript(key: RecordKey) -> Life? { lives[key] }

  /// Adds an entry, or raises the one that is there.
  public mutating func insert(_ life: Life, for key: RecordKey) {
    lives[key, default: life].merge(life)
  }

  /// Takes the larger entry of each record.
  public mutating func merge(_ other: TombstoneSet) {
    lives.merge(other.lives) { $0.merging($1) }
  }
}
