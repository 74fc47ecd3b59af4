/// The words of the naive replica: plain values, so that nothing is shared with the engine that it judges.
package enum Reference {
  /// When and by whom something was written; time first, then replica.
  package struct Stamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var time: UInt64
    package var replica: UInt64

    package init(time: UInt64, replica: UInt64) {
      self.time = time
      self.replica = replica
    }

    package static func < (left: Stamp, right: Stamp) -> Bool {
      left.time == right.time ? left.replica < right.replica : left.time < right.time
    }

    package var description: String { "\(time >> 16).\(time & 0xffff)@\(replica)" }
  }

  /// Where a register lives; field 0 says only that the record exists.
  package struct Address: Hashable, Sendable {
    package var record: Int
    package var field: Int

    /// Which part of a counter or set; nil for plain values.
    package var mark: Mark?

    package init(record: Int, field: Int, mark: Mark? = nil) {
      self.record = record
      self.field = field
      self.mark = mark
    }

    package static let existence = 0
  }

  /// What one session wrote into a counter or set.
  package struct Mark: Hashable, Sendable {
    package var session: UInt64
    /// The element; nil for a tally.
    package var element: Int?
    /// Whether it says what was taken back of a tally.
    package var isReset = false
  }

  /// A register; its value is a place in the table of values that a history draws from, a total, or 1 and 0
  /// for an element that is there or removed.
  package struct Register: Hashable, Sendable {
    package var life: UInt64
    package var stamp: Stamp
    package var value: Int
    package var rank: UInt64 = 0

    package init(life: UInt64, stamp: Stamp, value: Int, rank: UInt64 = 0) {
      self.life = life
      self.stamp = stamp
      self.value = value
      self.rank = rank
    }

    /// Whether it belongs to the record and not to one of its lives.
    package var outlivesLives: Bool { life == 0 }

    /// No life before all lives, larger life first, then larger rank, then later stamp.
    package func beats(_ other: Register) -> Bool {
      if life != other.life { return outlivesLives || !other.outlivesLives && life > other.life }
      return rank == other.rank ? stamp > other.stamp : rank > other.rank
    }
  }

  /// An entry of the tombstone set.
  package struct Life: Hashable, Sendable {
    package var count: UInt64
    package var stamp: Stamp

    /// Larger count first, then *earlier* stamp.
    package func beats(_ other: Life?) -> Bool {
      guard let other else { return true }
      return count == other.count ? stamp < other.stamp : count > other.count
    }
  }

  /// An entry of the one log.
  package struct Entry: Hashable, Sendable {
    package var stamp: Stamp
    package var id: UInt64
    package var value: Int

    package init(stamp: Stamp, id: UInt64, value: Int) {
      self.stamp = stamp
      self.id = id
      self.value = value
    }
  }

  /// One of a transaction's writes.
  package enum Write: Hashable, Sendable {
    case insert(record: Int, fields: [Int: Int])
    case set(record: Int, fields: [Int: Int])
    case delete(record: Int)
    case restore(record: Int)
    case append(id: UInt64, value: Int)
    case increment(record: Int, field: Int, by: Int)
    case reset(record: Int, field: Int)
    case add(record: Int, field: Int, element: Int)
    case remove(record: Int, field: Int, element: Int)
  }

  /// Two concurrent writes of which one gave way; the sides are told apart by kind and stamp.
  package struct Conflict: Hashable, Sendable {
    package enum Side: Hashable, Sendable {
      case register(Stamp)
      case life(Stamp)

      var stamp: Stamp {
        switch self {
        case .register(let stamp), .life(let stamp): stamp
        }
      }
    }

    var losing: Loser { Loser(record: record, field: field, stamp: loser.stamp) }

    package var record: Int
    package var field: Int?
    package var winner: Side
    package var loser: Side

    package init(record: Int, field: Int?, winner: Side, loser: Side) {
      self.record = record
      self.field = field
      self.winner = winner
      self.loser = loser
    }
  }

  /// A write that gave way: what names an entry of the ledger.
  package struct Loser: Hashable, Sendable {
    package var record: Int
    /// Nil for an entry of the tombstone set.
    package var field: Int?
    package var stamp: Stamp

    package init(record: Int, field: Int?, stamp: Stamp) {
      self.record = record
      self.field = field
      self.stamp = stamp
    }
  }

  /// Current winners that `from` does not cover.
  package struct Delta: Sendable {
    package var from: [UInt64: UInt64]
    package var through: [UInt64: UInt64]
    package var registers: [(address: Address, register: Register)]
    package var lives: [Int: Life]
    package var entries: [Entry]
    package var ledger: [Loser: Stamp]
  }

  /// A register that waits, as a record and a stamp.
  package struct Waiting: Hashable, Sendable {
    package var record: Int
    package var stamp: Stamp

    package init(record: Int, stamp: Stamp) {
      self.record = record
      self.stamp = stamp
    }
  }
}
