import Rejoin
import RejoinCore
import TestSupport

/// A random history of two devices, one of them with a clock that is ahead, in whose course records wait, are deleted,
/// restored and orphaned; queries of every kind are asked along the way.
struct QueryHistory {
  /// What two ways of asking say differently.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  static let collection: Collection = "cards"
  static let fields: [FieldName] = ["a", "b", "board"]
  static let long = String(repeating: "x", count: 70)
  static let values: [Value] = [
    .null, true, 0, .double(-0.0), 1, 1.0, 2, .int((1 << 53) + 1), .double(0x1p53), .double(.nan), .time(1),
    "", "a", "é", "e\u{301}", .string(long), .string(long + "a"), .string(long + "b"), .data([0]),
    .record(.numbered(101)), .record(.numbered(102)), [1, "a"], ["k": .null],
  ]

  private var generator: SplitMix64
  private let stores: Stores
  private let ahead = FixtureEnvironment(ahead: 3_600_000)
  private var devices: [Replica]
  private(set) var trace: [String] = []

  init(seed: UInt64, _ stores: Stores) throws {
    generator = SplitMix64(seed: seed)
    self.stores = stores
    devices = [try stores.replica("one"), try stores.replica("two", clock: ahead)]
    // One has its indexes from the start, the other gets them when there is something in it.
    try declare(on: devices[0], [Index("a"), Index("board")])
  }

  private func declare(on replica: Replica, _ indexes: [Index]) throws {
    try replica.declare([Reference("board", to: "boards")], in: Self.collection)
    try replica.declare(indexes, in: Self.collection)
  }

  mutating func run(steps: Int) throws {
    for step in 0..<steps {
      if step == steps / 2 { try declare(on: devices[1], [Index("a"), Index("b")]) }
      if step == steps * 3 / 4 { try devices[0].remove([Index("board"), Index("b")], in: Self.collection) }
      try take()
      for device in devices { try check(device) }
    }
    for device in devices {
      try device.tellDue()
      guard try device.inspect().findings.isEmpty else {
        throw Failure(description: "\(try device.inspect().findings)")
      }
    }
  }

  private mutating func take() throws {
    let index = generator.number(below: 2)
    let id = RecordID.numbered(UInt64(1 + generator.number(below: 6)))
    let board = RecordID.numbered(UInt64(101 + generator.number(below: 2)))
    switch generator.number(below: 20) {
    case 0..<8: attempt("\(index) put \(id.low)") { try put($0, drawFields(), id, Self.collection) }
    case 8..<10: attempt("\(index) delete \(id.low)") { try $0.delete(id, in: Self.collection) }
    case 10..<12: attempt("\(index) restore \(id.low)") { try $0.restore(id, in: Self.collection) }
    case 12: attempt("\(index) delete board") { try $0.delete(board, in: "boards") }
    case 13..<15:
      attempt("\(index) board") { replica in
        do { try replica.restore(board, in: "boards") } catch is ReplicaError {
          try put(replica, ["title": "x"], board, "boards")
        }
      }
    case 15..<18:
      trace.append("\(index) merges")
      try devices[index].merge(devices[1 - index].delta(since: devices[index].version))
    case 18:
      trace.append("an hour passes")
      stores.clock.advance(milliseconds: 1_800_000)
      ahead.advance(milliseconds: 1_800_000)
    default:
      trace.append("a moment passes")
      stores.clock.advance(milliseconds: 10)
    }
    func attempt(_ what: String, _ body: (Replica) throws -> Void) {
      trace.append(what)
      try? body(devices[index])
    }
    func put(_ replica: Replica, _ fields: [FieldName: Value], _ id: RecordID, _ collection: Collection)
      throws
    {
      trace.append("  \(fields)")
      do { try replica.set(fields, id: id, in: collection) } catch ReplicaError.recordNotVisible {
        try replica.insert(fields, id: id, in: collection)
      }
    }
  }

  private mutating func drawFields() -> [FieldName: Value] {
    var fields: [FieldName: Value] = [:]
    for _ in 0..<generator.number(below: 3) {
      fields[generator.element(of: Self.fields)] = generator.element(of: Self.values)
    }
    return fields
  }

  // MARK: Asking

  /// Asks all there is and then some: every answer must be that of the plain way.
  private mutating func check(_ replica: Replica) throws {
    let all = try replica.records(in: Self.collection)
    for _ in 0..<4 {
      let query = drawQuery()
      let found = try replica.records(
        in: Self.collection, where: query.condition, sort: query.sort, limit: query.limit)
      guard found == query.result(of: all) else {
        let plan = try replica.plan(
          in: Self.collection, where: query.condition, sort: query.sort, limit: query.limit)
        throw Failure(
          description: """
            \(query) by \(plan) finds \(found.map(\.id.low)), of \(all.map { ($0.id.low, $0.fields) }) these: \
            \(query.result(of: all).map(\.id.low))
            """)
      }
    }
  }

  private mutating func drawQuery() -> NaiveQuery {
    var query = NaiveQuery()
    for _ in 0..<generator.element(of: [0, 1, 1, 1, 2]) { query.tests.append(drawTest()) }
    if generator.succeeds(percent: 60) {
      query.sort = Sort(
        by: generator.element(of: Self.fields), isDescending: generator.succeeds(percent: 50))
    }
    if generator.succeeds(percent: 60) { query.limit = generator.number(below: 5) }
    return query
  }

  private mutating func drawTest() -> NaiveQuery.Test {
    let field = generator.element(of: Self.fields)
    let values = (0..<generator.number(below: 4)).map { _ in generator.element(of: Self.values) }
    let (first, second) = (generator.element(of: Self.values), generator.element(of: Self.values))
    return switch generator.number(below: 7) {
    case 0: .isNull(field)
    case 1: .oneOf(field, values)
    case 2: .atLeast(field, first)
    case 3: .atMost(field, first)
    case 4: .between(field, first, second)
    default: .oneOf(field, [first])
    }
  }
}
