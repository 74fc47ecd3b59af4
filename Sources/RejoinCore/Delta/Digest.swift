/// A fingerprint of a replica's state: equal at replicas that hold the same, whatever the order they learnt it in.
///
/// An order-independent sum, modulo 2^128, of keyed hashes over the address, life and value of the registers of
/// living records (of each address the larger slot, whatever the wall clock says), the entries of the tombstone
/// set and the log entries. Compare it only at equal vectors. The key is the data set's id: whoever knows it is
/// trusted with the data anyway; nobody else can aim at a collision.
/// Source: Clarke et al., *Incremental Multiset Hash Functions* (ASIACRYPT 2003), MSet-Add-Hash.
public struct Digest: Hashable, Sendable {
  /// The upper half of the sum.
  public private(set) var high: UInt64 = 0

  /// The lower half of the sum.
  public private(set) var low: UInt64 = 0

  private let key: DatasetID

  /// The digest of an empty replica of a data set.
  public init(dataset: DatasetID) {
    key = dataset
  }

  /// Adds what a record contributes.
  package mutating func add(_ record: PackedRecord, at recordKey: RecordKey) {
    let life = record.life?.count ?? 1
    if record.life != nil {
      add { hash in
        hash.combine(UInt8(1))
        Digest.combine(recordKey, into: &hash)
        hash.combine(life)
      }
    }
    guard life % 2 == 1 else { return }
    for register in record.best(fromLife: life) {
      add { hash in
        hash.combine(UInt8(0))
        Digest.combine(recordKey, into: &hash)
        hash.combine(counted: record.bytes[register.address])
        hash.combine(register.precedence.life)
        hash.combine(counted: record.bytes[register.value])
      }
    }
  }

  /// Adds what a log entry contributes; the library's own logs, such as the ledger, contribute nothing.
  package mutating func add(_ entry: LogEntry, at entryKey: EntryKey) {
    guard !entryKey.log.isReserved else { return }
    add { hash in
      hash.combine(UInt8(2))
      hash.combine(counted: entryKey.log.text.utf8)
      hash.combine(entryKey.id.high)
      hash.combine(entryKey.id.low)
      hash.combine(counted: Value.map(entry.values).canonicalBytes)
    }
  }

  /// Adds all that another digest of the data set sums up.
  package mutating func add(_ other: Digest) { add(high: other.high, low: other.low) }

  private static func combine(_ key: RecordKey, into hash: inout SipHash128) {
    hash.combine(counted: key.collection.text.utf8)
    hash.combine(key.id.high)
    hash.combine(key.id.low)
  }

  private mutating func add(_ body: (inout SipHash128) -> Void) {
    var hash = SipHash128(key0: key.high, key1: key.low)
    body(&hash)
    let (high, low) = hash.finalize()
    add(high: high, low: low)
  }

  private mutating func add(high: UInt64, low: UInt64) {
    let (sum, carry) = self.low.addingReportingOverflow(low)
    self.low = sum
    self.high = self.high &+ high &+ (carry ? 1 : 0)
  }

  /// Whether both sums are equal.
  public static func == (left: Digest, right: Digest) -> Bool {
    left.high == right.high && left.low == right.low
  }

  /// Hashes the sum.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }
}

extension Digest: CustomStringConvertible {
  /// The textual form: 32 hexadecimal digits.
  public var description: String { high.hexadecimal + low.hexadecimal }
}
