import Rejoin
import RejoinCore
import RejoinTesting
import TestSupport

/// Several versions of one application at work on one data set, each with a replica of its own.
///
/// Times ascend over all replicas, so that the latest write of a field is the last: what must be there at the end is
/// known field by field.
struct SkewMatrix {
  /// What does not hold.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let stores: Stores
  private let versions: [Int]
  private let replicas: [Replica]
  private var generator: SplitMix64
  private var truth: [RecordKey: [FieldName: Value]] = [:]
  private var unknown: [RecordID: Value] = [:]
  private var count = 1
  private(set) var trace: [String] = []
  private(set) var refusals = 0

  private static let unknownAddress = RegisterAddress("title", kind: 9, element: [1])

  init(_ versions: [Int], _ stores: Stores, seed: UInt64) throws {
    self.stores = stores
    self.versions = versions
    generator = SplitMix64(seed: seed)
    replicas = try versions.map { try stores.replica("version \($0)") }
    for (index, version) in versions.enumerated() where version == 2 {
      try replicas[index].declare(TaskVersion.Two.self)
    }
  }

  /// Writes and deltas around the ring in turn, then everybody meets everybody.
  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      stores.clock.advance(milliseconds: 10)
      count += 1
      let index = generator.number(below: replicas.count)
      if generator.succeeds(percent: 25) {
        let next = (index + 1) % replicas.count
        trace.append("version \(versions[index]) sends to \(versions[next])")
        try replicas[next].merge(replicas[index].delta(since: replicas[next].version))
      } else {
        try write(by: index)
      }
    }
    for _ in 0..<2 {
      for index in replicas.indices { try replicas[index].sync(with: replicas[(index + 1) % replicas.count]) }
    }
    for index in replicas.indices { try check(index) }
  }

  // MARK: Writing

  private mutating func write(by index: Int) throws {
    let version = versions[index]
    let id = RecordID.numbered(UInt64(generator.number(below: 4)))
    let key = RecordKey("tasks", id)
    guard try replicas[index].fields(of: id, in: "tasks") != nil else {
      // Two versions that insert one record concurrently would each write all its fields: only the first one does.
      guard truth[key] == nil else { return }
      trace.append("version \(version) inserts \(id.low)")
      return truth[key] = try insert(id, by: index)
    }
    switch generator.number(below: 10) {
    case 0 where version == 3:
      let label = TaskVersion.Label(id: .numbered(UInt64(100 + count)), text: "l\(count)")
      try replicas[index].insert(label)
      truth[RecordKey("labels", label.id)] = ["text": .string(label.text)]
    case 1 where version == 3: try writeUnknown(id, by: index)
    default:
      do {
        let written = try update(id, by: index)
        trace.append("version \(version) writes \(written) of \(id.low)")
        truth[key]?.merge(written) { $1 }
      } catch ReplicaError.undecodable where version == 1 {
        // Version 1 has no idea of sizes that are numbers: it cannot edit such a record, and leaves it as it is.
        refusals += 1
      }
    }
  }

  private func insert(_ id: RecordID, by index: Int) throws -> [FieldName: Value] {
    let title = "t\(count)"
    switch versions[index] {
    case 1:
      try replicas[index].insert(TaskVersion.One(id: id, title: title, size: "\(count)", legacy: "l"))
      return ["title": .string(title), "size": .string("\(count)"), "legacy": "l"]
    case 2:
      try replicas[index].insert(
        TaskVersion.Two(id: id, name: title, size: "\(count)", tag: "g", priority: 5))
      return ["title": .string(title), "size": .string("\(count)"), "tag": "g", "priority": 5]
    default:
      try replicas[index].insert(TaskVersion.Three(id: id, name: title, priority: 6, size: count))
      return ["title": .string(title), "size": .int(Int64(count)), "priority": 6]
    }
  }

  /// Changes one property that the version knows, and says what must be stored of it.
  private mutating func update(_ id: RecordID, by index: Int) throws -> [FieldName: Value] {
    let (replica, count, text) = (replicas[index], count, "x\(count)")
    let property = generator.number(below: 4)
    switch (versions[index], property) {
    case (1, 0), (1, 3):
      try replica.update(TaskVersion.One.self, id) { $0.title = text }
      return ["title": .string(text)]
    case (1, 1):
      try replica.update(TaskVersion.One.self, id) { $0.size = "\(count)" }
      return ["size": .string("\(count)")]
    case (1, _):
      try replica.update(TaskVersion.One.self, id) { $0.legacy = text }
      return ["legacy": .string(text)]
    case (2, 0):
      try replica.update(TaskVersion.Two.self, id) { $0.name = text }
      return ["title": .string(text)]
    case (2, 1):
      try replica.update(TaskVersion.Two.self, id) { $0.size = "\(count)" }
      return ["size": .string("\(count)")]
    case (2, 2):
      try replica.update(TaskVersion.Two.self, id) {
        $0.priority = count + 10
        $0.legacy = text
      }
      return ["priority": .int(Int64(count + 10)), "legacy": .string(text)]
    case (2, _):
      try replica.update(TaskVersion.Two.self, id) { $0.tag = text }
      return ["tag": .string(text)]
    case (_, 0):
      try replica.update(TaskVersion.Three.self, id) { $0.name = text }
      return ["title": .string(text)]
    case (_, 1):
      try replica.update(TaskVersion.Three.self, id) { $0.size = count }
      return ["size": .int(Int64(count))]
    case (_, 2):
      try replica.update(TaskVersion.Three.self, id) { $0.priority = count + 10 }
      return ["priority": .int(Int64(count + 10))]
    case (_, _):
      var task = try replica.get(TaskVersion.Three.self, id)
      task?.tag = text
      if let task { try replica.upsert(task) }
      return ["tag": .string(text)]
    }
  }

  /// Version 3 writes a register of a kind that nobody else knows.
  private mutating func writeUnknown(_ id: RecordID, by index: Int) throws {
    let replica = replicas[index]
    let value = Value.unknown(kind: 0x21, bytes: [UInt8(truncatingIfNeeded: count)])
    let timestamp = Timestamp(
      time: HybridTime(milliseconds: stores.clock.wallMilliseconds, counter: 9),
      replica: ReplicaID(rawValue: 3))
    let fragment = RecordPacker.fragment(
      life: nil, values: [(Self.unknownAddress, value)], precedence: Precedence(timestamp: timestamp))
    var through = replica.version
    through.advance(timestamp.replica, to: timestamp.time)
    try replica.merge(
      Delta(
        dataset: replica.dataset, from: replica.version, through: through,
        records: [Delta.RecordPart(key: RecordKey("tasks", id), fragment: fragment)], entries: []))
    unknown[id] = value
  }

  // MARK: Checking

  private func check(_ index: Int) throws {
    let replica = replicas[index]
    for (key, fields) in truth {
      let found = try replica.fields(of: key.id, in: key.collection)
      guard found == fields else {
        throw Failure(
          description:
            "version \(versions[index]) holds \(String(describing: found)) of \(key.id.low), not \(fields)")
      }
    }
    let registers = try replica.state().registers.registers
    for (id, value) in unknown {
      let found = registers.first { $0.key.record.id == id && $0.key.address == Self.unknownAddress }
      guard found?.value.value == value else {
        throw Failure(description: "version \(versions[index]) lost what it does not know of \(id.low)")
      }
    }
    guard try replica.inspect().findings.isEmpty else { throw Failure(description: "unsound") }
    try checkTypes(index)
  }

  /// Every version reads what it knows, and only version 1 meets records that it cannot read.
  private func checkTypes(_ index: Int) throws {
    let replica = replicas[index]
    let tasks = truth.filter { $0.key.collection == "tasks" }
    func expect(_ isRight: Bool, _ what: String) throws {
      guard isRight else { throw Failure(description: "version \(versions[index]): \(what)") }
    }
    switch versions[index] {
    case 1:
      let list = try replica.all(TaskVersion.One.self)
      let readable = tasks.filter { if case .string? = $0.value["size"] { true } else { false } }
      try expect(Set(list.map(\.id)) == Set(readable.keys.map(\.id)), "reads what has text for a size")
      try expect(list.count + list.undecodable.count == tasks.count, "names the others")
    case 2:
      let list = try replica.all(TaskVersion.Two.self, sort: .ascending("title"), limit: 100)
      try expect(list.count == tasks.count && list.undecodable.isEmpty, "reads all")
      for task in list {
        let fields = tasks[RecordKey("tasks", task.id)] ?? [:]
        try expect(.string(task.name) == fields["title"], "title")
        try expect(.int(Int64(task.priority)) == fields["priority"] ?? 1, "priority")
      }
    default:
      let list = try replica.all(TaskVersion.Three.self, where: .atLeast("title", ""), limit: 100)
      try expect(list.count == tasks.count && list.undecodable.isEmpty, "reads all")
      for task in list {
        let fields = tasks[RecordKey("tasks", task.id)] ?? [:]
        try expect(
          fields["size"] == .int(Int64(task.size)) || fields["size"] == .string("\(task.size)"), "size")
        try expect(.int(Int64(task.priority)) == fields["priority"] ?? 1, "priority")
      }
    }
  }
}
