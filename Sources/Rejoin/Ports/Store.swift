import RejoinCore

/// What a store must do for a replica: keep records, logs, the change index and metadata, and commit at once.
///
/// A store is used by one thread at a time. Everything that a write or a merge changes arrives in one
/// ``StoreCommit`` and is applied whole or not at all; what was committed is what reads return, also after the
/// process died. A store decides nothing: it never looks into a packed record but for what it indexes.
package protocol Store: AnyObject {
  /// Who the replica is and how far its clock went; nil when the store is new.
  func header() throws -> StoreHeader?

  /// How much of every replica's history is covered.
  func vector() throws -> VersionVector

  /// Starts a view on one state, so that several reads belong together; a commit of others does not show in it.
  func beginReading() throws

  /// Ends the view.
  func endReading()

  /// Takes the right to write, so that what is read from here on still holds when the commit comes.
  func beginWriting() throws

  /// Applies everything, or nothing and throws; ends the right to write.
  func commit(_ commit: StoreCommit) throws

  /// Gives the right to write back and changes nothing.
  func cancelWriting()

  /// The state of a record, deleted ones included.
  func record(_ key: RecordKey) throws -> PackedRecord?

  /// Calls `body` for every record of a collection, deleted ones included, in order of the ids, and `unreadable`
  /// for each in between that cannot be read.
  func forEachRecord(
    in collection: Collection, _ body: (RecordID, PackedRecord) throws -> Void,
    unreadable: (UnreadableRecord) throws -> Void) throws

  /// The collections that hold a record or were declared, in order.
  func collections() throws -> [Collection]

  /// The state of a log entry.
  func entry(_ key: EntryKey) throws -> LogEntry?

  /// Calls `body` for the entries of a log, in timestamp order.
  func forEachEntry(in log: LogName, _ body: (EntryID, LogEntry) throws -> Void) throws

  /// The logs that hold an entry, in order.
  func logs() throws -> [LogName]

  /// The keys under which something is stored that `vector` does not cover; costs what it returns.
  func changes(notCoveredBy vector: VersionVector) throws -> StoredKeys

  /// The replicas that occur in the change index.
  func origins() throws -> [ReplicaID]

  /// At most `limit` entries of the change index that belong to an origin and come behind a place, in their order.
  func changes(by origin: ReplicaID, after place: ChangePlace, limit: Int) throws -> [ChangePlace]

  /// The records that hold something under `timestamp`.
  func records(at timestamp: Timestamp) throws -> [RecordKey]

  /// The latest time of a replica in the change index that is not after `bound`.
  func latestTime(of replica: ReplicaID, notAfter bound: HybridTime) throws -> HybridTime

  /// The records that hold a waiting register stamped at most `bound`, with its timestamp, in timestamp order.
  func waiting(notAfter bound: HybridTime) throws -> [WaitingRegister]

  /// Calls `body` for the records in which a register that waits under `timestamp` stands beside an ordinary one in
  /// force, until it returns false.
  func forEachRecordHoldingBack(_ timestamp: Timestamp, _ body: (RecordKey) throws -> Bool) throws

  /// The label of an own transaction.
  func label(at time: HybridTime) throws -> String?

  /// The records that no longer are what was committed, as far as the store itself can tell.
  func editedRecords(in collection: Collection) throws -> [RecordKey]

  /// Lets go of what an operating system would not like a suspended application to hold: files and their locks.
  func suspend()

  /// Takes it up again, if it still holds what it held when its header was this one; else it throws and writes nothing.
  func resume(after header: StoreHeader) throws

  /// Makes fields of a collection readable as columns, where the store has such.
  func declare(_ fields: [FieldName], in collection: Collection) throws

  /// The fields declared so far, in order of their declaration.
  func declaredFields(of collection: Collection) throws -> [FieldName]

  /// Makes references of a collection's records known, and finds the children among those that are there.
  func declare(_ references: [Reference], in collection: Collection) throws

  /// The references declared so far.
  func references() throws -> ReferenceTable

  /// The living records that hold the parent's id in a field that refers to its collection, in either slot; costs
  /// what it returns.
  func children(of parent: RecordKey) throws -> [RecordKey]

  /// Calls `body` for every entry of the index of children of a reference; for those who check it.
  func forEachChild(
    in collection: Collection, through field: FieldName,
    _ body: (_ parent: RecordID, _ child: RecordID) throws -> Void) throws

  /// Makes indexes of a collection known, and fills them with the records that are there.
  func declare(_ indexes: [Index], in collection: Collection) throws

  /// Forgets indexes of a collection, with what they hold.
  func remove(_ indexes: [Index], in collection: Collection) throws

  /// The indexes declared so far.
  func indexes() throws -> IndexTable

  /// Calls `body` for the entries of an index whose keys belong to a range, in order of key and id or in the exact
  /// reverse, until it returns false; costs what it calls for.
  ///
  /// Of each living record it holds `PackedRecord.possibleKeys(for:)`.
  func forEachIndexed(
    in collection: Collection, by field: FieldName, within range: KeyRange, descending: Bool,
    _ body: (IndexedRecord) throws -> Bool) throws

  /// What is kept under a key for this device.
  func local(_ key: LocalKey) throws -> String?

  /// Calls `body` for what is kept in a space under `first` and later keys, in order of their bytes, until it returns
  /// false; costs what it calls for.
  func forEachLocal(
    in space: String, from first: [UInt8], _ body: (_ key: [UInt8], _ text: String) throws -> Bool) throws
}

extension Store {
  /// Calls `body` for every record of a collection; the first that cannot be read ends it with an error.
  package func forEachRecord(
    in collection: Collection, _ body: (RecordID, PackedRecord) throws -> Void
  ) throws {
    try forEachRecord(in: collection, body, unreadable: { throw $0.error })
  }

  /// Holds nothing.
  package func suspend() {}

  /// Holds nothing.
  package func resume(after header: StoreHeader) {}
}

/// Who a replica is and how far its clock went.
package struct StoreHeader: Equatable, Sendable {
  /// The replica's id.
  package var replica: ReplicaID
  /// The data set it belongs to.
  package var dataset: DatasetID
  /// Whether the application chose the data set; one that was drawn is exchanged for that of the first peer.
  package var isDatasetChosen: Bool
  /// The last time of its clock.
  package var lastTime: HybridTime
  /// The latest time of a waiting register that has come due; what is not later stays due.
  package var lastDue = HybridTime.zero
  /// How many commits there were: another number means that another process committed.
  package var commits: Int64

  /// Makes a header.
  package init(
    replica: ReplicaID, dataset: DatasetID, isDatasetChosen: Bool, lastTime: HybridTime, commits: Int64
  ) {
    self.replica = replica
    self.dataset = dataset
    self.isDatasetChosen = isDatasetChosen
    self.lastTime = lastTime
    self.commits = commits
  }

  /// Whether a store with the other header can be this one, later: not another replica's, and no older copy.
  package func canBecome(_ later: StoreHeader) -> Bool {
    replica == later.replica && commits <= later.commits && (dataset == later.dataset || !isDatasetChosen)
  }
}

/// Everything that one transaction changes.
package struct StoreCommit {
  /// The header afterwards.
  package var header: StoreHeader
  /// The entries of the vector that moved.
  package var vector: [VersionVector.Entry] = []
  /// The records that changed.
  package var records: [RecordWrite] = []
  /// The log entries that are new, replaced or, in the ledger and where a log is erased, gone.
  package var entries: [EntryWrite] = []
  /// The fields that local writes used: they become columns, where the store has such.
  package var declarations: [(collection: Collection, fields: [FieldName])] = []
  /// The references of the record types that a local transaction used.
  package var references: [(collection: Collection, references: [Reference])] = []
  /// The indexes of the record types that a local transaction used.
  package var indexes: [(collection: Collection, indexes: [Index])] = []
  /// The label of a local transaction.
  package var label: (time: HybridTime, text: String)?
  /// What is kept for this device.
  package var local: [LocalWrite] = []
  /// The waiting registers that came due and were told.
  package var due: [WaitingRegister] = []

  /// Starts the commit that follows a state with this header.
  package init(after header: StoreHeader) {
    self.header = header
    self.header.commits += 1
  }

  /// A record before and after.
  package struct RecordWrite {
    /// Which record.
    package var key: RecordKey
    /// What is stored now.
    package var old: PackedRecord?
    /// What shall be stored.
    package var new: PackedRecord
    /// The registers of `new` that show; none when the record is not visible.
    package var shown: [PackedRegister]

    /// Makes a write.
    package init(key: RecordKey, old: PackedRecord?, new: PackedRecord, shown: [PackedRegister]) {
      self.key = key
      self.old = old
      self.new = new
      self.shown = shown
    }
  }

  /// A log entry before and after.
  package struct EntryWrite {
    /// Which entry.
    package var key: EntryKey
    /// What is stored now.
    package var old: LogEntry?
    /// What shall be stored; nil when it shall go.
    package var new: LogEntry?

    /// Makes a write.
    package init(key: EntryKey, old: LogEntry?, new: LogEntry?) {
      self.key = key
      self.old = old
      self.new = new
    }
  }
}

/// Keys of records and log entries, each once.
package struct StoredKeys {
  /// The records.
  package var records: [RecordKey] = []
  /// The log entries.
  package var entries: [EntryKey] = []

  /// Makes an empty list.
  package init() {}
}

/// A register that waits in the future slot.
package struct WaitingRegister: Hashable, Comparable, Sendable {
  /// Its timestamp.
  package var timestamp: Timestamp
  /// Its record.
  package var record: RecordKey

  /// Makes one.
  package init(timestamp: Timestamp, record: RecordKey) {
    self.timestamp = timestamp
    self.record = record
  }

  /// Whether `left` comes due first.
  package static func < (left: WaitingRegister, right: WaitingRegister) -> Bool {
    left.timestamp == right.timestamp ? left.record < right.record : left.timestamp < right.timestamp
  }
}
