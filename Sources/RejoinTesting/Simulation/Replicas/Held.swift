import Rejoin
import RejoinCore

/// All that a replica holds, record by record and entry by entry.
///
/// What has not changed since it was last read, or was found to be what another replica holds, is one object. So looking
/// for what differs costs in proportion to what differs.
package struct Held: Sendable {
  private struct Arrival: Sendable {
    var time: HybridTime
    var key: EntryKey
  }

  private(set) var records: [RecordKey: HeldRecord] = [:]
  private(set) var entries: [EntryKey: LogEntry] = [:]

  /// The entries of each writer in order of their times.
  private var arrivals: [ReplicaID: [Arrival]] = [:]

  /// A sum over the library's own logs, of which the digest knows nothing.
  private(set) var ledgerFingerprint: UInt64 = 0
  private var logDigest: Digest
  private let dataset: DatasetID

  /// Reads everything.
  init(reading store: any Store, dataset: DatasetID) throws {
    self.dataset = dataset
    logDigest = Digest(dataset: dataset)
    for collection in try store.collections() {
      try store.forEachRecord(in: collection) { id, record in
        let key = RecordKey(collection, id)
        records[key] = HeldRecord(record, at: key, dataset: dataset)
      }
    }
    for log in try store.logs() {
      try store.forEachEntry(in: log) { set($1, at: EntryKey(log, $0)) }
    }
  }

  /// Reads some things anew; a record that is stored as another replica holds it becomes the same object.
  mutating func read(_ touched: StoreProbe.Touched, of store: any Store, like other: Held?) throws {
    for key in touched.records {
      guard let record = try store.record(key) else {
        records[key] = nil
        continue
      }
      let known = [records[key], other?.records[key]].compactMap(\.self).first { $0.packed == record }
      records[key] = known ?? HeldRecord(record, at: key, dataset: dataset)
    }
    for key in touched.entries { set(try store.entry(key), at: key) }
  }

  private mutating func set(_ entry: LogEntry?, at key: EntryKey) {
    let old = entries[key]
    guard entry != old else { return }
    entries[key] = entry
    if key.log.isReserved {
      ledgerFingerprint &-= old.map { Self.fingerprint($0, at: key) } ?? 0
      ledgerFingerprint &+= entry.map { Self.fingerprint($0, at: key) } ?? 0
    } else if old == nil, let entry {
      logDigest.add(entry, at: key)
    } else {
      // Entries of logs never change unless something is wrong.
      logDigest = Digest(dataset: dataset)
      for (key, entry) in entries { logDigest.add(entry, at: key) }
    }
    guard let timestamp = entry?.timestamp else { return }
    var all = arrivals.removeValue(forKey: timestamp.replica) ?? []
    let place = all.lastIndex { $0.time <= timestamp.time }.map { $0 + 1 } ?? 0
    all.insert(Arrival(time: timestamp.time, key: key), at: place)
    arrivals[timestamp.replica] = all
  }

  /// A number that stands for an entry of the ledger.
  private static func fingerprint(_ entry: LogEntry, at key: EntryKey) -> UInt64 {
    let mixed = (key.id.high ^ entry.timestamp.time.rawValue) &* 0x9e37_79b9_7f4a_7c15
    return (mixed ^ key.id.low ^ entry.timestamp.replica.rawValue) &* 0xff51_afd7_ed55_8ccd
  }

  /// The digest, summed up from its parts.
  var digest: Digest { records.values.reduce(into: logDigest) { $0.add($1.digest) } }

  /// The entries that a vector does not cover.
  func entries(notCoveredBy vector: VersionVector) -> [EntryKey] {
    arrivals.flatMap { writer, all in
      all.reversed().prefix { $0.time > vector[writer] }.map(\.key)
    }
  }

  /// Whether this is what another one holds or less.
  func isBelow(_ other: Held) -> Bool {
    records.allSatisfy { key, mine in
      other.records[key].map { $0 === mine || $0.isJoin(of: mine, and: $0) } ?? false
    }
      && entries.allSatisfy { key, mine in other.entries[key].map { mine.merging($0) == $0 } ?? false }
  }

  /// The records of which this is not what was read before.
  func records(changedSince before: Held) -> Set<RecordKey> {
    Set(records.keys.filter { records[$0] !== before.records[$0] })
      .union(before.records.keys.filter { records[$0] == nil })
  }
}

extension Held: Equatable {
  /// Whether both hold the same, whichever objects that is.
  package static func == (left: Held, right: Held) -> Bool {
    left.records == right.records && left.entries == right.entries
  }
}
