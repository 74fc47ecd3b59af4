public import RejoinCore

extension WriteTransaction {
  /// Who alone writes which field of a collection; asked of the store once in a transaction.
  private mutating func authorities(over collection: Collection) throws -> [FieldName: Authority] {
    if let known = knownAuthorities[collection] { return known }
    let authorities = try record(Authority.key(of: collection))?.authorities ?? [:]
    knownAuthorities[collection] = authorities
    return authorities
  }

  /// Whether this replica writes a field: it holds the authority, or nobody does and none is needed.
  mutating func mayWrite(_ field: FieldName, in collection: Collection) throws -> Bool {
    if let authority = try authorities(over: collection)[field] {
      return authority.holder == timestamp.replica
    }
    return policies[field, in: collection].merging != .authority
  }

  /// The ranks with which this replica writes fields, but for those that are 0; refuses when another replica alone
  /// writes one of them.
  mutating func ranks(of fields: [FieldName], at key: RecordKey) throws -> [FieldName: UInt64] {
    let authorities = try authorities(over: key.collection)
    for field in fields where try !mayWrite(field, in: key.collection) {
      throw ReplicaError.notAuthorized(key, field: field, holder: authorities[field]?.holder)
    }
    return authorities.mapValues(\.rank)
  }

  /// Refuses to take elements from fields that are only added to.
  func checkAppending(_ edits: FieldEdits, to stored: PackedRecord?, at key: RecordKey) throws {
    for field in edits.names where policies[field, in: key.collection].merging == .append {
      var isAdding = edits.removed[field] ?? [] == [] && edits.increments[field] == nil
      if let value = edits.plain[field] {
        let counted = try stored.map { try CountedFields($0, visibility().shown($0)).fields[field] } ?? nil
        if let counted, counted.form == .set, case .array(let old) = counted.value,
          case .array(let new) = value
        {
          isAdding = isAdding && Set(old).isSubset(of: new)
        } else {
          isAdding = false
        }
      }
      guard isAdding, !edits.resets.contains(field), !edits.startingAfresh.contains(field) else {
        throw ReplicaError.appendOnly(key, field: field)
      }
    }
  }

  /// Hands the authority over a field of a collection's records to a replica, this one or another: from then on that
  /// one alone writes the field.
  ///
  /// Only the holder hands it over, unless nobody holds it or the call says otherwise. A replica that does not know of
  /// the hand-over yet goes on writing with the rank that it had; what it writes then does not win.
  ///
  /// - Throws: `ReplicaError.authorityHeld` when another replica holds it, `ReplicaError.invalidName`.
  public mutating func grantAuthority(
    over field: FieldName, in collection: Collection, to replica: ReplicaID, evenIfHeld: Bool = false
  ) throws {
    try check(collection)
    try check(field.text, isReserved: field.text == "id")
    if let holder = try authorities(over: collection)[field]?.holder, holder != timestamp.replica, !evenIfHeld
    {
      throw ReplicaError.authorityHeld(collection, field: field, holder: holder)
    }
    let key = Authority.key(of: collection)
    let stored = try record(key)
    let rank = (stored?.authorities[field]?.rank ?? 0) + 1
    let write = RegisterWrite(
      address: RegisterAddress(field, kind: RegisterKind.authority), value: .string(replica.description),
      precedence: Precedence(life: 0, rank: rank, timestamp: timestamp))
    try put(RecordPacker.fragment(life: stored?.life, writes: [write]), at: key, over: stored)
    knownAuthorities[collection] = nil
  }
}
