/// An entry of a grow-only log: its values never change.
public struct LogEntry: Lattice, Hashable {
  /// When and by whom it was appended; entries read in this order.
  public var timestamp: Timestamp

  /// What it says.
  public var values: ValueMap

  /// Makes an entry.
  public init(_ values: ValueMap, timestamp: Timestamp) {
    self.values = values
    self.timestamp = timestamp
  }

  /// Keeps the entry as it is; should one id stand for two, which only a fault can bring about, the later one,
  /// then the one with the larger canonical bytes.
  public mutating func merge(_ other: LogEntry) {
    if (timestamp, Value.map(values)) < (other.timestamp, Value.map(other.values)) { self = other }
  }
}

/// A grow-only set: entries by id, of which none is ever changed or removed; merging is union.
///
/// Source: Shapiro et al., *A comprehensive study of Convergent and Commutative Replicated Data Types*
/// (2011).
public struct GrowOnlySet<Key: Hashable & Sendable>: Lattice {
  /// The entries.
  public private(set) var entries: [Key: LogEntry] = [:]

  /// Makes an empty set.
  public init() {}

  /// Adds an entry.
  public mutating func insert(_ entry: LogEntry, for key: Key) {
    entries[key, default: entry].merge(entry)
  }

  /// Takes the entries of both.
  public mutating func merge(_ other: GrowOnlySet) {
    entries.merge(other.entries) { $0.merging($1) }
  }
}
