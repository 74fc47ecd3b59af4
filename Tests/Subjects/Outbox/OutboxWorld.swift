import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting

/// Devices that write offline, meet each other, and exchange with one plain server over a bad network.
package struct OutboxWorld {
  /// What a history came to.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  private struct Device {
    var environment: SimulatedEnvironment
    var outbox: Outbox
    var cycle: SyncCycle?
    var offset: Int64
    /// The records that somebody wrote at this device, and the fields of those that were there already.
    var written: Set<String> = []
    /// The keys under which entries are on their way, by record.
    var keys: [String: String] = [:]
    /// What a cache on the way may answer with.
    var cached: HTTPResponse?
  }

  private var devices: [Device] = []
  private var server: ModelServer
  private var generator: SplitMix64
  private var wall: Int64 = 1_700_000_000_000
  private var appended = 0
  /// Whether everything is about one record that comes and goes.
  private let isNarrow: Bool
  private var trace: [String] = []
  private static let collection: Collection = "notes"
  private static let log: LogName = "visits"

  private init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    server = ModelServer(wallMilliseconds: wall, isStrict: SplitMix64.flip(&generator))
    isNarrow = SplitMix64.flip(&generator)
    let count = 2 + Int(generator.next() % 3)
    for number in 0..<count {
      let environment = SimulatedEnvironment(wallMilliseconds: wall, seed: seed &* 31 &+ UInt64(number))
      let offsets: [Int64] = [0, 0, 120_000, -120_000]
      let replica = Replica(configuration: environment.configuration())
      let outbox = Outbox(
        replica, configuration: OutboxConfiguration(logs: [Self.log], batchLimit: 4, attemptLimit: 1_000))
      devices.append(
        Device(environment: environment, outbox: outbox, offset: offsets[Int(generator.next() % 4)]))
    }
  }

  private mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

  private mutating func pass(_ milliseconds: Int64) {
    wall += milliseconds
    server.wallMilliseconds = wall
    for device in devices { device.environment.wallMilliseconds = wall + device.offset }
  }

  /// Runs one history of so many steps, and lets everybody settle.
  ///
  /// - Returns: what the devices did, a line each.
  @discardableResult
  package static func run(seed: UInt64, steps: Int) throws -> [String] {
    var world = OutboxWorld(seed: seed)
    do {
      for _ in 0..<steps { try world.step() }
      try world.settle()
      try world.check()
    } catch {
      throw Failure(
        description: "OutboxWorld.run(seed: \(seed), steps: \(steps)): \(error)\n"
          + world.trace.joined(separator: "\n"))
    }
    return world.trace
  }

  // MARK: Steps

  private mutating func step() throws {
    pass(Int64(below(3_000)))
    let number = below(devices.count)
    switch below(100) {
    case ..<30: try write(at: number)
    case ..<75: try exchange(at: number)
    case ..<85: try meet(number, below(devices.count))
    case ..<97: editServer()
    case ..<99: devices[number].cycle = nil
    default: if below(4) == 0 { server.changeEpoch() }
    }
  }

  private mutating func write(at number: Int) throws {
    let replica = devices[number].outbox.replica
    let visible = try replica.records(in: Self.collection).map(\.id)
    let value = Value.int(Int64(below(4)))
    let field = FieldName(["a", "b"][below(2)])
    switch isNarrow && below(2) == 0 ? 1 + below(2) : below(10) {
    case 0 where visible.count < (isNarrow ? 1 : 4):
      let id = replica.newID()
      trace.append("\(number) inserts \(id)")
      devices[number].written.insert(id.description)
      devices[number].written.insert("\(id)/a")
      try replica.insert(["a": value], id: id, in: Self.collection)
    case 1:
      guard !visible.isEmpty else { return }
      let id = visible[below(visible.count)]
      trace.append("\(number) deletes \(id)")
      devices[number].written.insert(id.description)
      try replica.delete(id, in: Self.collection)
    case 2:
      let deleted = try replica.records(in: Self.collection, includingDeleted: true).map(\.id)
        .filter { !visible.contains($0) }
      guard !deleted.isEmpty else { return }
      let id = deleted[below(deleted.count)]
      trace.append("\(number) restores \(id)")
      devices[number].written.insert(id.description)
      for field in ["a", "b", "corrected"] { devices[number].written.insert("\(id)/\(field)") }
      try replica.restore(id, in: Self.collection)
    case 3:
      appended += 1
      try replica.append(["number": .int(Int64(appended))], to: Self.log)
    default:
      guard !visible.isEmpty else { return }
      let id = visible[below(visible.count)]
      trace.append("\(number) sets \(field) of \(id) to \(value)")
      devices[number].written.insert(id.description)
      devices[number].written.insert("\(id)/\(field)")
      try replica.set([field: value], id: id, in: Self.collection)
    }
  }

  /// One request of a device's exchange, or the taking in of an answer that may never have come.
  private mutating func exchange(at number: Int) throws {
    let fault = below(3) == 0 ? ModelServer.Fault.allCases[below(ModelServer.Fault.allCases.count)] : .none
    var cycle = devices[number].cycle ?? devices[number].outbox.cycle()
    devices[number].cycle = nil
    guard let request = try cycle.next() else { return }
    if request.method == "POST" {
      trace.append("\(number) sends \(String(decoding: request.body, as: UTF8.self)) \(fault)")
      try check(request, from: number)
    }
    var response = server.answer(request, fault: fault)
    if request.method == "GET" {
      if below(12) == 0, let cached = devices[number].cached { response = cached }
      if response?.status == 200 { devices[number].cached = response }
    }
    // The process dies before it has taken in the answer.
    guard below(10) != 0 else { return trace.append("\(number) dies") }
    if request.method == "GET", let response {
      trace.append("\(number) gets \(String(decoding: response.body, as: UTF8.self))")
    }
    if response != nil { devices[number].keys = [:] }
    do {
      try cycle.receive(response)
    } catch OutboxError.pullDoesNotMove {
      return
    }
    devices[number].cycle = cycle
  }

  private mutating func meet(_ left: Int, _ right: Int) throws {
    guard left != right else { return }
    trace.append("\(left) meets \(right)")
    try devices[left].outbox.replica.sync(with: devices[right].outbox.replica)
  }

  private mutating func editServer() {
    let rows = (server.rows[Self.collection.text] ?? [:]).sorted { $0.key < $1.key }
    let value = JSON.int(Int64(below(4)))
    guard !rows.isEmpty, below(8) != 0 else {
      let id = "s\(below(isNarrow ? 1 : 3))"
      trace.append("server inserts \(id)")
      return server.edit(Self.collection.text, id, ["a": value])
    }
    let row = rows[below(rows.count)]
    let isDeletion = below(8) == 0 || row.value.isDeleted && below(4) != 0
    guard !(isDeletion && row.value.isDeleted) else { return }
    trace.append("server \(isDeletion ? "deletes" : "sets \(value) of") \(row.key)")
    server.edit(Self.collection.text, row.key, isDeletion ? nil : ["a": value])
  }

  // MARK: Settling

  /// Everybody exchanges over a good network and meets everybody, until nothing more happens.
  private mutating func settle() throws {
    for round in 0..<40 {
      pass(BackOffPatience.milliseconds)
      var isQuiet = true
      for number in devices.indices {
        // What was refused only because the network lied is sent again by hand.
        for letter in try devices[number].outbox.deadLetters() {
          try devices[number].outbox.retry(letter.entry.id)
        }
        for _ in 0..<2 {
          let report = try fullCycle(at: number)
          if report.push.requests > 0 || report.pull.rows > 0 { isQuiet = false }
        }
      }
      for left in devices.indices {
        for right in devices.indices where left < right {
          let (here, there) = try devices[left].outbox.replica.sync(with: devices[right].outbox.replica)
          if !here.changes.isEmpty || !there.changes.isEmpty { isQuiet = false }
        }
      }
      if isQuiet { return }
      trace.append("round \(round) of settling")
    }
    throw Failure(description: "it never comes to rest")
  }

  private mutating func fullCycle(at number: Int) throws -> CycleReport {
    var cycle = devices[number].outbox.cycle()
    devices[number].cycle = nil
    var requests = 0
    while let request = try cycle.next() {
      requests += 1
      guard requests < 200 else { throw Failure(description: "device \(number) never ends its exchange") }
      if request.method == "POST" {
        trace.append("\(number) sends \(String(decoding: request.body, as: UTF8.self))")
        try check(request, from: number)
      }
      let response = server.answer(request, fault: .none)
      if request.method == "GET", let response, response.body.count > 80 {
        trace.append("\(number) gets \(String(decoding: response.body, as: UTF8.self))")
      }
      devices[number].keys = [:]
      try cycle.receive(response)
    }
    return cycle.report
  }

  private enum BackOffPatience {
    static let milliseconds: Int64 = 120_000
  }

  // MARK: Checks

  /// A device sends what was written at it and nothing else, and what may have arrived under the key that it had.
  private mutating func check(_ request: HTTPRequest, from number: Int) throws {
    guard case .array(let entries)? = try JSON(parsing: request.body)["mutations"] else { return }
    for entry in entries {
      guard case .string(let id)? = entry["entity_id"], case .string(let key)? = entry["op_id"] else {
        continue
      }
      let record = (RecordID(id) ?? .derived(from: id, in: Self.collection.text)).description
      guard entry["entity"] != .string(Self.collection.text) || devices[number].written.contains(record)
      else {
        throw Failure(description: "device \(number) sends \(id), which nobody wrote at it")
      }
      if entry["op"] == "update", case .object(let payload)? = entry["payload"] {
        for member in payload where !devices[number].written.contains("\(record)/\(member.name)") {
          throw Failure(
            description: "device \(number) sends \(member.name) of \(id), which nobody wrote at it")
        }
      }
      guard devices[number].keys.updateValue(key, forKey: record) ?? key == key else {
        throw Failure(description: "device \(number) sends \(id) under a new key before it has an answer")
      }
    }
  }

  private func check() throws {
    let rows = (server.rows[Self.collection.text] ?? [:]).filter { !$0.value.isDeleted }
    for (number, device) in devices.enumerated() {
      let replica = device.outbox.replica
      let status = try device.outbox.status()
      guard status.isSynced else { throw Failure(description: "device \(number) still has \(status)") }
      var shown: [RecordID: [String: JSON]] = [:]
      for record in try replica.records(in: Self.collection) {
        // A row has all its columns; here a field may never have been written.
        shown[record.id] = Dictionary(
          uniqueKeysWithValues: record.fields.map { ($0.key.text, $0.value.json) }.filter { $0.1 != .null })
      }
      var expected: [RecordID: [String: JSON]] = [:]
      for (id, row) in rows {
        expected[RecordID(id) ?? .derived(from: id, in: Self.collection.text)] = row.fields.filter {
          $0.value != .null
        }
      }
      guard shown == expected else {
        throw Failure(description: "device \(number) shows \(shown), the server \(expected)")
      }
    }
    try checkLog()
    guard server.applied.values.allSatisfy({ $0 == 1 }) else {
      throw Failure(description: "an operation was carried out twice")
    }
  }

  private func checkLog() throws {
    let rows = server.rows[Self.log.text] ?? [:]
    let numbers = rows.values.compactMap { $0.fields["number"] }
    guard numbers.count == appended, Set(numbers).count == appended else {
      throw Failure(description: "the server has \(numbers.count) of \(appended) log entries")
    }
    for device in devices where try device.outbox.replica.log(Self.log).count != appended {
      throw Failure(description: "a device lacks log entries")
    }
  }
}

extension SplitMix64 {
  fileprivate static func flip(_ generator: inout SplitMix64) -> Bool { generator.next() & 1 == 0 }
}
