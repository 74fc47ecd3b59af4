public import RejoinCore

/// Why a replica refused; its state is as it was before.
@nonexhaustive
public enum ReplicaError: Error, Hashable, Sendable {
  /// The delta starts further than this replica has come: `missing` says what lies between. Ask the sender for
  /// a delta since this replica's version.
  case gap(replica: ReplicaID, missing: VersionVector)

  /// The delta belongs to another data set, and neither side is empty.
  case differentDataset(replica: ReplicaID, own: DatasetID, other: DatasetID)

  /// Another replica writes under this replica's id: its store was copied, or this one restored from an older
  /// copy. Nothing was merged. What both wrote since under the one id cannot be told apart by others.
  case replicaForked(replica: ReplicaID)

  /// The replica's file was deleted, replaced or set back while it was open. Open the file anew, or make a new
  /// replica for this device and merge from a peer.
  case storeReplaced(replica: ReplicaID)

  /// A record with this id is visible already; use `upsert` or `update`.
  case recordExists(RecordKey)

  /// No record with this id is visible: it was never inserted here, or it was deleted.
  case recordNotVisible(RecordKey)

  /// The record is hidden, because the parent that it refers to is deleted, absent or hidden itself: restore that,
  /// or refer to another.
  case parentNotVisible(RecordKey, parent: RecordKey)

  /// The record is alive, so there is nothing to restore.
  case recordNotDeleted(RecordKey)

  /// Another replica alone writes this field, or somebody must be granted that first: ask the holder to write it or
  /// to hand the authority over.
  case notAuthorized(RecordKey, field: FieldName, holder: ReplicaID?)

  /// Another replica holds the authority over this field; it can hand it over, or the call says that it is taken.
  case authorityHeld(Collection, field: FieldName, holder: ReplicaID)

  /// Elements are only added to this field, which is a set: add another one that says what has become of the first.
  case appendOnly(RecordKey, field: FieldName)

  /// Names that start with "rejoin." belong to the library.
  case reservedName(String)

  /// Names have 1 to `Limits.nameBytes` bytes of UTF-8, and no field may be called "id".
  case invalidName(bytes: Int)

  /// A record may hold at most `Limits.registersPerRecord` registers.
  case tooManyFields(RecordKey)

  /// A record may be deleted and restored `Limits.lives` times at most.
  case tooManyLives(RecordKey)

  /// What this opening of the replica added to a counter would leave 64 bits.
  case counterOverflow(RecordKey, field: FieldName)

  /// The field is a counter or a set: it takes a whole number or a list, or null.
  case fieldOfOtherKind(RecordKey, field: FieldName)

  /// An element of a set may take `Limits.elementBytes` bytes at most.
  case elementTooLong(RecordKey, field: FieldName)

  /// A record does not decode as the type that was asked for: `reason` names the field.
  case undecodable(RecordKey, reason: String)

  /// An update must not change a record's id; insert another record instead.
  case idChanged(RecordKey)

  /// The ledger holds no conflict of this id: it never did here, or it was let go or erased.
  case conflictNotFound(EntryID)

  /// The conflict is about a record's life and not about a field, so no value can resolve it: keep a side.
  case conflictWithoutField(EntryID)

  /// A query returns zero or more records, never less than none.
  case invalidLimit(Int)

  /// A condition on this field compares it with a value that no field can hold, such as a whole number of more than 64
  /// bits with sign.
  case invalidCondition(FieldName)

  /// The data set requires a later version of the application than this one, which may read and merge, but not write:
  /// what it already wrote is sent like everything else. Update the application.
  case upgradeRequired(required: Int, own: Int)

  /// A version that can be required is 1 or larger and has 31 bits.
  case invalidSchemaVersion(Int)

  /// The record type does not encode as fields by name.
  case notARecord(type: String)
}

extension ReplicaError: CustomStringConvertible {
  /// What happened, to which replica or record, and what can be done.
  public var description: String {
    switch self {
    case .gap(let replica, let missing):
      "Replica \(replica) lacks what comes before this delta (\(missing)); "
        + "ask the sender for a delta since this replica's version."
    case .differentDataset(let replica, let own, let other):
      "Replica \(replica) belongs to data set \(own), the delta to \(other); "
        + "only an empty replica can change its data set."
    case .replicaForked(let replica):
      "The delta holds writes of replica \(replica) that this replica never made: its file was copied, or restored "
        + "from an older copy. Make a new replica for this device and merge from a peer."
    case .storeReplaced(let replica):
      "The file of replica \(replica) was deleted, replaced or set back while it was open; "
        + "open it anew, or make a new replica for this device and merge from a peer."
    case .recordExists(let key):
      "Record \(key.id) exists already; update it, or use upsert."
    case .recordNotVisible(let key):
      "Record \(key.id) does not exist here or was deleted; insert or restore it first."
    case .parentNotVisible(let key, let parent):
      "Record \(key.id) is hidden, because record \(parent.id) of \(parent.collection), to which it refers, does not "
        + "exist here, was deleted or is hidden itself; restore that record, or refer to another."
    case .recordNotDeleted(let key):
      "Record \(key.id) is not deleted, so it cannot be restored."
    case .notAuthorized(let key, let field, let holder?):
      "The field \(field) of record \(key.id) is written by replica \(holder) alone; write it there, or have the "
        + "authority handed over."
    case .notAuthorized(let key, let field, nil):
      "The field \(field) of record \(key.id) is written by one replica alone, and none was granted that yet; grant "
        + "the authority over it first."
    case .authorityHeld(let collection, let field, let holder):
      "Replica \(holder) holds the authority over the field \(field) of \(collection); hand it over there, or say "
        + "that it shall be taken from it."
    case .appendOnly(let key, let field):
      "Nothing is taken from the field \(field) of record \(key.id), which is a set to add to and holds nothing "
        + "else; add to it what has become of an element."
    case .reservedName(let name):
      "The name \(name) cannot be used: names that start with \"rejoin.\" belong to the library."
    case .invalidName(let bytes):
      "A name of \(bytes) bytes cannot be used: names have 1 to \(Limits.nameBytes) bytes, "
        + "and no field is called \"id\"."
    case .tooManyFields(let key):
      "Record \(key.id) would hold more than \(Limits.registersPerRecord) registers; split it."
    case .tooManyLives(let key):
      "Record \(key.id) was deleted and restored too often to be so once more; insert another record."
    case .counterOverflow(let key, let field):
      "The counter \(field) of record \(key.id) cannot be changed by so much: what one device adds has 64 bits."
    case .fieldOfOtherKind(let key, let field):
      "The field \(field) of record \(key.id) is a counter or a set; write a whole number or a list to it."
    case .elementTooLong(let key, let field):
      "An element is too long for the set \(field) of record \(key.id): elements have at most "
        + "\(Limits.elementBytes) bytes. Keep it in a field, or in a record of its own."
    case .undecodable(let key, let reason):
      "Record \(key.id) does not decode as the type that was asked for: \(reason)."
    case .idChanged(let key):
      "An update must not change the id of record \(key.id); insert another record instead."
    case .conflictNotFound(let id):
      "The ledger holds no conflict \(id): list the conflicts again."
    case .conflictWithoutField(let id):
      "Conflict \(id) is about a record's life and not about a field: keep the winner or the loser."
    case .invalidLimit(let limit):
      "A query cannot return \(limit) records; its limit is zero or more, or none is given."
    case .invalidCondition(let field):
      "A condition compares the field \(field) with a value that no field can hold; compare it with one that encodes."
    case .upgradeRequired(let required, let own):
      "The data set requires version \(required) of the application, and this is version \(own): it may read and merge, "
        + "but not write. Update the application."
    case .invalidSchemaVersion(let version):
      "Version \(version) cannot be required: versions are from 1 to \(Int32.max)."
    case .notARecord(let type):
      "The type \(type) does not encode as fields by name; a record is a struct with named properties."
    }
  }
}
