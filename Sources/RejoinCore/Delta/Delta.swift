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
  package let records: DeltaParts<RecordColumns>

  /// The log entries, in timestamp order, then in order of their key.
  package let entries: DeltaParts<EntryColumns>

  /// One record's part of a delta.
  package struct RecordPart: Comparable, Sendable {
    /// Which record.
    package let key: RecordKey
    /// Its registers and life; no slot is marked.
    package let fragment: PackedRecord
    private let first: Timestamp?

    /// Makes a part.
    package init(key: RecordKey, fragment: PackedRecord) {
      self.key = key
      self.fragment = fragment
      first = fragment.timestamps.first
    }

    /// Order of the first timestamp, then of the key.
    package static func < (left: RecordPart, right: RecordPart) -> Bool {
      guard let leftFirst = left.first, let rightFirst = right.first, leftFirst != rightFirst else {
        return left.key < right.key
      }
      return leftFirst < rightFirst
    }
  }

  /// One log entry of a delta.
  package struct EntryPart: Comparable, Sendable {
    /// Which entry.
    package let key: EntryKey
    /// What it says.
    package let entry: LogEntry

    /// Makes a part.
    package init(key: EntryKey, entry: LogEntry) {
      self.key = key
      self.entry = entry
    }

    /// Order of the timestamp, then of the key.
    package static func < (left: EntryPart, right: EntryPart) -> Bool {
      left.entry.timestamp == right.entry.timestamp
        ? left.key < right.key : left.entry.timestamp < right.entry.timestamp
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
    self.records = DeltaParts(records.sorted())
    self.entries = DeltaParts(entries.sorted())
  }

  /// Makes a delta of what was decoded.
  init(
    dataset: DatasetID, from: VersionVector, through: VersionVector, records: RecordColumns?,
    entries: EntryColumns?
  ) {
    self.dataset = dataset
    self.from = from
    self.through = through
    self.records = DeltaParts(records)
    self.entries = DeltaParts(entries)
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
