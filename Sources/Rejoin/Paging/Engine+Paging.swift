import RejoinCore

extension Engine {
  /// What follows in timestamp order on what a replica at `version` has, with what it keeps up to `place`.
  ///
  /// About as many bytes as asked for, and one register or entry at least. Costs what it returns.
  func page(since version: VersionVector, after place: DeltaPlace?, byteLimit: Int) throws -> DeltaPage {
    session.givenThrough = vector[header.replica]
    var run = try ChangeRun(store, notCoveredBy: version, after: place)
    var content = PageContent(store)
    var end: DeltaPlace?
    while let next = run.peek() {
      guard try content.add(next, byteLimit: byteLimit) else {
        end = content.end(before: next)
        break
      }
      try run.advance()
    }
    let delta = Delta(
      dataset: header.dataset, from: version, through: vector, records: content.recordParts,
      entries: content.entries)
    return DeltaPage(delta, after: place, end: end)
  }
}

/// What a page is put together of.
private struct PageContent {
  private let store: any Store
  private var records: [RecordKey: (record: PackedRecord, timestamps: Set<Timestamp>)] = [:]
  private(set) var entries: [Delta.EntryPart] = []
  private var last: ChangeRun.Change?
  private var bytes = 0

  init(_ store: any Store) {
    self.store = store
  }

  /// Adds a change; false where the page is full.
  mutating func add(_ change: ChangeRun.Change, byteLimit: Int) throws -> Bool {
    switch change.key {
    case .record(let key):
      guard let record = try records[key]?.record ?? store.record(key) else { break }
      guard makesRoom(for: record.size(at: change.timestamp), byteLimit) else { return false }
      records[key, default: (record, [])].timestamps.insert(change.timestamp)
    case .entry(let key):
      guard let entry = try store.entry(key) else { break }
      guard makesRoom(for: 48 + Value.map(entry.values).canonicalBytes.count, byteLimit) else {
        return false
      }
      entries.append(Delta.EntryPart(key: key, entry: entry))
    }
    last = change
    return true
  }

  private mutating func makesRoom(for size: Int, _ byteLimit: Int) -> Bool {
    guard last == nil || bytes + size <= byteLimit else { return false }
    bytes += size
    return true
  }

  /// Where the page ends, if it does so before a change.
  func end(before next: ChangeRun.Change) -> DeltaPlace? {
    last.map { last in
      DeltaPlace(last.timestamp, rest: last.timestamp == next.timestamp ? last.key.description : nil)
    }
  }

  var recordParts: [Delta.RecordPart] {
    records.compactMap { key, part in
      part.record.fragment(at: part.timestamps).map { Delta.RecordPart(key: key, fragment: $0) }
    }
  }
}
