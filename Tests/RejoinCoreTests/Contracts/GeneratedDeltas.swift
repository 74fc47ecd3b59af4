import RejoinCore
import TestSupport

/// Deltas of every shape from seeds: few names and replicas, awkward values, lives, ranks, unknown kinds.
struct GeneratedDeltas {
  private var generator: SplitMix64

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  private static let names = ["a", "b", "é", "e\u{301}", String(repeating: "n", count: Limits.nameBytes)]
  private static let values: [Value] = [
    .null, true, 0, 64, -1, .int(.min), 1.0, .double(.nan), "", "text", "é",
    .string(String(repeating: "s", count: 70)),
    .data([0, 255]), .time(-1), .record(RecordID(high: 1, low: 2)), [1, [.null]], ["k": ["l": 1.0]],
    .unknown(kind: 0x3f, bytes: [1, 2]),
  ]

  /// A delta with up to `size` records and as many log entries.
  mutating func delta(size: Int = 5) -> Delta {
    var records: [RecordKey: PackedRecord] = [:]
    for _ in 0..<generator.number(below: size + 1) {
      let key = RecordKey(Collection(name()), RecordID(high: 1, low: UInt64(generator.number(below: 100))))
      records[key] = fragment()
    }
    var entries: [EntryKey: LogEntry] = [:]
    for _ in 0..<generator.number(below: size + 1) {
      let key = EntryKey(LogName(name()), EntryID(high: 2, low: UInt64(generator.number(below: 100))))
      entries[key] = LogEntry(["value": value(), name(): value()], timestamp: stamp())
    }
    let parts = records.map { Delta.RecordPart(key: $0.key, fragment: $0.value) }
    let entryParts = entries.map { Delta.EntryPart(key: $0.key, entry: $0.value) }
    return Delta(
      dataset: DatasetID(high: generator.next(), low: generator.next()), from: vector(),
      through: vector().merging(.covering(parts, entryParts)), records: parts, entries: entryParts)
  }

  /// The same delta, made of its parts in another order.
  mutating func reordered(_ delta: Delta) -> Delta {
    Delta(
      dataset: delta.dataset, from: delta.from, through: delta.through,
      records: generator.shuffled(Array(delta.records)), entries: generator.shuffled(Array(delta.entries)))
  }

  private mutating func name() -> String { generator.element(of: Self.names) }

  private mutating func value() -> Value { generator.element(of: Self.values) }

  private mutating func stamp() -> Timestamp {
    let times: [UInt64] = [1, 2, 0xffff, 0x1_0000, 0x1_0001, 0x7fff_ffff_ffff_fffe, 0x7fff_ffff_ffff_ffff]
    return Timestamp(
      time: HybridTime(rawValue: generator.element(of: times)),
      replica: ReplicaID(rawValue: UInt64(1 + generator.number(below: 3))))
  }

  private mutating func vector() -> VersionVector {
    VersionVector((0..<generator.number(below: 4)).map { _ in stamp() }.map { ($0.replica, $0.time) })
  }

  private mutating func fragment() -> PackedRecord {
    let life =
      generator.succeeds(percent: 40)
      ? Life(count: UInt64(3 + generator.number(below: 3)), timestamp: stamp()) : nil
    let rules = MergeRules(latestAcceptable: .distantFuture, own: .init(), through: .init())
    var result: PackedRecord?
    for _ in 0..<(life == nil ? 1 : 0) + generator.number(below: 4) {
      let address = RegisterAddress(
        FieldName(name()), kind: generator.succeeds(percent: 80) ? 0 : 7, element: [1, 2])
      let lives: [UInt64] = (address.kind == 0 ? [] : [0]) + (life == nil ? [1] : [1, 3])
      let precedence = Precedence(
        life: lives.count > 1 ? generator.element(of: lives) : 1, rank: UInt64(generator.number(below: 2)),
        timestamp: stamp())
      let part = RecordPacker.fragment(life: nil, values: [(address, value())], precedence: precedence)
      result = RecordMerger(part, into: result, key: SmallCases.record, rules: rules).result
    }
    guard let life else { return result ?? SmallCases.fragments[0] }
    let bare = RecordPacker.fragment(
      life: life, values: [], precedence: Precedence(timestamp: life.timestamp))
    return RecordMerger(bare, into: result, key: SmallCases.record, rules: rules).result
  }
}

extension VersionVector {
  /// The vector of a sender that holds these parts and nothing else.
  static func covering(_ records: [Delta.RecordPart], _ entries: [Delta.EntryPart]) -> VersionVector {
    let timestamps = records.flatMap(\.fragment.timestamps) + entries.map(\.entry.timestamp)
    return VersionVector(timestamps.map { ($0.replica, $0.time) })
  }
}
