/// A JSON text as a tree (RFC 8259), with whole numbers kept whole and members in the order of the text.
///
/// Equality and hash go by bytes, as everywhere in this library: text and names by their UTF-8 bytes ("é" in one
/// code point and in two differ), doubles by bit pattern with one NaN, and members in order. So equal trees have
/// equal texts. The number `1` and the number `1.0` are one when read (see ``init(parsing:)-([UInt8])``), but
/// `.int(1)` and `.double(1)` differ.
public enum JSON: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number.
  case int(Int64)
  /// Any other number; JSON has no NaN and no infinity, which are written as `null`.
  case double(Double)
  /// Text.
  case string(String)
  /// A list.
  case array([JSON])
  /// Members in the order of the text; each name stands once in what the reader makes.
  case object([Member])

  /// A name and its value within an object.
  public struct Member: Sendable {
    /// The name, compared by its UTF-8 bytes.
    public var name: String

    /// The value.
    public var value: JSON

    /// Makes a member.
    public init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// Whole numbers that every reader of JSON keeps exact, also those that know only doubles (±2⁵³).
  package static let interoperableIntegers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)
}

extension Double {
  /// Whether this is a finite number without a fraction.
  ///
  /// Not by `rounded()` or `Int64(exactly:)`: they need the C library's mathematics, which nothing links for a
  /// program that imports Swift alone.
  var isWhole: Bool {
    guard magnitude < 0x1p53 else { return isFinite }
    return Double(Int64(self)) == self
  }
}

/// Text that is compared and hashed by its UTF-8 bytes.
struct JSONText: Name {
  let text: String

  init(_ text: String) {
    self.text = text
  }
}

extension JSON: Hashable {
  /// Whether both have the same shape, the same bytes of text and the same bits of numbers.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)): bits(of: left) == bits(of: right)
    case (.string(let left), .string(let right)): JSONText(left) == JSONText(right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.null, _), (.bool, _), (.int, _), (.double, _), (.string, _), (.array, _), (.object, _): false
    }
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .bool(let flag): hasher.combine(flag)
    case .int(let number): hasher.combine(number)
    case .double(let number): hasher.combine(JSON.bits(of: number))
    case .string(let text): hasher.combine(JSONText(text))
    case .array(let elements): hasher.combine(elements)
    case .object(let members): hasher.combine(members)
    }
  }

  private static func bits(of number: Double) -> UInt64 {
    number.isNaN ? Double.nan.bitPattern : number.bitPattern
  }
}

extension JSON.Member: Hashable {
  /// Whether both have the same bytes of the name and the same value.
  public static func == (left: JSON.Member, right: JSON.Member) -> Bool {
    JSONText(left.name) == JSONText(right.name) && left.value == right.value
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(JSONText(name))
    hasher.combine(value)
  }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Makes text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Makes a whole number.
  public init(integerLiteral value: Int64) { self = .int(value) }

  /// Makes a floating-point number.
  public init(floatLiteral value: Double) { self = .double(value) }

  /// Makes `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Makes `null`.
  public init(nilLiteral: ()) { self = .null }

  /// Makes an array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// Makes an object with its members in the order of the literal.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
