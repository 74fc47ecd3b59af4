import RejoinCore

/// Decides which registers show, at one moment and over one state of the store.
///
/// It remembers what it found out about transactions from the future, so that a large one is asked about once.
final class Visibility {
  /// What is stamped later has not come due.
  let latestAcceptable: HybridTime

  /// What refers to what.
  let references: ReferenceTable

  /// What was found out about records and their ancestors.
  var isVisibleByKey: [RecordKey: Bool] = [:]

  private let store: any Store
  private let pending: [RecordKey: PackedRecord]
  private var early: [Timestamp: Bool] = [:]

  /// The transactions that a pending record holds back.
  private lazy var heldBackByPending: Set<Timestamp> = {
    var timestamps = Set<Timestamp>()
    for record in pending.values {
      for (timestamp, isHeldBack) in record.waitingTransactions where isHeldBack {
        timestamps.insert(timestamp)
      }
    }
    return timestamps
  }()

  init(
    store: any Store, latestAcceptable: HybridTime, pending: [RecordKey: PackedRecord],
    references: ReferenceTable
  ) {
    self.store = store
    self.references = references
    self.latestAcceptable = latestAcceptable
    self.pending = pending
  }

  /// The state of a record, pending writes included.
  func record(_ key: RecordKey) throws -> PackedRecord? {
    try pending[key] ?? store.record(key)
  }

  /// The registers of a record that show, whatever its parents.
  func shown(_ record: PackedRecord) throws -> [PackedRegister] {
    try record.shown(latestAcceptable: latestAcceptable, showsEarly: showsEarly)
  }

  /// Whether no address of a transaction that has not come due has anything else to show: only then does it show
  /// early, so that it never shows in part.
  func showsEarly(_ timestamp: Timestamp) throws -> Bool {
    if let known = early[timestamp] { return known }
    var isHeldBack = heldBackByPending.contains(timestamp)
    if !isHeldBack {
      try store.forEachRecordHoldingBack(timestamp) { key in
        isHeldBack = pending[key] == nil
        return !isHeldBack
      }
    }
    early[timestamp] = !isHeldBack
    return !isHeldBack
  }
}
