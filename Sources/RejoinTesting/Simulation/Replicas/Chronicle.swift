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

    /// Whether its writer had seen another one, or made that in the same transaction before.
    func hadSeen(_ other: Write) -> Bool {
      past.covers(other.timestamp) || timestamp == other.timestamp && life > other.life
    }
  }

  private(set) var writes: [Place: [Write]] = [:]

  /// Adds the writes of a delta that its sender has just made, having come to `past` before.
  mutating func add(_ delta: Delta, past: VersionVector) {
    for (record, life) in delta.lives where !past.covers(life.timestamp) {
      let write = Write(timestamp: life.timestamp, life: life.count, value: nil, past: past)
      add([write], at: Place(record: record, address: nil))
    }
    for winner in delta.winners {
      let precedence = winner.register.precedence
      let write = Write(
        timestamp: precedence.timestamp, life: precedence.life, value: winner.register.value, past: past)
      add([write], at: Place(record: winner.record, address: winner.address))
    }
  }

  /// Adds what another one holds.
  mutating func merge(_ other: Chronicle) {
    for (place, new) in other.writes where place.address == nil { add(new, at: place) }
    for (place, new) in other.writes where place.address != nil { add(new, at: place) }
  }

  private mutating func add(_ new: [Write], at place: Place) {
    var all = writes[place] ?? []
    for write in new where !all.contains(where: { $0.timestamp == write.timestamp }) { all.append(write) }
    keep(all, at: place)
    guard place.address == nil else { return }
    for (other, writes) in writes where other.record == place.record && other.address != nil {
      keep(writes, at: other)
    }
  }

  private mutating func keep(_ all: [Write], at place: Place) {
    let lives = place.address == nil ? [] : writes[Place(record: place.record, address: nil)] ?? []
    let heads = all.filter { write in
      !all.contains { $0.past.covers(write.timestamp) } && !lives.contains { $0.hadSeen(write) }
    }
    writes[place] = heads.isEmpty ? nil : heads
  }

  /// The write of a timestamp at a place, unless it was replaced knowingly.
  func write(of timestamp: Timestamp, at place: Place) -> Write? {
    writes[place]?.first { $0.timestamp == timestamp }
  }
}
