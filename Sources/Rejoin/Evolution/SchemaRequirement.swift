import RejoinCore

/// The least version of the application that may write, as a fact that travels like any record.
///
/// Every version that was ever required is a record of a reserved collection, named by its id. Nobody changes or deletes
/// one, so merging needs no rule of its own: the largest counts.
enum SchemaRequirement {
  /// The collection of the facts.
  static let collection = Collection("\(Collection.reservedPrefix)schema")

  /// The field that says it to people; the id is what counts.
  static let field: FieldName = "version"

  /// The versions that can be required.
  static let versions = 1...Int(Int32.max)

  /// "rejoin", as the first half of a UUID of version 8.
  private static let high: UInt64 = 0x7265_6a6f_696e_8000

  /// The record of a version.
  static func key(of version: Int) -> RecordKey {
    RecordKey(collection, RecordID(high: high, low: 1 << 63 | UInt64(version)))
  }

  /// The version that a record requires; nil when it is about something else.
  static func version(of key: RecordKey) -> Int? {
    guard key.collection == collection, key.id.high == high, key.id.low >> 62 == 2,
      let version = Int(exactly: key.id.low & ~(1 << 63)), versions ~= version
    else { return nil }
    return version
  }

  /// The largest version that a store's records require; nil when there is none.
  static func largest(in store: any Store) throws -> Int? {
    var largest: Int?
    try store.forEachRecord(in: collection) { id, _ in
      if let version = version(of: RecordKey(collection, id)) { largest = max(largest ?? version, version) }
    } unreadable: { record in
      if let version = record.id.flatMap({ version(of: RecordKey(collection, $0)) }) {
        largest = max(largest ?? version, version)
      }
    }
    return largest
  }
}

extension Engine {
  /// Refuses to write for an application that is older than the data set allows.
  func checkSchemaVersion() throws {
    guard let schemaVersion, let requiredSchemaVersion, schemaVersion < requiredSchemaVersion else { return }
    throw ReplicaError.upgradeRequired(required: requiredSchemaVersion, own: schemaVersion)
  }

  /// Takes up the versions that a commit requires.
  mutating func learnSchemaVersion(from commit: borrowing StoreCommit) {
    for write in commit.records {
      guard let version = SchemaRequirement.version(of: write.key) else { continue }
      requiredSchemaVersion = max(requiredSchemaVersion ?? version, version)
    }
  }
}

extension WriteTransaction {
  /// Writes down that a version of the application is required.
  mutating func require(schemaVersion version: Int) throws {
    let key = SchemaRequirement.key(of: version)
    guard try record(key) == nil else { return }
    let values = [(RegisterAddress(SchemaRequirement.field), Value.int(Int64(version)))]
    try put(fragment(life: nil, values: values), at: key, over: nil)
  }
}
