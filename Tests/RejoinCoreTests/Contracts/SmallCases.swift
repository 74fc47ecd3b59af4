import RejoinCore

/// All values of tiny domains, where ties are the rule: two replicas, three clock values, lives 0 to 4, ranks 0
/// and 1, few values; equal precedence with unequal values included.
enum SmallCases {
  static let values: [Value] = [1, 1.0]
  static let record = RecordKey("things", RecordID(high: 0, low: 1))

  static func stamp(_ time: UInt64, _ replica: UInt64) -> Timestamp {
    Timestamp(time: HybridTime(rawValue: time), replica: ReplicaID(rawValue: replica))
  }

  static let stamps: [Timestamp] = [1, 2, 3].flatMap { time in [1, 2].map { stamp(time, $0) } }

  static let lives: [Life] = (1...4).flatMap { count in
    stamps.map { Life(count: count, timestamp: $0) }
  }

  static let registers: [LWWRegister] = {
    var registers: [LWWRegister] = []
    for life: UInt64 in [0, 1, 3] {
      for rank: UInt64 in [0, 1] {
        for stamp in stamps {
          let precedence = Precedence(life: life, rank: rank, timestamp: stamp)
          registers += values.map { LWWRegister($0, precedence: precedence) }
        }
      }
    }
    return registers
  }()

  static let logEntries: [LogEntry] = stamps.flatMap { stamp in
    [LogEntry([:], timestamp: stamp)] + values.map { LogEntry(["value": $0], timestamp: stamp) }
  }

  static let vectors: [VersionVector] = (0..<27).map { (number: UInt64) in
    var vector = VersionVector()
    vector.advance(ReplicaID(rawValue: 1), to: HybridTime(rawValue: number % 3))
    vector.advance(ReplicaID(rawValue: 2), to: HybridTime(rawValue: number / 3 % 3))
    vector.advance(ReplicaID(rawValue: 3), to: HybridTime(rawValue: number / 9))
    return vector
  }

  /// Registers that differ in one thing each, so that maps of them stay few.
  static let someRegisters: [LWWRegister] = [
    register(1, life: 1, stamp: stamp(1, 1)), register(1.0, life: 1, stamp: stamp(1, 1)),
    register(1, life: 1, stamp: stamp(1, 2)), register(1, life: 1, stamp: stamp(3, 1)),
    register(1, life: 1, rank: 1, stamp: stamp(2, 1)), register(1, life: 3, stamp: stamp(2, 2)),
  ]

  /// Registers of an address other than a plain value's: some outlive lives, some do not.
  static let outlivingRegisters: [LWWRegister] = [
    register(1, life: 0, stamp: stamp(1, 1)), register(1.0, life: 0, stamp: stamp(1, 1)),
    register(1, life: 0, stamp: stamp(3, 2)), register(1, life: 0, rank: 1, stamp: stamp(2, 1)),
    register(1, life: 1, stamp: stamp(2, 2)), register(1, life: 1, rank: 1, stamp: stamp(3, 1)),
    register(1, life: 3, stamp: stamp(1, 2)), register(1.0, life: 3, stamp: stamp(3, 1)),
  ]

  /// An address of a kind that says nothing about lives.
  static let outlivingAddress = RegisterAddress("a", kind: 9, element: [1])

  private static func register(
    _ value: Value, life: UInt64, rank: UInt64 = 0, stamp: Timestamp
  ) -> LWWRegister {
    LWWRegister(value, precedence: Precedence(life: life, rank: rank, timestamp: stamp))
  }

  private static let someLives: [Life?] = [
    nil, Life(count: 2, timestamp: stamp(1, 2)), Life(count: 2, timestamp: stamp(3, 1)),
    Life(count: 3, timestamp: stamp(2, 2)), Life(count: 4, timestamp: stamp(2, 1)),
  ]

  private static func optional<Element>(_ elements: [Element]) -> [Element?] { [nil] + elements }

  static let maps: [LWWMap<Int>] = optional(someRegisters).flatMap { first in
    optional(Array(someRegisters.prefix(3))).map { second in
      var map = LWWMap<Int>()
      if let first { map.insert(first, for: 1) }
      if let second { map.insert(second, for: 2) }
      return map
    }
  }

  static let tombstoneSets: [TombstoneSet] = someLives.flatMap { first in
    someLives.map { second in
      var set = TombstoneSet()
      if let first { set.insert(first, for: record) }
      if let second { set.insert(second, for: RecordKey("things", RecordID(high: 0, low: 2))) }
      return set
    }
  }

  static let growOnlySets: [GrowOnlySet<Int>] = optional(Array(logEntries.prefix(4))).flatMap { first in
    optional(Array(logEntries.suffix(3))).map { second in
      var set = GrowOnlySet<Int>()
      if let first { set.insert(first, for: 1) }
      if let second { set.insert(second, for: 2) }
      return set
    }
  }

  /// States of one record: every life with every register, and an entry of a log.
  static let states: [ReplicaState] = someLives.flatMap { life in
    optional(someRegisters).map { register in
      var state = ReplicaState()
      if let life { state.insert(life, for: record) }
      if let register {
        state.insert(register, for: ReplicaState.Key(record: record, address: RegisterAddress("a")))
      }
      state.insert(logEntries[0], for: EntryKey("events", EntryID(high: 0, low: 1)))
      return state
    }
  }

  /// States of one record: every life with two registers of which some outlive lives.
  static let outlivingStates: [ReplicaState] = someLives.flatMap { life in
    optional(outlivingRegisters).map { register in
      var state = ReplicaState()
      if let life { state.insert(life, for: record) }
      if let register {
        state.insert(register, for: ReplicaState.Key(record: record, address: outlivingAddress))
      }
      return state
    }
  }

  /// The packed record that holds a life and registers of field "a", as a delta would bring it.
  static func fragment(
    life: Life?, _ registers: [LWWRegister], at address: RegisterAddress = RegisterAddress("a")
  ) -> PackedRecord {
    let rules = MergeRules(latestAcceptable: .distantFuture, own: .init(), through: .init())
    var result = RecordPacker.fragment(
      life: life, values: [], precedence: Precedence(timestamp: stamp(1, 1)))
    for register in registers {
      let part = RecordPacker.fragment(
        life: life, values: [(address, register.value)], precedence: register.precedence)
      result = RecordMerger(part, into: result, key: record, rules: rules).result
    }
    return result
  }

  /// Every life with every register.
  static let fragments: [PackedRecord] = someLives.flatMap { life in
    optional(someRegisters).compactMap { register in
      let isWritten = (register?.precedence.life ?? 1) <= (life?.count ?? 1)
      guard isWritten, life != nil || register != nil else { return nil }
      return fragment(life: life, [register].compactMap(\.self))
    }
  }

  /// Every life with every register of an address other than a plain value's.
  static let outlivingFragments: [PackedRecord] = someLives.flatMap { life in
    optional(outlivingRegisters).compactMap { register in
      let isWritten = (register?.precedence.life ?? 1) <= (life?.count ?? 1)
      guard isWritten, life != nil || register != nil else { return nil }
      return fragment(life: life, [register].compactMap(\.self), at: outlivingAddress)
    }
  }
}

/// A packed record as a replica keeps it, whose clock accepts times up to 2: later ones wait in the future slot.
struct PackedState: Lattice {
  static let latestAcceptable = HybridTime(rawValue: 2)
  private(set) var record: PackedRecord

  /// What becomes of a fragment that is merged into nothing.
  init(_ fragment: PackedRecord) {
    record = RecordMerger(fragment, into: nil, key: SmallCases.record, rules: Self.rules()).result
  }

  /// Sends everything that `other` holds.
  mutating func merge(_ other: PackedState) {
    merge(other, latestAcceptable: Self.latestAcceptable)
  }

  /// The same while the clock accepts other times.
  mutating func merge(_ other: PackedState, latestAcceptable: HybridTime) {
    guard let fragment = other.record.fragment(notCoveredBy: VersionVector()) else { return }
    record =
      RecordMerger(
        fragment, into: record, key: SmallCases.record, rules: Self.rules(latestAcceptable)
      ).result
    record.checkInvariants()
  }

  /// The state as a lattice value.
  var state: ReplicaState {
    let part = Delta.RecordPart(key: SmallCases.record, fragment: record)
    return ReplicaState(
      Delta(
        dataset: DatasetID(high: 0, low: 0), from: .init(), through: .init(), records: [part], entries: []))
  }

  private static func rules(_ latestAcceptable: HybridTime = latestAcceptable) -> MergeRules {
    MergeRules(latestAcceptable: latestAcceptable, own: VersionVector(), through: VersionVector())
  }

  /// Small states of an address at which some registers outlive lives, with both slots taken where two allow it.
  static let outlivingCases: [PackedState] = {
    var states: [PackedState] = []
    for fragment in SmallCases.outlivingFragments {
      let state = PackedState(fragment)
      if !states.contains(state) { states.append(state) }
    }
    let single = states
    for left in single.prefix(9) {
      for right in single.prefix(9) {
        let both = left.merging(right)
        if !states.contains(both) { states.append(both) }
      }
    }
    return states
  }()

  /// Small states, with both slots taken where two registers allow it.
  static let cases: [PackedState] = {
    var states: [PackedState] = []
    for fragment in SmallCases.fragments {
      let state = PackedState(fragment)
      if !states.contains(state) { states.append(state) }
    }
    for low in SmallCases.someRegisters.prefix(3) {
      states.append(PackedState(SmallCases.fragment(life: nil, [low])))
      states[states.count - 1].merge(
        PackedState(SmallCases.fragment(life: nil, [SmallCases.someRegisters[3]])))
    }
    return states
  }()
}
