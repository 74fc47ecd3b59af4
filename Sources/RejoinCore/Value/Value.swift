/// What a register or log entry holds.
///
/// Equality, order and hash go by canonical bytes (see <doc:WireFormat>): strings by UTF-8 bytes, doubles by bit
/// pattern with one NaN, and `1` differs from `1.0`. Arrays and maps are one atomic value: they are replaced
/// whole, at most `Limits.valueDepth` deep.
public enum Value: Sendable {
  /// A field that was cleared; it differs from one that was never written.
  case null
  /// A truth value.
  case bool(Bool)
  /// A whole number.
  case int(Int64)
  /// A floating-point number; every NaN is one and the same.
  case double(Double)
  /// Text, compared by its bytes.
  case string(String)
  /// Bytes.
  case data([UInt8])
  /// A point in time, in milliseconds since the Unix epoch.
  case time(Int64)
  /// A reference to a record.
  case record(RecordID)
  /// A list of values.
  case array([Value])
  /// Values by name.
  case map(ValueMap)
  /// A value of a kind that a newer version knows: kept as it is, shown to nobody and passed on.
  case unknown(kind: UInt8, bytes: [UInt8])
}

/// Values by name, in the order of the names' UTF-8 bytes; each name stands once.
public struct ValueMap: Sendable, ExpressibleByDictionaryLiteral {
  /// The names and their values, in order.
  public private(set) var entries: [(name: String, value: Value)] = []

  /// Makes an empty map.
  public init() {}

  /// Makes a map; of several values for one name the last counts.
  ///
  /// - Complexity: O(n log n) in the pairs, O(n) where they are in order.
  public init(_ pairs: some Sequence<(String, Value)>) {
    for (name, value) in pairs { entries.append((name, value)) }
    let isInOrder = zip(entries, entries.dropFirst()).allSatisfy { left, right in
      left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
    guard !isInOrder else { return }
    // The sort is stable, so that of one name the last stays last.
    let sorted = entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    entries = []
    entries.reserveCapacity(sorted.count)
    for entry in sorted {
      if let last = entries.last, last.name.hasSameBytes(as: entry.name) { entries.removeLast() }
      entries.append(entry)
    }
  }

  /// Makes a map of a literal.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init(elements)
  }

  /// Makes a map of entries that are in order already.
  init(sorted entries: [(name: String, value: Value)]) {
    self.entries = entries
  }

  /// The value under `name`; nil is no value.
  public subscript(name: String) -> Value? {
    get {
      let index = position(of: name)
      guard stands(name, at: index) else { return nil }
      return entries[index].value
    }
    set {
      let index = position(of: name)
      switch (stands(name, at: index), newValue) {
      case (true, let value?): entries[index].value = value
      case (true, nil): entries.remove(at: index)
      case (false, let value?): entries.insert((name, value), at: index)
      case (false, nil): break
      }
    }
  }

  private func stands(_ name: String, at index: Int) -> Bool {
    index < entries.count && entries[index].name.hasSameBytes(as: name)
  }

  private func position(of name: String) -> Int {
    if let last = entries.last, last.name.utf8.lexicographicallyPrecedes(name.utf8) { return entries.count }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].name.utf8.lexicographicallyPrecedes(name.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}

extension ValueMap: Hashable {
  /// Whether both hold the same names and values, by canonical bytes.
  public static func == (left: ValueMap, right: ValueMap) -> Bool { Value.map(left) == .map(right) }

  /// Hashes the canonical bytes.
  public func hash(into hasher: inout Hasher) { Value.map(self).hash(into: &hasher) }
}

extension Value: Hashable, Comparable {
  /// Whether both have the same canonical bytes.
  public static func == (left: Value, right: Value) -> Bool {
    left.canonicalBytes == right.canonicalBytes
  }

  /// Whether the canonical bytes of `left` come first.
  public static func < (left: Value, right: Value) -> Bool {
    left.canonicalBytes.lexicographicallyPrecedes(right.canonicalBytes)
  }

  /// Hashes the canonical bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(canonicalBytes)
  }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Makes a string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Makes a whole number.
  public init(integerLiteral value: Int64) { self = .int(value) }

  /// Makes a floating-point number.
  public init(floatLiteral value: Double) { self = .double(value) }

  /// Makes a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Makes an array.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }

  /// Makes a map.
  public init(dictionaryLiteral elements: (String, Value)...) { self = .map(ValueMap(elements)) }
}
