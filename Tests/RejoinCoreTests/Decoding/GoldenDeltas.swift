import Foundation
import RejoinCore

/// Deltas whose bytes are committed, by the name of their file: what each format looked like stays as it was.
///
/// A file is never edited. A new format gets a folder of its own beside the others, and a set like this one.
enum GoldenDeltas {
  /// The set of format 1.
  static let formatOne: [(name: String, delta: Delta)] = [
    ("nothing", delta()),
    ("vectors", vectors),
    ("every-kind-of-value", everyKindOfValue),
    ("lives-and-ranks", livesAndRanks),
    ("two-slots-and-newer-kinds", slotsAndNewerKinds),
    ("names-by-bytes", namesByBytes),
    ("times-and-counters", timesAndCounters),
    ("log-entries", logEntries),
    ("many-records-of-few-shapes", manyRecords),
    ("long-and-deep-values", longAndDeep),
    ("counters-and-sets", counted),
  ]

  /// The committed bytes of format 1.
  static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appending(path: "\(name).delta")))
  }

  /// The names of all committed files of format 1.
  static func fileNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
      .filter { $0.hasSuffix(".delta") }.map { String($0.dropLast(6)) }
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/format-1")

  // MARK: The set

  private static let things: Collection = "things"

  private static func delta(
    from: VersionVector = VersionVector(), _ records: [Delta.RecordPart] = [],
    entries: [Delta.EntryPart] = []
  ) -> Delta {
    Delta(
      dataset: DatasetID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210), from: from,
      through: from.merging(.covering(records, entries)), records: records, entries: entries)
  }

  private static func stamp(_ milliseconds: Int64, counter: UInt16 = 0, by replica: UInt64 = 1) -> Timestamp {
    Timestamp(
      time: HybridTime(milliseconds: milliseconds, counter: counter), replica: ReplicaID(rawValue: replica))
  }

  private static func record(
    _ number: UInt64, in collection: Collection = things, _ values: [(RegisterAddress, Value)],
    life: Life? = nil, rank: UInt64 = 0, at timestamp: Timestamp
  ) -> Delta.RecordPart {
    let precedence = Precedence(life: life?.latest ?? 1, rank: rank, timestamp: timestamp)
    return Delta.RecordPart(
      key: RecordKey(collection, RecordID(high: 1, low: number)),
      fragment: RecordPacker.fragment(
        life: life, values: values.map { (address: $0.0, value: $0.1) }, precedence: precedence))
  }

  private static let vectors = Delta(
    dataset: DatasetID(high: 1, low: 2),
    from: VersionVector([
      (ReplicaID(rawValue: 1), HybridTime(milliseconds: 5)),
      (ReplicaID(rawValue: 2), HybridTime(milliseconds: 7, counter: 1)),
      (ReplicaID(rawValue: 3), HybridTime(milliseconds: 9)),
    ]),
    through: VersionVector([
      (ReplicaID(rawValue: 1), HybridTime(milliseconds: 6)),
      (ReplicaID(rawValue: 2), HybridTime(milliseconds: 7, counter: 1)),
      (ReplicaID(rawValue: .max), HybridTime(milliseconds: Limits.wallMilliseconds, counter: .max)),
    ]),
    records: [], entries: [])

  private static let everyKindOfValue = delta([
    record(
      1,
      [
        (RegisterAddress("null"), .null), (RegisterAddress("no"), false), (RegisterAddress("yes"), true),
        (RegisterAddress("small"), 63), (RegisterAddress("large"), 64),
        (RegisterAddress("least"), .int(.min)),
        (RegisterAddress("double"), 1.0), (RegisterAddress("minus zero"), -0.0),
        (RegisterAddress("not a number"), .double(.nan)),
        (RegisterAddress("subnormal"), .double(.leastNonzeroMagnitude)),
        (RegisterAddress("text"), "é"), (RegisterAddress("empty"), ""),
        (RegisterAddress("data"), .data([0, 0xff])), (RegisterAddress("time"), .time(-1)),
        (RegisterAddress("record"), .record(RecordID(high: 1, low: 2))),
        (RegisterAddress("array"), [1, [.null], []]), (RegisterAddress("map"), ["k": ["l": 1.5]]),
        (RegisterAddress("newer"), .unknown(kind: 0x3f, bytes: [1, 2])),
      ], at: stamp(1_700_000_000_000))
  ])

  private static let livesAndRanks = delta([
    record(1, [], life: Life(count: 2, timestamp: stamp(10)), at: stamp(10)),
    record(
      2, [(RegisterAddress("name"), "again")], life: Life(count: 3, timestamp: stamp(11)), at: stamp(11)),
    record(
      3, [(RegisterAddress("name"), "before")], life: Life(count: 4, timestamp: stamp(12, by: 2)),
      at: stamp(9)),
    record(4, [(.existence, true)], at: stamp(13)),
    record(5, [(RegisterAddress("name"), "ranked")], rank: 300, at: stamp(14)),
  ])

  private static let slotsAndNewerKinds: Delta = {
    let field = RegisterAddress("field")
    let element = RegisterAddress("tags", kind: 7, element: [1, 2, 3])
    let rules = MergeRules(
      latestAcceptable: HybridTime(milliseconds: 100), own: VersionVector(), through: VersionVector())
    let ordinary = record(1, [(field, "now"), (element, true)], at: stamp(50))
    let future = record(1, [(field, .unknown(kind: 0x10, bytes: []))], at: stamp(200, by: 2))
    let both = RecordMerger(future.fragment, into: ordinary.fragment, key: ordinary.key, rules: rules).result
    let sent = both.fragment(notCoveredBy: VersionVector()) ?? both
    return delta([Delta.RecordPart(key: ordinary.key, fragment: sent)])
  }()

  private static let namesByBytes = delta([
    record(
      1, [(RegisterAddress("é"), 1), (RegisterAddress("e\u{301}"), 2)], at: stamp(20)),
    record(1, in: "é", [(RegisterAddress("name"), "é")], at: stamp(20)),
    record(1, in: "e\u{301}", [(RegisterAddress("name"), "e\u{301}")], at: stamp(20)),
    record(2, [(RegisterAddress(FieldName(String(repeating: "n", count: 255))), true)], at: stamp(21)),
  ])

  private static let timesAndCounters = delta([
    record(1, [(RegisterAddress("a"), 1)], at: stamp(0, counter: 1)),
    record(2, [(RegisterAddress("a"), 1)], at: stamp(0, counter: .max)),
    record(3, [(RegisterAddress("a"), 1)], at: stamp(1_000)),
    record(4, [(RegisterAddress("a"), 1)], at: stamp(1_000, by: 2)),
    record(5, [(RegisterAddress("a"), 1)], at: stamp(1_000, counter: 3, by: 2)),
    record(6, [(RegisterAddress("a"), 1)], at: stamp(Limits.wallMilliseconds, counter: .max)),
  ])

  private static let logEntries = delta(entries: [
    entry("activity", 1, [:], at: stamp(30)),
    entry("activity", 2, ["what": "opened", "how": [1, 2.5]], at: stamp(30)),
    entry("errors", 3, ["é": 1, "e\u{301}": 2], at: stamp(31, by: 2)),
    entry("activity", 4, ["what": .null], at: stamp(32)),
  ])

  private static func entry(
    _ log: LogName, _ number: UInt64, _ values: ValueMap, at timestamp: Timestamp
  ) -> Delta.EntryPart {
    Delta.EntryPart(
      key: EntryKey(log, EntryID(high: 2, low: number)), entry: LogEntry(values, timestamp: timestamp))
  }

  private static let manyRecords = delta(
    (0..<40).map { (number: UInt64) in
      let short: [(RegisterAddress, Value)] = [(RegisterAddress("name"), 1)]
      let long: [(RegisterAddress, Value)] = [
        (RegisterAddress("name"), .string("number \(number)")), (RegisterAddress("size"), 1.5),
      ]
      return record(
        number, in: Collection("collection \(number / 10 % 3)"), number % 3 == 0 ? short : long,
        at: stamp(Int64(100 + number / 4), counter: UInt16(number % 4), by: 1 + number % 2))
    })

  private static let longAndDeep = delta([
    record(
      1,
      [
        (RegisterAddress("deep"), nested { [$0, 1.5] }),
        (RegisterAddress("maps"), nested { ["": $0, "a": 1] }),
        (RegisterAddress("text"), .string(String(repeating: "é", count: 40))),
        (RegisterAddress("63 bytes"), .string(String(repeating: "a", count: 63))),
        (RegisterAddress("64 bytes"), .string(String(repeating: "a", count: 64))),
        (RegisterAddress("data"), .data([UInt8](repeating: 0xee, count: 200))),
      ], at: stamp(40))
  ])

  private static let counted: Delta = {
    let life = Life(count: 3, timestamp: stamp(52))
    func write(_ address: RegisterAddress, _ value: Value, life: UInt64 = 0, rank: UInt64 = 0)
      -> RegisterWrite
    {
      RegisterWrite(
        address: address, value: value, precedence: Precedence(life: life, rank: rank, timestamp: stamp(52)))
    }
    func mark(_ session: UInt64, _ element: Value? = nil) -> SessionMark {
      SessionMark(session: 0x0102_0304_0506_0700 + session, element: element?.canonicalBytes ?? [])
    }
    let fragment = RecordPacker.fragment(
      life: life,
      writes: [
        write(.existence, true, life: 3),
        write(RegisterAddress(FieldName(""), kind: 3), 3, life: 3),
        write(.tally(of: "visits", mark(1)), 7, rank: 2), write(.tally(of: "visits", mark(3)), -1, rank: 1),
        write(.reset(of: "visits", mark(1)), 7, rank: 2),
        write(.element(of: "labels", mark(3, "x")), true, rank: 3),
        write(.element(of: "labels", mark(3, 64)), .null, rank: 2),
      ])
    return delta([Delta.RecordPart(key: RecordKey(things, RecordID(high: 1, low: 1)), fragment: fragment)])
  }()

  private static func nested(_ level: (Value) -> Value) -> Value {
    (0..<Limits.valueDepth).reduce(Value.null) { inner, _ in level(inner) }
  }
}
