public import RejoinCore

extension WriteTransaction {
  /// Who alone writes which field of a collection.
  func authorities(over collection: Collection) throws -> [FieldName: Authority] {
    guard let facts = try record(Authority.key(of: collection)) else { return [:] }
    return facts.authorities(in: try visibility().shown(facts))
  }

  /// The rank with which this replica writes a field; refuses when another replica alone does.
  func rank(
    of field: FieldName, at key: RecordKey, in authorities: [FieldName: Authority]
  ) throws -> UInt64 {
    let authority = authorities[field]
    if let authority, authority.holder == timestamp.replica { return authority.rank }
    guard authority == nil, policies[field, in: key.collection].merging != .authority else {
      throw ReplicaError.notAuthorized(key, field: field, holder: authority?.holder)
    }
    return 0
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
    let address = RegisterAddress(field)
    // Also above a grant that waits for its time.
    let known = stored.map { record in
      record.registers.filter { record.address(of: $0) == address }.map(\.precedence.rank)
    }
    let rank = (known?.max() ?? 0) + 1
    try put([(address, .string(replica.description), rank)], life: stored?.life, at: key, over: stored)
  }
}
