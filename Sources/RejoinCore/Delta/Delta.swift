/// What one replica knows and another lacks: the winners that `from` does not cover, and how far they reach.
///
/// A delta carries only current winners, so five edits of one field travel once. Whoever covers `from` and takes
/// in the whole delta covers `through` afterwards.
/// Source: Almeida, Shoker, Baquero, *Delta State Replicated Data Types* (JPDC 111, 2018), definition 6.
public struct Delta: Equatable, Sendable {
  /// The data set it belongs to.
  public var dataset: DatasetID

  /// What the receiver must cover already.
  public var from: VersionVector

  /// What the receiver covers afterwards: the sender's vector.
  public var through: VersionVector

  /// The records, each with what `from` does not cover of it and with its life; in order of their earliest
  /// timestamp, then of their key.
  package private(set) var records: [RecordPart]

  /// The log entries, in timestamp order, then in order of their key.
  package private(set) var entries: [EntryPart]

  /// One record's part of a delta.
  package struct RecordPart: Equatable, Sendable {
    /// Which record.
    package var key: RecordKey
    /// Its registers and life; no slot is marked.
    package var fragment: PackedRecord

    /// Makes a part.
    package init(key: RecordKey, fragment: PackedRecord) {
      self.key = key
      self.fragment = fragment
    }
  }

  /// One log entry of a delta.
  package struct EntryPart: Equatable, Sendable {
    /// Which entry.
    package var key: EntryKey
    /// What it says.
    package var entry: LogEntry

    /// Makes a part.
    package init(key: EntryKey, entry: LogEntry) {
      self.key = key
      self.entry = entry
    }
  }

  /// Makes a delta of parts in any order.
  package init(
    dataset: DatasetID, from: VersionVector, through: VersionVector, records: [RecordPart],
    entries: [EntryPart]
  ) {
    self.dataset = dataset
    self.from = from
    self.through = through
    let keyed = records.map { (first: $0.fragment.timestamps.first, part: $0) }
    self.records = keyed.sorted { left, right in
      guard let leftFirst = left.first, let rightFirst = right.first, leftFirst != rightFirst else {
        return left.part.key < right.part.key
      }
      return leftFirst < rightFirst
    }.map(\.part)
    self.entries = entries.sorted {
      $0.entry.timestamp == $1.entry.timestamp ? $0.key < $1.key : $0.entry.timestamp < $1.entry.timestamp
    }
  }

  /// Whether it brings nothing: no register, no log entry, and no knowledge that everything is there already.
  public var isEmpty: Bool { records.isEmpty && entries.isEmpty && from.covers(through) }

  /// How many records it touches.
  public var recordCount: Int { records.count }

  /// How many registers it carries.
  public var registerCount: Int { records.reduce(0) { $0 + $1.fragment.registers.count } }

  /// How many log entries it carries.
  public var entryCount: Int { entries.count }

  /// One register of a delta.
  public struct Winner: Hashable, Sendable {
    /// The record.
    public var record: RecordKey
    /// The register within the record.
    public var address: RegisterAddress
    /// What it holds and what decides about it.
    public var register: LWWRegister
  }

  /// The registers in timestamp order.
  public var winners: [Winner] {
    let winners = records.flatMap { part in
      part.fragment.registers.map {
        Winner(
          record: part.key, address: part.fragment.address(of: $0),
          register: LWWRegister(part.fragment.value(of: $0), precedence: $0.precedence))
      }
    }
    return winners.sorted { left, right in
      let (leftStamp, rightStamp) = (left.register.precedence.timestamp, right.register.precedence.timestamp)
      if leftStamp != rightStamp { return leftStamp < rightStamp }
      return left.record == right.record ? left.address < right.address : left.record < right.record
    }
  }

  /// The entries of the tombstone set that travel with the records.
  public var lives: [RecordKey: Life] {
    Dictionary(
      records.compactMap { part in part.fragment.life.map { (part.key, $0) } },
      uniquingKeysWith: { $0.merging($1) })
  }

  /// The log entries in timestamp order.
  public var logEntries: [(key: EntryKey, entry: LogEntry)] { entries.map { ($0.key, $0.entry) } }
}
