public import RejoinCore

/// Who alone writes a field of a collection's records.
///
/// A fact that all replicas share: a register whose rank is that of the grant. A later hand-over has a higher rank, so
/// it wins over one that was made without knowing of it, whatever the clocks say. What the holder writes carries the
/// rank too, and every replica compares ranks before times: so what the former holder wrote late does not win.
public struct Authority: Hashable, Sendable {
  /// The replica that holds it.
  public var holder: ReplicaID

  /// How often it was granted; every hand-over raises it by one.
  public var rank: UInt64

  /// Makes one.
  public init(holder: ReplicaID, rank: UInt64) {
    self.holder = holder
    self.rank = rank
  }
}

extension Authority {
  /// The collection of the facts: a record per collection, which nobody sees, with a register per field.
  static let collection = Collection("\(Collection.reservedPrefix)authority")

  /// The record of a collection's facts.
  static func key(of collection: Collection) -> RecordKey {
    RecordKey(Authority.collection, .derived(from: collection.text, in: "authority"))
  }

  /// The fact that a register states; nil when it states none that this version can read.
  fileprivate init?(_ register: PackedRegister, of record: PackedRecord) {
    guard register.precedence.rank > 0, case .string(let text) = record.value(of: register),
      let holder = ReplicaID(text)
    else { return nil }
    self.init(holder: holder, rank: register.precedence.rank)
  }
}

extension PackedRecord {
  /// The authorities that this record of facts states.
  var authorities: [FieldName: Authority] {
    var authorities: [FieldName: Authority] = [:]
    for register in registers {
      let address = address(of: register)
      if address.kind == RegisterKind.authority { authorities[address.field] = Authority(register, of: self) }
    }
    return authorities
  }
}

extension Replica {
  /// Who alone writes a field; nil when nobody was granted that.
  ///
  /// - Throws: what the store throws.
  public func authority(over field: FieldName, in collection: Collection) throws -> Authority? {
    try reading { engine in
      let key = Authority.key(of: collection)
      return try engine.store.record(key)?.authorities[field]
    }
  }

  /// Hands the authority over a field to a replica; see ``WriteTransaction/grantAuthority(over:in:to:evenIfHeld:)``.
  public func grantAuthority(
    over field: FieldName, in collection: Collection, to replica: ReplicaID, evenIfHeld: Bool = false
  ) throws {
    try write {
      try $0.grantAuthority(over: field, in: collection, to: replica, evenIfHeld: evenIfHeld)
    }
  }
}
