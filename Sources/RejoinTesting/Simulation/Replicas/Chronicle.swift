import Rejoin
import RejoinCore

/// What really happened to records, past the library: writes with what their writers had seen.
///
/// It keeps only what nobody has knowingly replaced: of each address the writes whose successors had not seen them, and
/// of those only what no deletion took, nor a new life, whose author had seen them. What else there was cannot be lost
/// any more.
struct Chronicle: Sendable {
  /// Where something was written; no address for the record's life.
  struct Place: Hashable, Sendable {
    var record: RecordKey
    var address: RegisterAddress?
  }

  /// A write.
  struct Write: Sendable {
    var timestamp: Timestamp
    /// The life that it is of or, where it is one, its count.
    var life: UInt64
    /// What was written; nil where it is a life.
    var value: Value?
    /// How far its writer had come.
    var past: VersionVector
    /// What the ledger calls it, should it give way.
    var entryID: EntryID

    /// Whether its writer had seen another one, or made that in the same transaction before.
    func hadSeen(_ other: Write) -> Bool {
      past.covers(other.timestamp) || timestamp == other.timestamp && life > other.life
    }
  }

  private var records: [RecordKey: [RegisterAddress?: [Write]]] = [:]

  /// What nobody has knowingly replaced of a record, and where.
  func writes(of record: RecordKey) -> [(address: RegisterAddress?, write: Write)] {
    (records[record] ?? [:]).flatMap { address, writes in writes.map { (address, $0) } }
  }

  /// Adds the writes of a delta that its sender has just made, having come to `past` before; says of which records.
  mutating func add(_ delta: Delta, past: VersionVector, in dataset: DatasetID) -> Set<RecordKey> {
    var touched = Set<RecordKey>()
    func entryID(_ timestamp: Timestamp, _ address: RegisterAddress?, _ record: RecordKey) -> EntryID {
      touched.insert(record)
      return EntryID(losing: timestamp, at: address, of: record, in: dataset)
    }
    for (record, life) in delta.lives where !past.covers(life.timestamp) {
      let write = Write(
        timestamp: life.timestamp, life: life.count, value: nil, past: past,
        entryID: entryID(life.timestamp, nil, record))
      add([write], at: Place(record: record, address: nil))
    }
    for winner in delta.winners {
      let precedence = winner.register.precedence
      let write = Write(
        timestamp: precedence.timestamp, life: precedence.life, value: winner.register.value, past: past,
        entryID: entryID(precedence.timestamp, winner.address, winner.record))
      add([write], at: Place(record: winner.record, address: winner.address))
    }
    return touched
  }

  /// Adds what another one holds and a vector does not cover, which says what is known here; says of which records.
  ///
  /// What is covered is here already, or was replaced by somebody who had seen it.
  mutating func merge(_ other: Chronicle, notCoveredBy known: VersionVector) -> Set<RecordKey> {
    var touched = Set<RecordKey>()
    for (record, places) in other.records {
      // Lives first, since they decide what is kept of the rest.
      for isLife in [true, false] {
        for (address, writes) in places where (address == nil) == isLife {
          let new = writes.filter { !known.covers($0.timestamp) }
          guard !new.isEmpty else { continue }
          add(new, at: Place(record: record, address: address))
          touched.insert(record)
        }
      }
    }
    return touched
  }

  private mutating func add(_ new: [Write], at place: Place) {
    var all = writes(at: place)
    for write in new where !all.contains(where: { $0.timestamp == write.timestamp }) { all.append(write) }
    keep(all, at: place)
    guard place.address == nil else { return }
    for (address, writes) in records[place.record] ?? [:] where address != nil {
      keep(writes, at: Place(record: place.record, address: address))
    }
  }

  private mutating func keep(_ all: [Write], at place: Place) {
    let lives = place.address == nil ? [] : writes(at: Place(record: place.record, address: nil))
    let heads = all.filter { write in
      !all.contains { $0.past.covers(write.timestamp) } && !lives.contains { $0.hadSeen(write) }
    }
    records[place.record, default: [:]][place.address] = heads.isEmpty ? nil : heads
  }

  private func writes(at place: Place) -> [Write] { records[place.record]?[place.address] ?? [] }

  /// The write of a timestamp at a place, unless it was replaced knowingly.
  func write(of timestamp: Timestamp, at place: Place) -> Write? {
    writes(at: place).first { $0.timestamp == timestamp }
  }
}
