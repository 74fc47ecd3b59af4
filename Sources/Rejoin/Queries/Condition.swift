public import RejoinCore

/// What the records that a query is to find must show.
///
/// A condition on a field without an index costs reading every record of the collection; see ``Index``. Fields that are
/// absent and fields that are null are alike to conditions.
public struct Condition: Hashable, Sendable {
  indirect enum Kind: Hashable, Sendable {
    case oneOf(FieldName, Set<Value>)
    case range(FieldName, lower: Value?, upper: Value?)
    case all([Condition])
    /// A value that no field can hold.
    case unencodable(FieldName)
  }

  let kind: Kind

  // MARK: By field name

  /// The field holds exactly this value, by canonical bytes: 1 is not 1.0, and "é" in one code point not in two.
  public static func equals(_ field: FieldName, _ value: Value) -> Condition { oneOf(field, [value]) }

  /// The field holds exactly one of these values; of no values there is none.
  public static func oneOf(_ field: FieldName, _ values: [Value]) -> Condition {
    Condition(kind: .oneOf(field, Set(values)))
  }

  /// The field holds this value or a later one of its class, such as numbers or texts, in the order of queries.
  ///
  /// Whole and floating-point numbers are one class, in the order of the numbers: 1 is at least 1.0.
  public static func atLeast(_ field: FieldName, _ value: Value) -> Condition {
    Condition(kind: .range(field, lower: value, upper: nil))
  }

  /// The field holds this value or an earlier one of its class; null and absent are no number and no text.
  public static func atMost(_ field: FieldName, _ value: Value) -> Condition {
    Condition(kind: .range(field, lower: nil, upper: value))
  }

  /// The field holds one of two values of a class or one in between; of two classes there is none.
  public static func between(_ field: FieldName, _ lower: Value, _ upper: Value) -> Condition {
    Condition(kind: .range(field, lower: lower, upper: upper))
  }

  /// The field was cleared or never written.
  public static func isNull(_ field: FieldName) -> Condition { oneOf(field, [.null]) }

  /// All of these hold; of no conditions all do.
  public static func all(_ conditions: [Condition]) -> Condition { Condition(kind: .all(conditions)) }

  // MARK: By coding key

  /// The property holds exactly this value, encoded as the record encodes it.
  public static func equals(_ key: some CodingKey, _ value: some Encodable) -> Condition {
    encoding([value], for: key) { equals($0, $1[0]) }
  }

  /// The property holds exactly one of these values; of no values there is none.
  public static func oneOf(_ key: some CodingKey, _ values: [some Encodable]) -> Condition {
    encoding(values, for: key) { oneOf($0, $1) }
  }

  /// The property holds this value or a later one of its class, such as numbers or texts, in the order of queries.
  public static func atLeast(_ key: some CodingKey, _ value: some Encodable) -> Condition {
    encoding([value], for: key) { atLeast($0, $1[0]) }
  }

  /// The property holds this value or an earlier one of its class; null and absent are no number and no text.
  public static func atMost(_ key: some CodingKey, _ value: some Encodable) -> Condition {
    encoding([value], for: key) { atMost($0, $1[0]) }
  }

  /// The property holds one of two values of a class or one in between; of two classes there is none.
  public static func between<Bound: Encodable>(
    _ key: some CodingKey, _ lower: Bound, _ upper: Bound
  ) -> Condition {
    encoding([lower, upper], for: key) { between($0, $1[0], $1[1]) }
  }

  /// A condition on encoded values; what does not encode is told when the query is asked.
  private static func encoding(
    _ values: [some Encodable], for key: some CodingKey, _ condition: (FieldName, [Value]) -> Condition
  ) -> Condition {
    let field = FieldName(key.stringValue)
    do {
      return condition(field, try values.map { try FieldEncoder.value(of: $0) })
    } catch {
      return Condition(kind: .unencodable(field))
    }
  }

  /// The property was cleared or never written.
  public static func isNull(_ key: some CodingKey) -> Condition { isNull(FieldName(key.stringValue)) }
}

/// In which order a query returns records: by one field, records that it does not tell apart by their ids.
public struct Sort: Hashable, Sendable {
  /// The field.
  public var field: FieldName

  /// Whether later values come first, and of equal ones the later ids: the exact reverse of the ascending order.
  public var isDescending: Bool

  /// Makes an order.
  public init(by field: FieldName, isDescending: Bool = false) {
    self.field = field
    self.isDescending = isDescending
  }

  /// Earlier values first.
  public static func ascending(_ field: FieldName) -> Sort { Sort(by: field) }

  /// Earlier values first.
  public static func ascending(_ key: some CodingKey) -> Sort { ascending(FieldName(key.stringValue)) }

  /// Later values first.
  public static func descending(_ field: FieldName) -> Sort { Sort(by: field, isDescending: true) }

  /// Later values first.
  public static func descending(_ key: some CodingKey) -> Sort { descending(FieldName(key.stringValue)) }
}

extension FieldEncoder {
  /// What a property with this value is stored as; nil is null.
  static func value(of value: some Encodable) throws -> Value {
    let node = Node()
    try encode(value, into: node, codingPath: [])
    return node.value ?? .null
  }
}
