/// What decides between two registers of one address: the larger life, then the larger rank, then the later
/// timestamp.
///
/// Life 0 is none of the lives of a record: its registers belong to the record itself, outlive all its lives, and
/// count as larger than a register of any of them.
public struct Precedence: Hashable, Comparable, Sendable {
  /// In which life of the record the register was written; it shows only in that life.
  ///
  /// 0 is none of them and outlives all.
  public var life: UInt64

  /// The rank of the writer's authority; 0 for ordinary fields.
  public var rank: UInt64

  /// When and by whom it was written.
  public var timestamp: Timestamp

  /// Makes a precedence.
  public init(life: UInt64 = 1, rank: UInt64 = 0, timestamp: Timestamp) {
    self.life = life
    self.rank = rank
    self.timestamp = timestamp
  }

  /// Whether `right` wins over `left`.
  @inline(__always)
  public static func < (left: Precedence, right: Precedence) -> Bool {
    // Taking one away makes life 0 the largest: it stays when the lives beside it are dropped.
    if left.life != right.life { return left.life &- 1 < right.life &- 1 }
    if left.rank != right.rank { return left.rank < right.rank }
    return left.timestamp < right.timestamp
  }
}

extension Precedence {
  /// Whether the register belongs to the record and not to one of its lives.
  @inline(__always)
  package var outlivesLives: Bool { life == 0 }

  /// Whether the register belongs to a life from `latest` on, or to none.
  @inline(__always)
  package func isKept(fromLife latest: UInt64) -> Bool { life == 0 || life >= latest }
}

/// A last-writer-wins register: merging keeps the one with the larger precedence.
///
/// Should both have one precedence, which only a fault can bring about, the larger canonical bytes win, so that
/// all replicas decide alike.
/// Source: Shapiro et al., *A comprehensive study of Convergent and Commutative Replicated Data Types* (2011).
public struct LWWRegister: Lattice, Hashable {
  /// What decides.
  public var precedence: Precedence

  /// What it holds.
  public var value: Value

  /// Makes a register.
  public init(_ value: Value, precedence: Precedence) {
    self.value = value
    self.precedence = precedence
  }

  /// Keeps the larger of both.
  public mutating func merge(_ other: LWWRegister) {
    if (precedence, value) < (other.precedence, other.value) { self = other }
  }
}

/// A map of last-writer-wins registers: merging keeps the larger register of each key.
public struct LWWMap<Key: Hashable & Sendable>: Lattice {
  /// The registers.
  public private(set) var registers: [Key: LWWRegister] = [:]

  /// Makes an empty map.
  public init() {}

  /// The register of a key.
  public subscript(key: Key) -> LWWRegister? { registers[key] }

  /// Adds a register, or raises the one that is there.
  public mutating func insert(_ register: LWWRegister, for key: Key) {
    registers[key, default: register].merge(register)
  }

  /// Keeps only the registers that satisfy a condition.
  package mutating func filter(_ isKept: (Key, LWWRegister) -> Bool) {
    registers = registers.filter { isKept($0.key, $0.value) }
  }

  /// Keeps the larger register of each key.
  public mutating func merge(_ other: LWWMap) {
    registers.merge(other.registers) { $0.merging($1) }
  }
}
