import RejoinCore
package import RejoinTesting

/// The lattice of a whole replica, as a type that merges states.
package struct StateSubject: StateBased, RecordKeeping {
  private static let log: LogName = "log"
  private let number: Int
  private var clock = HybridClock()
  private var state = ReplicaState()

  package init(replica number: Int, of count: Int) { self.number = number }

  package func operation(_ choices: inout Choices) -> Edit {
    Edit.draw(&choices, over: observation, writer: number, .lattice)
  }

  package mutating func apply(_ edit: Edit, clockMilliseconds: Int64) {
    let timestamp = clock.stamp(number, clockMilliseconds)
    perform(edit, at: timestamp)
    guard case .append(let text) = edit else { return }
    let id = EntryID(high: timestamp.replica.rawValue, low: timestamp.time.rawValue)
    state.insert(
      LogEntry(["text": .string(text)], timestamp: timestamp), for: EntryKey(Self.log, id))
  }

  package mutating func merge(_ other: StateSubject) {
    state.merge(other.state)
    clock.observe(other.clock.last)
  }

  package var observation: Content {
    let entries = state.logs.entries.values.sorted { $0.timestamp < $1.timestamp }
    return Content(records: records, log: entries.compactMap(\.text))
  }

  package static func expected(after edits: [Edit]) -> Content? { Notebook.content(after: edits) }

  package static func objection(to content: Content, after past: Past<Edit>) -> String? {
    Causality.objection(to: content, after: past)
  }

  // MARK: Records

  private func key(_ record: Int) -> RecordKey { RecordKey("things", RecordID(high: 0, low: UInt64(record))) }

  func life(of record: Int) -> Life? { state.tombstones[key(record)] }

  func registers(of record: Int) -> [RegisterAddress: LWWRegister] {
    let latest = life(of: record)?.latest ?? 1
    return state.registers.registers.reduce(into: [:]) { registers, item in
      if item.key.record == key(record), item.value.precedence.life == latest {
        registers[item.key.address] = item.value
      }
    }
  }

  mutating func join(
    _ life: Life?, _ values: [RegisterAddress: Value], at timestamp: Timestamp, of record: Int
  ) {
    if let life { state.insert(life, for: key(record)) }
    let precedence = Precedence(life: life?.count ?? 1, timestamp: timestamp)
    for (address, value) in values {
      state.insert(
        LWWRegister(value, precedence: precedence),
        for: ReplicaState.Key(record: key(record), address: address))
    }
  }
}

extension HybridClock {
  /// A new timestamp of a replica.
  mutating func stamp(_ replica: Int, _ wallMilliseconds: Int64) -> Timestamp {
    Timestamp(
      time: tick(wallMilliseconds: wallMilliseconds), replica: ReplicaID(rawValue: UInt64(replica) + 1))
  }
}
